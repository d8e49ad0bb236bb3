// What was seen as ways round an answer, a grant, a group or a log; each line says how.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, pending, type Tool, type ToolContext } from '@treblehook/types';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../src/index.js';
import { deferred, manualClock } from '../src/testing/index.js';
import { call, calls, collect, echo, kit, registryWithGuard, settle } from './kit.js';

const attacked: [object, PropertyKey][] = [];
function put(target: object, key: PropertyKey, value: unknown): void {
  attacked.push([target, key]);
  Object.defineProperty(target, key, { value, configurable: true, writable: true });
}
afterEach(() => {
  for (const [target, key] of attacked.splice(0)) Reflect.deleteProperty(target, key);
});

const asking = (registry = registryWithGuard()) => {
  registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?', rule: 'r' }), { id: 'asker' });
  return registry;
};
const outer = (body: (ctx: ToolContext) => unknown): Tool =>
  defineTool({
    name: 'outer',
    description: 'o',
    input: z.object({}),
    execute: async (_, ctx) => (await body(ctx)) as string,
  });

describe.each([
  ['args', { text: 'rm' }],
  ['remember', { for: 'session', args: 'any' }],
  ['data', { args: { text: 'rm' } }],
])("'%s' on Object.prototype", (key, value) => {
  it.each(['in hand', 'resumed'])(
    'is no part of a plain yes: the call runs as it was shown, once (%s)',
    async (how) => {
      const { tool, ran } = echo();
      const answerer = {
        answer: ({ id }: { readonly id: string }) => {
          put(Object.prototype, key, value);
          return { id, ok: true };
        },
      };
      const extra = how === 'in hand' ? { answerer } : {};
      const session = kit([call('echo'), 'ok'], { registry: asking(), tools: [tool], ...extra }).agent.session();
      const { pending: requests } = await session.run('go');
      if (how === 'resumed') {
        put(Object.prototype, key, value);
        await session.resume({ id: requests![0]!.id, ok: true });
      }
      expect(ran).toEqual([{ text: 'hi' }]);
      expect(session.grants()).toEqual([]);
    },
  );
});

it('a rule on Object.prototype is the rule of no question: each that names none is put for itself', async () => {
  const registry = registryWithGuard();
  let fires = 0;
  registry.registerClaiming('toolPolicy', () => ({ ask: fires++ === 0 ? 'read it?' : 'delete it?' }), { id: 'asker' });
  const shown: string[] = [];
  const answerer = {
    answer: ({ id, prompt }: { readonly id: string; readonly prompt: string }) => {
      shown.push(prompt);
      put(Object.prototype, 'rule', 'evil');
      return { id, ok: shown.length === 1 };
    },
  };
  put(Object.prototype, 'rule', 'evil');
  const { tool, ran } = echo();
  await kit([call('echo'), 'ok'], { registry, tools: [tool], answerer }).agent.run('go');
  expect([shown, ran]).toEqual([['echo: read it?', 'echo: delete it?'], []]);
});

