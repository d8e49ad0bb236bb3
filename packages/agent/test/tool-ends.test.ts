import { describe, expect, it } from 'vitest';
import { defineTool, type ToolOutcome } from '@treblehook/types';
import { z } from 'zod';
import { type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit } from './kit.js';

import { tool, watched } from './watched.js';

describe('a tool call, as it is told,', () => {
  it('that ran and one that never ran are different records', async () => {
    const { agent, registry, ends } = watched([calls('echo', 'echo'), 'ok'], [echo().tool]);
    let asked = 0;
    registry.registerClaiming('toolPolicy', () => (asked++ === 0 ? undefined : { deny: 'no' }), { id: 'g' });
    await agent.run('go');
    expect(ends[0]!.record).toMatchObject({
      outcome: 'ok',
      decision: 'clear',
      verdicts: [{ verdict: 'pass' }, { verdict: 'pass' }],
    });
    expect(ends[0]!.record.rawDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(ends[1]!.record).toMatchObject({ outcome: 'denied', decision: 'deny', by: 'g', reason: 'no' });
    expect(ends[1]!.record).not.toHaveProperty('rawDigest');
  });

  // https://github.com/anomalyco/opencode/issues/27900, https://github.com/anthropics/claude-code/issues/72996
  it('has exactly one end, whatever becomes of it, over a long session of every kind', async () => {
    const kinds: Record<string, [ScriptedStep, ToolOutcome]> = {
      ok: [call('echo'), 'ok'],
      throws: [call('throws', {}), 'error'],
      denied: [call('echo', { text: 'deny' }), 'denied'],
      asked: [call('echo', { text: 'ask' }), 'denied'],
      refused: [call('echo', { text: 'refuse' }), 'denied'],
      unknown: [call('nope'), 'error'],
      badArgs: [call('echo', {}), 'error'],
      noJson: [call('echo', '{'), 'error'],
    };
    const names = Object.keys(kinds);
    const script = Array.from({ length: 200 }, (_, at) => names[(at * 7 + Math.floor(at / 5)) % names.length]!);
    const { agent, registry, ends } = watched(
      [...script.map((name) => kinds[name]![0]), 'ok'],
      [
        echo().tool,
        tool('throws', () => {
          throw new Error('x');
        }),
      ],
    );
    registry.registerModifying('beforeTool', ({ args }) =>
      (args as { text?: string }).text === 'refuse' ? { error: 'no' } : undefined,
    );
    registry.registerClaiming('toolPolicy', ({ args }) => {
      const { text } = args as { text?: string };
      return text === 'deny' ? { deny: 'no' } : text === 'ask' ? { ask: 'so?' } : undefined;
    });
    const session = agent.session();
    let status = '';
    const events: string[] = [];
    const stream = session.stream('go');
    for (let next = await stream.next(); ; next = await stream.next()) {
      if (next.done === true) {
        status = next.value.status;
        break;
      }
      if (next.value.type === 'tool-call' || next.value.type === 'tool-end')
        events.push(`${next.value.type} ${next.value.callId}`);
    }
    // the default limit of steps ends the first run; the second goes on
    expect(status).toBe('incomplete');
    await session.run('go on');
    await session.run('and on');
    expect(ends.map(({ outcome }) => outcome)).toEqual(script.map((name) => kinds[name]![1]));
    expect(new Set(ends.map(({ callId }) => callId)).size).toBe(200);
    expect(events.filter((one) => one.startsWith('tool-end')).map((one) => one.slice(9))).toEqual(
      events.filter((one) => one.startsWith('tool-call')).map((one) => one.slice(10)),
    );
  });

  it('tells each path argument that its tool declares', async () => {
    const edit = defineTool({
      name: 'edit',
      description: '',
      input: z.object({ file: z.string(), also: z.array(z.string()).optional(), text: z.string().optional() }),
      paths: ['file', 'also', 'gone'],
      execute: () => 'ok',
    });
    const { agent, registry } = watched(
      [
        calls(
          { name: 'edit', args: { file: 'a', also: ['b', 'c'], text: 't' } },
          { name: 'edit', args: { file: 'd' } },
        ),
        'ok',
      ],
      [edit],
    );
    registry.registerClaiming('toolPolicy', ({ args }) =>
      (args as { file: string }).file === 'd' ? { deny: 'no' } : undefined,
    );
    const paths: string[] = [];
    registry.registerVoid('toolEndWithPath', ({ path, cwd, outcome }) => void paths.push(`${outcome} ${cwd} ${path}`));
    await agent.run('go');
    expect(paths).toEqual(['ok /work a', 'ok /work b', 'ok /work c', 'denied /work d']);
  });

  it('gets a signal, its own id, where it comes from, and a way to other tools', async () => {
    let ctx: unknown;
    const { agent, ends } = watched(
      [call('t'), 'ok'],
      [
        tool('t', (_, given) => {
          ctx = given;
          return 'ok';
        }),
      ],
    );
    await agent.run('go');
    expect(ctx).toEqual({
      signal: expect.any(AbortSignal),
      callId: ends[0]!.callId,
      origin: ends[0]!.origin,
      callTool: expect.any(Function),
      fire: expect.objectContaining({ fireVoid: expect.any(Function) }),
    });
    expect(ends[0]!.callId).toMatch(/^call_/);
  });

  // https://github.com/microsoft/agent-framework/pull/2868
  it('ends the run behind its result when a guard says halt', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, model } = watched([calls('echo', 'echo', 'echo'), 'never'], [say]);
    registry.registerClaiming(
      'toolPolicy',
      ({ batch }) => (batch.index === 1 ? { deny: 'stop it', halt: true } : undefined),
      { id: 'brake' },
    );
    const { status, reason, toolCalls, messages } = await agent.run('go');
    expect({ status, reason }).toEqual({ status: 'vetoed', reason: { text: 'stop it', by: 'brake' } });
    const results = messages.at(-1)!.content.map((part) => part.type === 'tool-result' && part.output);
    expect(results).toEqual(toolCalls.map(({ output }) => output));
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'denied', 'not-started']);
    expect(toolCalls[2]!.output).toBe("not-started: 'brake' has ended the run");
    expect([ran.length, model.calls.length]).toEqual([1, 1]);
  });

  // https://github.com/anomalyco/opencode/pull/23264
  it('of a model that insists on a tool that is not there ends at a limit', async () => {
    const insist = Array.from({ length: 9 }, (_, at) => call('ghost', { at }));
    const { agent, model } = kit(insist, { tools: [echo().tool], limits: { steps: 4 } });
    const { status, limit, toolCalls } = await agent.run('go');
    expect({ status, limit }).toEqual({ status: 'incomplete', limit: 'steps' });
    expect(model.calls).toHaveLength(4);
    for (const { output } of toolCalls)
      expect(output).toBe("unknown-tool: there is no tool 'ghost': the tools are 'echo'");
  });

  // https://github.com/langchain-ai/langchain/issues/37093
  it('that stands in a history with its result, made up or not, is not run again', async () => {
    const { tool: say, ran } = echo();
    const { agent } = watched([calls('echo'), 'ok'], [say]);
    const session = agent.session({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'delete it' }] },
        { role: 'assistant', content: [{ type: 'tool-call', callId: 'c1', name: 'echo', args: { text: 'refused' } }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', callId: 'c1', name: 'echo', output: 'a person has refused it', isError: true },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool-call', callId: 'c2', name: 'echo', args: { text: 'open' } }] },
      ],
    });
    const { toolCalls } = await session.run('go on');
    expect(ran).toEqual([{ text: 'hi' }]);
    expect(toolCalls).toHaveLength(1);
  });

  // https://github.com/langchain-ai/langchain/issues/37093
  it('has an id of ours even where the provider repeats its own; the wire gets the provider’s', async () => {
    const { tool: say, ran } = echo();
    const twice: ScriptedStep = {
      calls: [
        { name: 'echo', id: 'call_1', args: { text: 'a' } },
        { name: 'echo', id: 'call_1', args: { text: 'b' } },
      ],
    };
    const { agent, model, ends } = watched([twice, twice, 'ok'], [say]);
    await agent.run('go');
    expect(ran).toHaveLength(4);
    expect(new Set(ends.map(({ callId }) => callId)).size).toBe(4);
    const ids = model.calls[2]!.prompt.flatMap(({ content }) => content as { toolCallId?: string }[]).flatMap(
      ({ toolCallId = [] }) => toolCallId,
    );
    expect(ids).toEqual([
      'call_1',
      ends[1]!.callId,
      'call_1',
      ends[1]!.callId,
      'call_1',
      ends[3]!.callId,
      'call_1',
      ends[3]!.callId,
    ]);
  });
});
