import { describe, expect, it } from 'vitest';
import { defineTool, type JsonValue, type Tool, type ToolEnd, type ToolOutcome } from '@treblehook/types';
import { z } from 'zod';
import { deferred, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit, settle } from './kit.js';

const tool = (name: string, execute: Tool['execute'], input: Tool['input'] = z.object({}).loose()): Tool =>
  defineTool({ name, description: name, input, execute });

function watched(script: readonly ScriptedStep[], tools: readonly Tool[]) {
  const made = kit(script, { tools, cwd: '/work' });
  const ends: ToolEnd[] = [];
  made.registry.registerVoid('toolEnd', (end) => void ends.push(end as ToolEnd));
  return { ...made, ends };
}

describe('a tool call', () => {
  it('is checked by its schema before any hook sees it', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched(
      [calls({ name: 'echo', args: { text: 5 } }, { name: 'echo', args: '{"text":' }), 'ok'],
      [say],
    );
    const seen: string[] = [];
    registry.registerModifying('beforeTool', () => void seen.push('beforeTool'));
    registry.registerModifying('afterTool', () => void seen.push('afterTool'));
    registry.registerClaiming('toolPolicy', () => void seen.push('toolPolicy'));
    const { toolCalls, messages } = await agent.run('go');
    expect([seen, ran]).toEqual([[], []]);
    expect(toolCalls[0]!.output).toMatch(/do not fit its schema: \/text: .*string/);
    expect(toolCalls[1]!.output).toMatch(/are no JSON/);
    expect(toolCalls[1]!.args).toBe('{"text":');
    expect(messages[1]!.content[1]).toMatchObject({ type: 'tool-call', args: '{"text":' });
    expect(ends.map(({ record }) => [record.digest, record.decision, record.verdicts])).toEqual([
      [undefined, undefined, []],
      [undefined, undefined, []],
    ]);
  });

  it('is checked again as hooks have amended it, and the output of the schema is what is sealed and run', async () => {
    const ran: unknown[] = [];
    const input = z.object({ n: z.string().transform(Number), unit: z.string().default('m') });
    const measure = tool('measure', (args) => (ran.push(args), 'ok'), input);
    const { agent, registry } = watched(
      [call('measure', { n: '1' }), call('measure', { n: '1' }), 'ok'],
      [{ ...measure, inputSchema: { type: 'object' } }],
    );
    const asked: JsonValue[] = [];
    registry.registerClaiming('toolPolicy', ({ args }) => void asked.push(args));
    const amendments: unknown[] = [{ args: { n: '2' } }, { args: { n: 3 } }];
    registry.registerModifying('beforeTool', ({ args }) => {
      expect(args).toEqual({ n: '1' });
      return amendments.shift() as { args: { n: string } };
    });
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([{ n: 2, unit: 'm' }]);
    expect(asked).toEqual([{ n: 2, unit: 'm' }]);
    expect(toolCalls[0]!.args).toEqual({ n: 2, unit: 'm' });
    expect(toolCalls[1]).toMatchObject({
      outcome: 'error',
      output: expect.stringMatching(/as hooks have amended them/),
    });
  });

  it('cannot be sealed when its schema makes more of the arguments than JSON', async () => {
    const { agent } = watched(
      [call('when', { at: '2020-01-01' }), 'ok'],
      [{ ...tool('when', () => 'ran', z.object({ at: z.coerce.date() }) as never), inputSchema: { type: 'object' } }],
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls[0]).toMatchObject({
      outcome: 'error',
      output: expect.stringMatching(/cannot be sealed: a class instance at \/at/),
    });
  });

  // https://github.com/anthropics/claude-code/issues/15897
  it.each([
    ['behind one that says nothing', [undefined, { args: { text: 'new' } }]],
    ['before one that says nothing', [{ args: { text: 'new' } }, undefined]],
    ['alone', [{ args: { text: 'new' } }]],
  ])('keeps the rewrite of a stage that stands %s', async (_, answers) => {
    const { tool: say, ran } = echo();
    const { agent, registry } = watched([call('echo'), 'ok'], [say]);
    for (const answer of answers) registry.registerModifying('beforeTool', () => answer);
    await agent.run('go');
    expect(ran).toEqual([{ text: 'new' }]);
  });

  it('that a stage refuses is denied by name: never sealed, never guarded, never amended', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched([call('echo'), 'ok'], [say]);
    const seen: string[] = [];
    registry.registerModifying('beforeTool', () => ({ error: 'not today', result: { output: 'x', isError: false } }), {
      id: 'no',
    });
    registry.registerModifying('beforeTool', () => void seen.push('later stage'));
    registry.registerModifying('afterTool', () => void seen.push('afterTool'));
    registry.registerClaiming('toolPolicy', () => void seen.push('toolPolicy'));
    await agent.run('go');
    expect([seen, ran]).toEqual([[], []]);
    expect(ends[0]).toMatchObject({
      outcome: 'denied',
      result: { output: "refused by 'no': not today", isError: true },
    });
    expect(ends[0]!.record).toMatchObject({
      by: 'no',
      reason: 'not today',
      digest: undefined,
      decision: undefined,
      verdicts: [],
    });
  });

  it('can be answered by a stage once the guards have agreed, and the record says who answered', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched([call('echo'), 'ok'], [say]);
    registry.registerModifying(
      'beforeTool',
      () => ({ args: { text: 'b' }, result: { output: 'cached', isError: false } }),
      { id: 'cache' },
    );
    registry.registerModifying('afterTool', ({ result }) => ({ result: { ...result, output: `${result.output}!` } }));
    await agent.run('go');
    expect(ran).toEqual([]);
    expect(ends[0]).toMatchObject({ outcome: 'ok', result: { output: 'cached!' } });
    expect(ends[0]!.record).toMatchObject({ by: 'cache', decision: 'clear', verdicts: [{ verdict: 'pass' }] });
  });

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

  it.each<[string, Tool['execute'], RegExp, boolean]>([
    ['a text', () => 'plain', /^plain$/, false],
    ['a promise of a result', async () => ({ output: 'later', isError: true }), /^later$/, true],
    [
      'a throw',
      () => {
        throw new Error('boom');
      },
      /'t' failed: boom/,
      true,
    ],
    ['a rejection', () => Promise.reject(new Error('bang')), /'t' failed: bang/, true],
    ['nothing', (() => undefined) as never, /answered undefined: a result is a text/, true],
    ['a number', (() => 5) as never, /answered number/, true],
    ['a result without isError', (() => ({ output: 'x' })) as never, /'isError' is neither/, true],
    [
      'metadata that is no JSON',
      (() => ({ output: 'x', isError: false, metadata: { f: () => 1 } })) as never,
      /no plain JSON|not plain JSON/,
      true,
    ],
  ])('whose body answers with %s has one result', async (_, execute, output, isError) => {
    const { agent, ends } = watched([call('t'), 'ok'], [tool('t', execute)]);
    const { toolCalls } = await agent.run('go');
    expect(toolCalls).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({
      isError,
      output: expect.stringMatching(output),
      outcome: isError ? 'error' : 'ok',
    });
    expect(ends).toHaveLength(1);
  });

  it('lets nothing of its raw result out before every stage of afterTool has settled', async () => {
    const gate = deferred();
    const { agent, registry, model, ends } = watched([call('t'), 'ok'], [tool('t', () => 'password: hunter2')]);
    const told: unknown[] = [];
    registry.events.on('fired', ({ hook, payload }) => {
      if (hook !== 'afterTool') told.push(payload);
    });
    registry.registerModifying('afterTool', async ({ result }) => {
      await gate.promise;
      return { result: { ...result, output: result.output.replace('hunter2', '***') } };
    });
    const stream = agent.stream('go');
    const events: unknown[] = [];
    const all = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await settle();
    expect(JSON.stringify([told, events, ends])).not.toContain('password');
    gate.resolve();
    await all;
    expect(JSON.stringify([told, events, ends, model.calls])).not.toContain('hunter2');
    expect(JSON.stringify(events)).toContain('password: ***');
    expect(ends[0]!.result.output).toBe('password: ***');
  });

  // https://github.com/earendil-works/pi/issues/3084
  it('whose result a gate of afterTool cannot amend gets an error in its place; its siblings are not touched', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched(
      [calls(...Array.from({ length: 13 }, (_, at) => ({ name: 'echo', args: { text: `secret ${at}` } }))), 'ok'],
      [say],
    );
    registry.registerModifying(
      'afterTool',
      ({ batch }) => {
        if (batch.index === 3) throw new Error('cannot redact secret 3');
        return undefined;
      },
      { id: 'redact', onError: 'abort' },
    );
    const { toolCalls, messages } = await agent.run('go');
    expect(ran).toHaveLength(13);
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 13 }, (_, at) => (at === 3 ? 'error' : 'ok')),
    );
    expect(toolCalls[3]!.output).toBe(
      "the hook 'redact' failed on afterTool: the tool has run, its result is withheld",
    );
    expect(JSON.stringify([ends[3]!.result, messages[2]!.content[3]])).not.toContain('secret 3');
    expect(ends[3]!.record).toMatchObject({ by: 'redact', decision: 'clear' });
    expect(messages[2]!.content).toHaveLength(13);
  });

  it('that a gate of beforeTool cannot amend is not run; its siblings are', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, ends } = watched([calls('echo', 'echo'), 'ok'], [say]);
    registry.registerModifying(
      'beforeTool',
      ({ batch }) => {
        if (batch.index === 0) throw new Error('x');
      },
      { id: 'gate', onError: 'abort' },
    );
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
    expect(ran).toHaveLength(1);
    expect(ends[0]).toMatchObject({
      outcome: 'error',
      result: { output: "the hook 'gate' failed on beforeTool: the call was not run" },
      record: { by: 'gate', decision: undefined },
    });
  });

  it('cannot be given a result that is none: the stage is refused by name, the body runs', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry } = watched([call('echo'), 'ok'], [say]);
    const refused: string[] = [];
    registry.events.on('amendmentRefused', ({ by, error }) => refused.push(`${by.hook} ${by.id} ${error.message}`));
    registry.registerModifying('beforeTool', (() => ({ result: { output: 1 } })) as never, { id: 'bad' });
    registry.registerModifying('afterTool', (() => ({ result: { output: 'x' } })) as never, { id: 'worse' });
    const { toolCalls } = await agent.run('go');
    expect(ran).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({ outcome: 'ok', output: 'said hi' });
    expect(refused).toEqual([
      expect.stringMatching(/^beforeTool bad .*output/),
      expect.stringMatching(/^afterTool worse .*isError/),
    ]);
  });

  // https://github.com/anthropics/claude-code/issues/64237
  it('that fails costs its siblings nothing', async () => {
    const { agent } = watched(
      [calls({ name: 'a', args: {} }, { name: 'b', args: {} }, { name: 'c', args: {} }), 'ok'],
      [
        tool('a', () => 'A'),
        tool('b', () => {
          throw new Error('B');
        }),
        tool('c', () => 'C'),
      ],
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'error', 'ok']);
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

  it('has a result cut in the middle that is too long for the model, and says so; observers get the whole', async () => {
    const { agent, model, ends } = watched(
      [calls({ name: 'long', args: {} }, { name: 'short', args: {} }, { name: 'long', args: {} }), 'ok'],
      [tool('long', () => `begin ${'x'.repeat(200_000)} end`), tool('short', () => 'short')],
    );
    await agent.run('go');
    const parts = model.calls[1]!.prompt.at(-1)!.content as { output: { value: string } }[];
    const [first, second, third] = parts.map(({ output }) => output.value);
    expect(first).toMatch(/^begin x+\n\[… \d+ characters cut from the middle of this result …\]\nx+ end$/);
    expect(second).toBe('short');
    expect(third!.length).toBeGreaterThan(first!.length);
    expect(first!.length + second!.length + third!.length).toBeLessThanOrEqual(80_000);
    expect(ends[0]!.result.output).toHaveLength(200_010);
  });

  it('gets a signal, its own id and where it comes from', async () => {
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
    expect(ctx).toEqual({ signal: expect.any(AbortSignal), callId: ends[0]!.callId, origin: ends[0]!.origin });
    expect(ends[0]!.callId).toMatch(/^call_/);
  });

  it('ends the run behind its result when a guard says halt', async () => {
    const { tool: say, ran } = echo();
    const { agent, registry, model } = watched([calls('echo', 'echo', 'echo'), 'never'], [say]);
    registry.registerClaiming(
      'toolPolicy',
      ({ batch }) => (batch.index === 1 ? { deny: 'stop it', halt: true } : undefined),
      { id: 'brake' },
    );
    const { status, reason, toolCalls } = await agent.run('go');
    expect({ status, reason }).toEqual({ status: 'vetoed', reason: { text: 'stop it', by: 'brake' } });
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