describe('a call that waits', () => {
  it('keeps the result that a stage supplied: the body does not run behind the answer', async () => {
    const store = memoryStore();
    const seen: boolean[] = [];
    const registry = registryWithGuard();
    registry.registerModifying('beforeTool', () => ({ result: { output: 'DRY RUN', isError: false } }), { id: 'dry' });
    registry.registerClaiming(
      'toolPolicy',
      ({ supplied }) => {
        seen.push(supplied);
        return { ask: 'sure?' };
      },
      { id: 'asker' },
    );
    const { tool, ran } = echo();
    const { agent } = kit([call('echo'), 'ok'], { registry, tools: [tool], store });
    const { pending: requests } = await agent.session('s').run('go');
    const other = registryWithGuard();
    other.registerClaiming(
      'toolPolicy',
      ({ supplied }) => {
        seen.push(supplied);
        return { ask: 'sure?' };
      },
      { id: 'asker' },
    );
    const second = kit(['ok'], { registry: other, tools: [tool], store });
    const { toolCalls } = await second.agent.resume('s', { id: requests![0]!.id, ok: true });
    expect([ran, seen, toolCalls[0]!.output]).toEqual([[], [true, true], 'DRY RUN']);
  });

  it('with edited arguments runs on them: a result that was supplied for the others is void', async () => {
    const registry = asking();
    registry.registerModifying('beforeTool', () => ({ result: { output: 'cached for hi', isError: false } }));
    const { tool, ran } = echo();
    const session = kit([call('echo'), 'ok'], { registry, tools: [tool] }).agent.session();
    const { pending: requests } = await session.run('go');
    await session.resume({ id: requests![0]!.id, ok: true, data: { args: { text: 'edited' } } });
    expect(ran).toEqual([{ text: 'edited' }]);
  });

  it('is not answered by a `then` that a plugin leaves on a shared prototype', async () => {
    for (const target of [Object.prototype, Array.prototype, Function.prototype]) {
      const { tool, ran } = echo();
      const registry = asking();
      const made = kit([call('echo'), 'ok'], { registry, tools: [tool] });
      const session = made.agent.session();
      const { pending: requests } = await session.run('go');
      const forged = { seq: 99, at: 0, record: { type: 'answered', answer: { id: requests![0]!.id, ok: true } } };
      put(target, 'then', function then(this: unknown, resolve: (value: unknown) => void) {
        Reflect.deleteProperty(target, 'then');
        resolve(
          Array.isArray(this)
            ? [...(this as unknown[]), forged]
            : { state: 'taken', answer: { id: requests![0]!.id, ok: true } },
        );
      });
      await session.resume({ id: requests![0]!.id, ok: false }).catch(() => undefined);
      Reflect.deleteProperty(target, 'then');
      await session.resume().catch(() => undefined);
      expect(ran).toEqual([]);
    }
  });

  it('ends in an error, and hangs nobody, while a `then` stays there', async () => {
    for (const target of [Object.prototype, Array.prototype, Function.prototype]) {
      for (const point of ['afterLLM', 'toolEnd', 'agentDone'] as const) {
        const registry = registryWithGuard();
        registry.registerVoid(point, () => put(target, 'then', () => {}));
        const { agent } = kit([call('echo'), 'ok'], { registry, tools: [echo().tool] });
        const run = agent.run('go').then(
          ({ status }) => status,
          () => 'rejected',
        );
        const late = new Promise((resolve) => setTimeout(resolve, 2_000, 'hangs'));
        expect(await Promise.race([run, late]), point).not.toBe('hangs');
        Reflect.deleteProperty(target, 'then');
      }
    }
  });

  it('is shown frozen: who reads the event changes neither what the answerer sees nor what is granted', async () => {
    const registry = registryWithGuard();
    let fires = 0;
    registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?', rule: fires++ === 0 ? 'small' : 'big' }), {
      id: 'g',
    });
    const shown: unknown[] = [];
    const { tool, ran } = echo();
    const { agent } = kit([call('echo'), 'ok'], {
      registry,
      tools: [tool],
      answerer: {
        answer: ({ id, data }) => {
          shown.push(data);
          return shown.length === 1 ? { id, ok: true } : { id, ok: false };
        },
      },
    });
    const stream = agent.stream('go');
    for await (const event of stream) {
      if (event.type !== 'request') continue;
      const { asks } = event.request.data as { asks: unknown[] };
      expect(() => asks.push({ guard: 'g', rule: 'big', question: '' })).toThrow(TypeError);
    }
    expect([ran.length, shown.length]).toEqual([0, 2]);
  });

  it('is declined when it expires, also while somebody is asked', async () => {
    const clock = manualClock(0);
    const wait = defineTool({
      name: 'wait',
      description: 'w',
      input: z.object({}),
      execute: (_, { answer }) =>
        answer === undefined
          ? pending({ kind: 'k', prompt: 'p', expiresAt: clock.date() + 50 })
          : `answered ${answer.ok}: ${answer.reason}`,
    });
    const { agent } = kit([call('wait', {}), 'ok'], {
      tools: [wait],
      clock,
      answerer: { answer: () => new Promise(() => {}) },
    });
    const run = agent.run('go');
    await settle();
    clock.advance(50);
    expect((await run).toolCalls[0]!.output).toBe('answered false: it has expired');
    expect(clock.pending()).toBe(0);
  });

  it('of a host that never answers is a denial, whoever asks', async () => {
    const wait = defineTool({
      name: 'wait',
      description: 'w',
      input: z.object({}),
      execute: () => pending({ kind: 'k', prompt: 'p' }),
    });
    const { agent } = kit([call('wait', {}), 'ok'], { tools: [wait], onAsk: 'deny' });
    expect((await agent.run('go')).toolCalls[0]).toMatchObject({ outcome: 'denied' });
  });

  it.each(['the same session', 'another process'])('rests in %s on no grant that is revoked', async (where) => {
    const { tool, ran } = echo();
    const store = memoryStore();
    let isSecondThere = false;
    const made = (...answers: Parameters<typeof kit>[0]) => {
      const registry = registryWithGuard();
      registry.registerClaiming('toolPolicy', () => ({ ask: 'A?', rule: 'a' }), { id: 'ga' });
      registry.registerClaiming('toolPolicy', () => (isSecondThere ? { ask: 'B?', rule: 'b' } : undefined), {
        id: 'gb',
      });
      return kit(answers, { registry, tools: [tool], store }).agent;
    };
    const session = made(call('echo'), 'ok').session('s');
    const first = await session.run('go');
    isSecondThere = true;
    const second = await session.resume({
      id: first.pending![0]!.id,
      ok: true,
      data: { remember: { for: 'session' } },
    });
    await session.revoke(session.grants()[0]!.id);
    const answer = { id: second.pending![0]!.id, ok: true };
    const third = await (where === 'the same session' ? session.resume(answer) : made('ok').resume('s', answer));
    // it was put twice by then, so it is not put again
    expect([third.status, third.toolCalls[0]!.outcome, ran]).toEqual(['done', 'denied', []]);
  });

  it.each([
    ['another question', { ask: 'delete production?', rule: 'r' }],
    ['another rule', { ask: 'read it?', rule: 'delete' }],
    ['no rule', { ask: 'read it?' }],
  ])('has no yes for a guard with %s where one without an id stood', async (_, other) => {
    const { tool, ran } = echo();
    const store = memoryStore();
    const asks = (said: { ask: string; rule?: string }) => {
      const registry = createHookRegistry(agentHooks);
      registry.registerClaiming('toolPolicy', () => said);
      return registry;
    };
    const first = kit([call('echo')], {
      registry: asks({ ask: 'read it?', rule: 'r' }),
      tools: [tool],
      store,
    }).agent.session('s');
    const { pending: requests } = await first.run('go');
    const second = kit(['ok'], { registry: asks(other), tools: [tool], store }).agent;
    const { status, pending: anew } = await second.resume('s', { id: requests![0]!.id, ok: true });
    expect([status, ran]).toEqual(['pending', []]);
    expect(anew).toMatchObject([{ prompt: expect.stringContaining(other.ask) as string }]);
  });

  it('of a stage runs on no other arguments than the answer has edited', async () => {
    const { tool, ran } = echo();
    const registry = registryWithGuard();
    registry.registerModifying('beforeTool', () => ({ result: pending({ kind: 'approval', prompt: 'p' }) }));
    const session = kit([call('echo'), 'ok'], { registry, tools: [tool] }).agent.session();
    const { pending: requests } = await session.run('go');
    const { toolCalls } = await session.resume({
      id: requests![0]!.id,
      ok: true,
      data: { args: { text: 'edited' } },
    });
    expect([toolCalls[0]!.outcome, ran]).toEqual(['denied', []]);
  });

  it('goes on as the personality that it was', async () => {
    const store = memoryStore();
    const first = kit([call('echo')], {
      registry: asking(),
      tools: [echo().tool],
      store,
      personality: { id: 'junior' },
    });
    const { pending: requests } = await first.agent.session('s').run('go');
    const { tool, ran } = echo();
    const second = kit(['ok'], { registry: registryWithGuard(), tools: [tool], store, personality: { id: 'admin' } });
    await expect(second.agent.resume('s', { id: requests![0]!.id, ok: true })).rejects.toThrow(
      /the session 's' .* of the personality 'junior'/,
    );
    expect(ran).toEqual([]);
  });

  it('is given up by an input that is taken, and by none that is rejected', async () => {
    const registry = asking();
    registry.registerModifying('beforeInput', ({ text }) => (text === 'bad' ? { reject: 'no' } : undefined));
    const { tool, ran } = echo();
    const session = kit([call('echo'), 'ok'], { registry, tools: [tool] }).agent.session();
    const { pending: requests } = await session.run('go');
    expect(await session.run('bad')).toMatchObject({ status: 'vetoed' });
    expect(session.messages()).toEqual([]);
    expect(await session.resume({ id: requests![0]!.id, ok: true })).toMatchObject({ status: 'done' });
    expect(ran).toHaveLength(1);
  });

  it('does not outlive a sibling that ends the run: it is cancelled', async () => {
    const { tool } = echo();
    const safe: Tool = { ...tool, concurrency: 'safe' };
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ batch }) =>
      batch.index === 0 ? { ask: 'sure?' } : { deny: 'stop', halt: true },
    );
    const result = await kit([calls('echo', 'echo'), 'never'], { registry, tools: [safe] }).agent.run('go');
    expect(result).toMatchObject({ status: 'vetoed' });
    expect(result.toolCalls.map(({ outcome }) => outcome).toSorted()).toEqual(['cancelled', 'denied']);
  });

  it('keeps what it has cost and used over the wait', async () => {
    const clock = manualClock(0);
    const { tool } = echo();
    const made = kit([call('echo'), call('echo'), call('echo'), 'never'], {
      registry: asking(),
      tools: [tool],
      clock,
      prices: { scripted: { input: 100_000, output: 0 } }, // 10 tokens in: 1 a call
      limits: { cost: 1.5, wallMs: 1_000 },
    });
    const session = made.agent.session();
    let result = await session.run('go');
    let rounds = 0;
    while (result.status === 'pending' && rounds++ < 5)
      result = await session.resume({ id: result.pending![0]!.id, ok: true });
    expect(result).toMatchObject({ status: 'incomplete', limit: 'cost', turns: 2 });
    // time of its own that was used before the wait counts
    const slow = kit(
      [
        () => {
          clock.advance(900);
          return call('echo');
        },
        'ok',
      ],
      { registry: asking(), tools: [tool], clock, limits: { wallMs: 1_000 } },
    );
    const other = slow.agent.session();
    const { pending: requests } = await other.run('go');
    clock.advance(10_000);
    slow.registry.registerVoid('toolEnd', () => clock.advance(101));
    expect(await other.resume({ id: requests![0]!.id, ok: true })).toMatchObject({
      status: 'incomplete',
      limit: 'wallMs',
    });
  });
});

