import { runBody } from '../src/calls/execute.js';
import type { RunState } from '../src/run/run-state.js';
import type { ToolCall } from '../src/calls/tool-call.js';
import { describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type SealedToolCall, type ToolEnd } from '@treblehook/types';
import { z } from 'zod';
import { createAgent } from '../src/index.js';
import { Clearance } from '../src/door/clearance.js';
import { RegisteredTool } from '../src/door/registered-tool.js';
import { seal } from '../src/door/seal.js';
import { scriptedModel } from '../src/testing/index.js';
import { call, calls, echo, kit } from './kit.js';

describe('the door', () => {
  // https://github.com/anthropics/claude-code/issues/43407, https://github.com/anthropics/claude-code/issues/26923
  it('keeps a denied body from running, and gives the model one error result with the reason', async () => {
    const { tool, ran } = echo();
    const { agent, registry, model } = kit([call('echo'), 'sorry'], { tools: [tool] });
    registry.registerClaiming('toolPolicy', () => ({ deny: 'not in this house', rule: 'house' }), { id: 'strict' });
    const { toolCalls, status } = await agent.run('go');
    expect(status).toBe('done');
    expect(ran).toEqual([]);
    expect(toolCalls).toMatchObject([
      { outcome: 'denied', isError: true, output: expect.stringContaining('not in this house') },
    ]);
    const results = model.calls[1]!.prompt.filter(({ role }) => role === 'tool').flatMap(
      ({ content }) => content as readonly object[],
    );
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ toolCallId: 'wire-0-0', output: { type: 'error-text' } });
  });

  it('denies an ask where nobody ever answers, and says so', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'sorry'], { tools: [tool], onAsk: 'deny' });
    const ends: ToolEnd[] = [];
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may I?', rule: 'careful' }), { id: 'asker' });
    registry.registerVoid('toolEnd', (end) => void ends.push(end));
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({
      outcome: 'denied',
      output: expect.stringMatching(/may I\?.*nobody can be asked/),
    });
    expect(ends[0]!.record).toMatchObject({
      decision: 'ask',
      outcome: 'denied',
      by: 'asker',
      asks: [{ guard: 'asker', rule: 'careful', question: 'may I?' }],
    });
  });

  // https://github.com/openai/codex/issues/41979
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'error',
    ],
    ['answers nonsense', (() => ({ allow: true })) as never, 'invalid'],
    ['claims in the manner of a route', (() => ({ handled: true, decision: 'allow' })) as never, 'invalid'],
    ['never answers', () => new Promise<undefined>(() => {}), 'timeout'],
  ])('stays shut when a guard %s', async (_, guard, kind) => {
    const { tool, ran } = echo();
    const registry = createHookRegistry(agentHooks, { budgets: { toolPolicy: 25 } });
    registry.events.on('handlerFailed', () => {});
    registry.events.on('handlerTimedOut', () => {});
    registry.registerClaiming('toolPolicy', guard, { id: 'odd' });
    const ends: ToolEnd[] = [];
    registry.registerVoid('toolEnd', (end) => void ends.push(end));
    await kit([call('echo'), 'sorry'], { registry, tools: [tool] }).agent.run('go');
    expect(ran).toEqual([]);
    expect(ends[0]!.record).toMatchObject({
      decision: 'deny',
      outcome: 'denied',
      verdicts: [{ by: { id: 'odd' }, kind }],
    });
  });

  it('asks the guards about exactly what then runs: the rewritten call, with its digest', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo', { text: 'a' }), 'ok'], { tools: [tool] });
    const asked: SealedToolCall[] = [];
    registry.registerModifying('beforeTool', () => ({ args: { text: 'b' } }));
    registry.registerClaiming('toolPolicy', (sealed) => void asked.push(sealed));
    await agent.run('go');
    expect(ran[0]).toBe(asked[0]!.args);
    expect(asked[0]!.args).toEqual({ text: 'b' });
    expect(asked[0]!.tool).toMatchObject({ source: 'host', name: 'echo' });
    expect(asked[0]!.digest).toBe(seal(asked[0]!.tool, { text: 'b' }).digest);
  });

  it('takes no supplied result without a clearance either', async () => {
    const supplied = { output: 'cached', isError: false };
    const call = { supplied, clearance: undefined, tool: { name: 'echo' } } as unknown as ToolCall;
    await expect(runBody({} as RunState, call, 1)).rejects.toMatchObject({ code: 'TH_NOT_CLEARED' });
  });

  it('lets no supplied result past a denial', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
    const ends: ToolEnd[] = [];
    let amended = 0;
    registry.registerModifying('beforeTool', () => ({ result: { output: 'cached secret', isError: false } }), {
      id: 'cache',
    });
    registry.registerModifying('afterTool', () => {
      amended++;
      return { result: { output: 'cached secret', isError: false } };
    });
    registry.registerClaiming('toolPolicy', ({ supplied }) => (supplied ? { deny: 'no cached answers' } : undefined));
    registry.registerVoid('toolEnd', (end) => void ends.push(end));
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([]);
    expect(amended).toBe(0);
    expect(toolCalls[0]!.outcome).toBe('denied');
    expect(JSON.stringify([toolCalls, ends])).not.toContain('cached secret');
  });

  it('opens to a clearance alone: of this tool, of these guards, once', () => {
    const { tool, ran } = echo();
    const registered = new RegisteredTool(tool);
    const other = new RegisteredTool(echo('other').tool);
    const sealed = seal(registered.identity, { text: 'x' });
    const verdict = { handled: false, decision: 'clear', asks: [], verdicts: [], generation: 7, ms: 0 } as const;
    const ctx = {
      signal: new AbortController().signal,
      callId: 'c',
      origin: {} as never,
      callTool: () => Promise.reject(new Error('none')),
      fire: undefined as never,
    };
    expect(Clearance.of(registered, sealed, verdict, { isUnguarded: false, isGranted: () => false })).toBeUndefined();
    for (const decision of ['deny', 'ask'] as const) {
      expect(
        Clearance.of(
          registered,
          sealed,
          { ...verdict, decision, handled: true },
          { isUnguarded: true, isGranted: () => true },
        ),
      ).toBeUndefined();
    }
    const clearance = Clearance.of(registered, sealed, verdict, { isUnguarded: true, isGranted: () => false })!;
    const forged = Object.create(Clearance.prototype) as Clearance;
    for (const [given, of, generation] of [
      [forged, registered, 7],
      [Object.assign({}, clearance), registered, 7],
      [undefined as unknown as Clearance, registered, 7],
      [new Proxy(clearance, {}), registered, 7],
      [clearance, other, 7],
      [clearance, registered, 8],
    ] as const) {
      expect(() => of.run(given, generation, ctx)).toThrow(/may not run/);
    }
    expect(ran).toEqual([]);
    expect(registered.run(clearance, 7, ctx)).toBe('said x');
    expect(() => registered.run(clearance, 7, ctx)).toThrow(/was used before/);
    expect(Object.keys(clearance)).toEqual([]);
  });

  it('refuses to start with tools and no guard, unless it is said why', async () => {
    const registry = createHookRegistry(agentHooks);
    registry.forPlugin('acme').registerClaiming('toolPolicy', () => undefined);
    const { tool, ran } = echo();
    const model = scriptedModel([call('echo'), 'ok']);
    await expect(createAgent({ model, registry, tools: [tool] }).run('go')).rejects.toMatchObject({
      code: 'TH_NO_GUARD',
    });
    expect(model.calls).toHaveLength(0);
    const open = createAgent({ model, registry, tools: [tool], unguarded: 'a sandbox of its own' });
    expect(open.describe().unguarded).toBe('a sandbox of its own');
    expect(await open.run('go')).toMatchObject({ status: 'done' });
    expect(ran).toHaveLength(1);
    const none = createAgent({
      model: scriptedModel(['x']),
      registry,
      tools: [tool],
      personality: { id: 'p', tools: [] },
    });
    expect(await none.run('go')).toMatchObject({ status: 'done' });
  });

  it('runs only what the request has offered, and lists nothing else', async () => {
    const [a, b, c] = [echo('a'), echo('b'), echo('secret')];
    const { agent, registry, model } = kit([calls('a', 'b', 'secret', 'nothing'), 'ok'], {
      tools: [a.tool, b.tool, c.tool],
      personality: { id: 'p', tools: ['?', 'a', 'b*'] },
    });
    let guarded = 0;
    registry.registerClaiming('toolPolicy', () => void guarded++);
    registry.registerModifying('beforeLLM', ({ tools }) => ({ tools: tools.filter(({ name }) => name !== 'b') }));
    const { toolCalls } = await agent.run('go');
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual(['a']);
    expect([a.ran.length, b.ran.length, c.ran.length, guarded]).toEqual([1, 0, 0, 1]);
    for (const { outcome, output } of toolCalls.slice(1)) {
      expect(outcome).toBe('error');
      expect(output).toMatch(/^unknown-tool: .*: the tools are 'a'$/);
    }
  });

  // https://github.com/genai-io/gen-code/pull/187
  it('clears one call at a time: what was cleared once is asked about again', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([calls('echo', 'echo'), call('echo'), 'ok'], { tools: [tool] });
    let asked = 0;
    registry.registerClaiming('toolPolicy', () => (++asked > 1 ? { deny: 'enough' } : undefined));
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'denied', 'denied']);
    expect(ran).toHaveLength(1);
  });

  // https://github.com/openai/codex/issues/16732
  it('asks about every tool by its real name, also where the wire has another', async () => {
    const names = ['plain', 'mcp:files/read text', 'mcp:files/read_text', 'ж'.repeat(40)];
    const tools = names.map((name) => defineTool({ name, description: '', input: z.object({}), execute: () => name }));
    const { agent, registry, model } = kit(
      [({ tools: offered = [] }) => ({ calls: offered.map(({ name }) => ({ name })) }), 'ok'],
      { tools },
    );
    const asked: string[] = [];
    registry.registerClaiming('toolPolicy', ({ tool }) => void asked.push(tool.name));
    const { toolCalls } = await agent.run('go');
    expect(asked).toEqual(names);
    expect(toolCalls.map(({ output }) => output)).toEqual(names);
    const onWire = model.calls[0]!.tools!.map(({ name }) => name);
    expect(new Set(onWire).size).toBe(names.length);
    for (const name of onWire) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const again = model.calls[1]!.prompt.flatMap(({ content }) => content as { toolName?: string }[]).map(
      ({ toolName }) => toolName,
    );
    expect(again.filter(Boolean)).toEqual([...onWire, ...onWire]);
  });
});
