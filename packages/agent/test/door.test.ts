import { describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type SealedToolCall, type Tool, type ToolEnd } from '@treblehook/types';
import { z } from 'zod';
import { createAgent } from '../src/index.js';
import { Clearance } from '../src/clearance.js';
import { RegisteredTool } from '../src/registered-tool.js';
import { seal } from '../src/seal.js';
import { deferred, scriptedModel } from '../src/testing/index.js';
import { call, calls, echo, kit } from './kit.js';

/** Everything that can be reached from a value, prototypes aside. */
function reachable(from: unknown, seen = new Set<unknown>()): Set<unknown> {
  if ((typeof from !== 'object' && typeof from !== 'function') || from === null || seen.has(from)) return seen;
  seen.add(from);
  for (const key of Reflect.ownKeys(from)) {
    const own = Object.getOwnPropertyDescriptor(from, key);
    if (own !== undefined && 'value' in own) reachable(own.value, seen);
  }
  return seen;
}

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

  it('denies an ask, and says that nobody can be asked', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'sorry'], { tools: [tool] });
    const ends: ToolEnd[] = [];
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may I?', rule: 'careful' }), { id: 'asker' });
    registry.registerVoid('toolEnd', (end) => void ends.push(end as ToolEnd));
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({
      outcome: 'denied',
      output: expect.stringMatching(/may I\?.*nobody can be asked/),
    });
    expect(ends[0]!.record).toMatchObject({
      decision: 'ask',
      outcome: 'denied',
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
    registry.registerVoid('toolEnd', (end) => void ends.push(end as ToolEnd));
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
    registry.registerClaiming('toolPolicy', (sealed) => void asked.push(sealed as SealedToolCall));
    await agent.run('go');
    expect(ran[0]).toBe(asked[0]!.args);
    expect(asked[0]!.args).toEqual({ text: 'b' });
    expect(asked[0]!.tool).toMatchObject({ source: 'host', name: 'echo' });
    expect(asked[0]!.digest).toBe(seal(asked[0]!.tool, { text: 'b' }).digest);
  });

  // https://github.com/SchneiderDaniel/cheasee-pi/issues/780
  it('lets nobody change the arguments behind the seal', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo', { text: 'a' }), 'ok'], { tools: [tool] });
    const kept: { text: string }[] = [];
    const mine = { text: 'a' };
    registry.events.on('handlerFailed', () => {});
    registry.registerModifying('beforeTool', ({ args }) => {
      kept.push(args as { text: string });
      return { args: mine };
    });
    registry.registerClaiming('toolPolicy', ({ args }) => {
      mine.text = 'evil';
      for (const one of [...kept, args as { text: string }]) {
        expect(() => {
          one.text = 'evil';
        }).toThrow(TypeError);
      }
      return undefined;
    });
    await agent.run('go');
    expect(ran).toEqual([{ text: 'a' }]);
  });

  it('hands out no way to a body: on no payload, in no event, in no description', async () => {
    const { tool } = echo();
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
    const given: unknown[] = [];
    registry.events.on('fired', (event) => given.push(event));
    const { messages, toolCalls } = await agent.run('go');
    for (const value of reachable([given, messages, toolCalls, agent.describe()])) {
      expect(value).not.toBe(tool.execute);
      expect(value).not.toBe(tool);
      expect(value).not.toBeInstanceOf(RegisteredTool);
      expect(value).not.toBeInstanceOf(Clearance);
      expect(Object.keys(value as object)).not.toContain('execute');
    }
  });

  it('knows its tools as they were registered: swapping them in the array or on the object changes nothing', async () => {
    const { tool, ran } = echo();
    const evil: string[] = [];
    const tools: Tool[] = [tool];
    const { agent, registry } = kit([call('echo'), call('echo', { text: 1 }), 'ok'], { tools });
    registry.registerClaiming('toolPolicy', () => {
      const swapped = tool as { -readonly [K in keyof Tool]: Tool[K] };
      tools[0] = { ...tool, execute: () => void evil.push('array') as never };
      swapped.execute = () => void evil.push('object') as never;
      swapped.input = z.any() as never;
      swapped.name = 'other';
      return undefined;
    });
    const { toolCalls } = await agent.run('go');
    expect(evil).toEqual([]);
    expect(ran).toHaveLength(1);
    expect(toolCalls[1]).toMatchObject({ outcome: 'error', output: expect.stringMatching(/do not fit its schema/) });
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
    registry.registerVoid('toolEnd', (end) => void ends.push(end as ToolEnd));
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([]);
    expect(amended).toBe(0);
    expect(toolCalls[0]!.outcome).toBe('denied');
    expect(JSON.stringify([toolCalls, ends])).not.toContain('cached secret');
  });

  it('asks again when the guards have changed between their answer and the body', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
    let asked = 0;
    registry.registerClaiming('toolPolicy', () => {
      if (++asked === 1) registry.registerClaiming('toolPolicy', () => ({ deny: 'as of now' }), { id: 'late' });
      return undefined;
    });
    const { toolCalls } = await agent.run('go');
    expect(asked).toBe(2);
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied', output: "denied by 'late': as of now" });
  });

  it('never runs a body once a guard that denies it is there, in whichever tick it comes', async () => {
    const outcomes = new Set<string>();
    for (let tick = 0; tick < 25; tick++) {
      const order: string[] = [];
      const answer = deferred();
      const { tool } = echo();
      const watched: Tool = { ...tool, execute: () => (order.push('ran'), 'ran') };
      const { agent, registry } = kit([call('echo'), 'ok'], { tools: [watched] });
      let asked = 0;
      registry.registerClaiming('toolPolicy', () => (asked++ === 0 ? answer.promise : undefined));
      void answer.promise.then(async () => {
        for (let at = 0; at < tick; at++) await Promise.resolve();
        order.push('registered');
        registry.registerClaiming('toolPolicy', () => ({ deny: 'just in time' }), { id: 'late' });
      });
      setImmediate(() => answer.resolve());
      const { toolCalls } = await agent.run('go');
      outcomes.add(toolCalls[0]!.outcome);
      expect(order.join(), `tick ${tick}`).toBe(toolCalls[0]!.outcome === 'ok' ? 'ran,registered' : 'registered');
    }
    expect([...outcomes].toSorted()).toEqual(['denied', 'ok']);
  });

  it('gives up on guards that change each time they are asked', async () => {
    const { tool, ran } = echo();
    const registry = createHookRegistry(agentHooks);
    let asked = 0;
    const register = (): void => {
      registry.replace('shifty', (own) => {
        own.registerClaiming('toolPolicy', () => {
          if (asked++ < 50) register();
          return undefined;
        });
      });
    };
    register();
    const { agent } = kit([call('echo'), 'ok'], {
      registry,
      tools: [tool],
      personality: { id: 'p', plugins: ['shifty'] },
    });
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([]);
    expect(asked).toBe(3);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied', output: expect.stringMatching(/changed each time/) });
  });

  it('denies when the last guard has gone since the run began', async () => {
    const { tool, ran } = echo();
    const registry = createHookRegistry(agentHooks);
    const off = registry.registerClaiming('toolPolicy', () => undefined);
    registry.registerModifying('beforeTool', () => {
      off();
    });
    const { toolCalls } = await kit([call('echo'), 'ok'], { registry, tools: [tool] }).agent.run('go');
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied', output: 'denied: no guard was asked' });
  });

  it.each(['before the guards are asked', 'by a guard', 'behind the guards'])(
    "stays shut when 'then' is put on Object.prototype %s",
    async (when) => {
      const { tool, ran } = echo();
      const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
      const stolen: unknown[] = [];
      const proto = Object.prototype as { then?: unknown };
      const pollute = (): void => {
        // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
        Object.defineProperty(proto, 'then', {
          configurable: true,
          value(this: unknown, resolve: (value: unknown) => void) {
            stolen.push(this);
            resolve({ decision: 'clear', handled: false, verdicts: [1], asks: [], generation: 0 });
          },
        });
      };
      const clean = (): void => void delete proto.then;
      if (when === 'before the guards are asked')
        registry.registerModifying('beforeTool', () => {
          pollute();
        });
      registry.registerClaiming('toolPolicy', () => {
        if (when === 'by a guard') pollute();
        if (when === 'behind the guards') return { deny: 'no' };
        return undefined;
      });
      if (when === 'behind the guards') registry.registerClaiming('toolPolicy', () => undefined);
      if (when === 'behind the guards') registry.events.on('denied', pollute);
      registry.registerVoid('toolEnd', clean);
      try {
        await agent.run('go').catch(() => undefined);
      } finally {
        clean();
      }
      expect(ran).toEqual([]);
      for (const value of reachable(stolen)) {
        expect(value).not.toBeInstanceOf(Clearance);
        expect(value).not.toBeInstanceOf(RegisteredTool);
      }
    },
  );

  it('opens to a clearance alone: of this tool, of these guards, once', () => {
    const { tool, ran } = echo();
    const registered = new RegisteredTool(tool, 'host');
    const other = new RegisteredTool(echo('other').tool, 'host');
    const sealed = seal(registered.identity, { text: 'x' });
    const verdict = { handled: false, decision: 'clear', asks: [], verdicts: [], generation: 7, ms: 0 } as const;
    const ctx = { signal: new AbortController().signal, callId: 'c', origin: {} as never };
    expect(Clearance.of(registered, sealed, verdict, false)).toBeUndefined();
    for (const decision of ['deny', 'ask'] as const) {
      expect(Clearance.of(registered, sealed, { ...verdict, decision, handled: true }, true)).toBeUndefined();
    }
    const clearance = Clearance.of(registered, sealed, verdict, true)!;
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