describe('a grant', () => {
  it('is of no guard without a name: the next one of its number asks for itself', async () => {
    const store = memoryStore();
    const remember = {
      answer: ({ id }: { id: string }) => ({ id, ok: true, data: { remember: { for: 'session', args: 'any' } } }),
    };
    const run = async (question: string): Promise<number> => {
      const registry = registryWithGuard();
      registry.registerClaiming('toolPolicy', () => ({ ask: question }));
      let asked = 0;
      const answerer = { answer: (request: { id: string }) => (asked++, remember.answer(request)) };
      await kit([call('echo'), 'ok'], { registry, tools: [echo().tool], store, answerer })
        .agent.session('s')
        .run('go');
      return asked;
    };
    expect([await run('small?'), await run('everything?')]).toEqual([1, 1]);
  });

  it('of one guard is none of another, whatever stands on a prototype', async () => {
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', () => ({ ask: 'a?', rule: 'a' }), { id: 'a' });
    registry.registerClaiming(
      'toolPolicy',
      ({ origin }) => (origin.turn === 0 ? undefined : { ask: 'b?', rule: 'b' }),
      { id: 'b' },
    );
    const asked: unknown[] = [];
    const { agent } = kit([call('echo'), call('echo'), 'ok'], {
      registry,
      tools: [echo().tool],
      answerer: {
        answer: ({ id, data }) => {
          asked.push((data as { asks: { guard: string }[] }).asks.map(({ guard }) => guard));
          put(Array.prototype, 'toJSON', () => 'x');
          return { id, ok: true, data: { remember: { for: 'session', args: 'any' } } };
        },
      },
    });
    await agent.run('go');
    Reflect.deleteProperty(Array.prototype, 'toJSON');
    expect(asked).toEqual([['a'], ['b']]);
  });

  it('that is revoked while the guards are asked counts no more: the call is put again', async () => {
    const registry = registryWithGuard();
    let asked = 0;
    const { tool, ran } = echo();
    const { agent } = kit([call('echo', { text: '1' }), call('echo', { text: '2' }), 'ok'], {
      registry,
      tools: [tool],
      answerer: {
        answer: ({ id }) => {
          asked++;
          return { id, ok: true, data: { remember: { for: 'session', args: 'any' } } };
        },
      },
    });
    const session = agent.session();
    registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?', rule: 'r' }), { id: 'asker' });
    // behind the guards, in front of the body: the generation is another one, so they are asked again
    registry.registerVoid('llmRequest', ({ origin }) => {
      if (origin.turn !== 1) return;
      const off = registry.registerClaiming('toolPolicy', async () => {
        off();
        await session.revoke(session.grants()[0]!.id);
      });
    });
    await session.run('go');
    expect([asked, ran.length]).toEqual([2, 2]);
  });

  it('that could not be taken back can be taken back again', async () => {
    const inner = memoryStore();
    let isDown = false;
    const store = {
      ...inner,
      append: ((lease, records) => {
        if (isDown) throw new Error('disk full');
        return inner.append(lease, records);
      }) as typeof inner.append,
    };
    const { agent } = kit([call('echo'), 'ok'], {
      registry: asking(),
      tools: [echo().tool],
      store,
      answerer: { answer: ({ id }) => ({ id, ok: true, data: { remember: { for: 'session' } } }) },
    });
    const session = agent.session('s');
    await session.run('go');
    const [grant] = session.grants();
    isDown = true;
    await expect(session.revoke(grant!.id)).rejects.toThrow('disk full');
    expect(session.grants()).toHaveLength(1);
    isDown = false;
    await session.revoke(grant!.id);
    expect((await store.read('s')).at(-1)!.record).toMatchObject({ type: 'revoked' });
  });
});

describe('a group', () => {
  it('whose first call becomes exclusive runs that call alone', async () => {
    const log: string[] = [];
    const work = defineTool({
      name: 'work',
      description: 'w',
      input: z.object({ mode: z.string() }),
      concurrency: ({ mode }) => (mode === 'r' ? 'safe' : 'exclusive'),
      async execute({ mode }) {
        log.push(`start ${mode}`);
        await settle();
        log.push(`end ${mode}`);
        return mode;
      },
    });
    const registry = registryWithGuard();
    registry.registerModifying('beforeTool', ({ batch }) => (batch.index === 0 ? { args: { mode: 'w' } } : undefined));
    registry.registerClaiming('toolPolicy', ({ batch }) => void log.push(`guard ${batch.index}`));
    const step = calls({ name: 'work', args: { mode: 'r' } }, { name: 'work', args: { mode: 'r' } });
    await kit([step, 'ok'], { registry, tools: [work] }).agent.run('go');
    expect(log).toEqual(['guard 0', 'start w', 'end w', 'guard 1', 'start r', 'end r']);
  });
});

describe('a call that a body makes', () => {
  it('and does not await is over before the body is: nothing of it reaches the next run', async () => {
    const store = memoryStore();
    const hold = deferred<string>();
    const slow = defineTool({ name: 'slow', description: 's', input: z.object({}), execute: () => hold.promise });
    const forgetful = outer((ctx) => {
      void ctx.callTool('slow', {});
      return 'ok';
    });
    const { agent } = kit([call('outer', {}), 'one', 'two'], { tools: [slow, forgetful], store });
    const session = agent.session('s');
    const first = session.run('1');
    await settle();
    hold.resolve('late');
    expect((await first).toolCalls.map(({ name }) => name)).toEqual(['slow', 'outer']);
    await session.run('2');
    const anew = kit(['three'], { tools: [slow, forgetful], store });
    expect(await anew.agent.session('s').run('3')).toMatchObject({ status: 'done' });
  });

  it('cannot be made by a body that waits, or by one whose run is gone', async () => {
    let ctx: ToolContext | undefined;
    const { tool, ran } = echo();
    const waiting = outer((given) => {
      ctx = given;
      return pending({ kind: 'k', prompt: 'p' });
    });
    const { agent } = kit([call('outer', {}), 'two'], { tools: [tool, waiting] });
    const session = agent.session();
    await session.run('1');
    await expect(ctx!.callTool('echo', { text: 'x' })).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    await session.run('2');
    await expect(ctx!.callTool('echo', { text: 'x' })).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    expect(ran).toEqual([]);
  });
});

describe('a conversation', () => {
  it('is not emptied by a run that was aborted before it had its turn among processes', async () => {
    const store = memoryStore();
    const { agent } = kit(['one', 'two'], { store });
    const session = agent.session('s');
    await session.run('1');
    await store.acquire('s', 'another process', 60_000);
    const abort = new AbortController();
    const run = session.run('2', { signal: abort.signal });
    await settle();
    abort.abort();
    expect(await run).toMatchObject({ status: 'aborted' });
    expect(session.messages()).toHaveLength(2);
  });

  it('that is aborted while it is resumed has no open call in its history', async () => {
    const registry = asking();
    const abort = new AbortController();
    const { tool, ran } = echo();
    const store = memoryStore();
    const first = kit([call('echo')], { registry, tools: [tool], store });
    const { pending: requests } = await first.agent.session('s').run('go');
    const second = kit(['next'], { registry: asking(), tools: [tool], store });
    second.registry.registerVoid('sessionStart', () => abort.abort());
    const session = second.agent.session('s');
    expect(await session.resume({ id: requests![0]!.id, ok: true }, { signal: abort.signal })).toMatchObject({
      status: 'aborted',
    });
    expect(session.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(await session.run('on')).toMatchObject({ status: 'done' });
    expect(ran).toEqual([]);
  });

  it('whose process died in a body says of that call that nobody knows, when it goes on without a resumption', async () => {
    const store = memoryStore();
    const lease = await store.acquire('s', 'dead', 60_000);
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const args = { text: 'x' };
    const part = (callId: string) => ({ type: 'tool-call', callId, name: 'echo', args }) as const;
    const sealed = { tool: { source: 'host', name: 'echo', digest: 'd' }, args, digest: 'e' };
    await store.append(lease as never, [
      { type: 'opened', agent: 'agent' },
      { type: 'run', runId: 'r', input: 'go', personality: 'default' },
      { type: 'message', runId: 'r', message: { id: 'm1', role: 'user', content: [{ type: 'text', text: 'go' }] } },
      {
        type: 'answer',
        runId: 'r',
        turn: 0,
        model: 'scripted',
        usage,
        finishReason: { unified: 'tool-calls', raw: 't' },
        message: { id: 'm2', role: 'assistant', content: [part('c1'), part('c2')] },
        calls: [
          { callId: 'c1', name: 'echo', args },
          { callId: 'c2', name: 'echo', args },
        ],
        offered: ['echo'],
      },
      { type: 'started', runId: 'r', callId: 'c1', sealed },
    ]);
    await store.release(lease as never);
    const { tool, ran } = echo();
    const { messages, status } = await kit(['on'], { tools: [tool], store })
      .agent.session('s')
      .run('on');
    expect([status, ran]).toEqual(['done', []]);
    const results = messages[2]!.content.map((one) => (one.type === 'tool-result' ? one.output : ''));
    expect(results).toEqual([
      expect.stringContaining('was running when its process ended'),
      expect.stringMatching(/^not-started/),
    ]);
    const outcomes = (await store.read('s')).flatMap(({ record }) =>
      record.type === 'outcome' ? [record.outcome] : [],
    );
    expect(outcomes).toEqual(['outcome-unknown', 'not-started']);
  });

  it('keeps its originals in the log: a replacement stands there as the ids that it keeps and the messages that it adds', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    const short = { role: 'user', content: [{ type: 'text', text: 'in short' }] } as const;
    registry.registerModifying('beforeLLM', ({ messages, origin }) =>
      messages.length > 2 && origin.turn === 0 ? { messages: [short, ...messages.slice(-1)] } : undefined,
    );
    const { agent } = kit(['one', 'two', 'three'], { registry, store });
    const session = agent.session('s');
    await session.run('1');
    await session.run('2');
    const settled = (await store.read('s')).flatMap(({ record }) =>
      record.type === 'settled' ? [record.working] : [],
    );
    expect(settled[0]).toBeUndefined();
    expect(settled[1]!.map((entry) => typeof entry)).toEqual(['object', 'string', 'string']);
    const other = kit(['three'], { store }).agent.session('s');
    await other.load();
    expect(other.messages()).toEqual(session.messages());
  });

  it('is loaded in its turn, beside runs that are queued', async () => {
    const store = memoryStore();
    const { agent } = kit(['one', 'two', 'three'], { store });
    const session = agent.session('s');
    await Promise.all([session.run('1'), session.load(), session.run('2'), session.load()]);
    const { messages } = await session.run('3');
    expect(messages).toHaveLength(6);
    const { events } = await collect(kit(['four'], { store }).agent.session('s').stream('4'));
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { status: 'done' } });
  });
});
