// Personalities: a session switches between runs, under the new allowlist, and is never more than the agent was given.
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  HookError,
  type AgentHooks,
  type HookEvents,
  type HookRegistry,
  type Lease,
  type PersonalityNarrowing,
  type SessionRecord,
  type Tool,
} from '@treblehook/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createAgent,
  createRuntime,
  defaultPersonality,
  memoryStore,
  type Agent,
  type AgentOptions,
} from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, echo, kit, registryWithGuard, settle } from './kit.js';

const fireOf = (registry: HookRegistry<AgentHooks>): HookEvents['fired'][] => {
  const fired: HookEvents['fired'][] = [];
  registry.events.on('fired', (event) => {
    if (event.hook === 'personalitySwitched') fired.push(event);
  });
  return fired;
};

const reader = { id: 'reader', system: 'You read.', plugins: ['acme'], tools: ['read'] };
const writer = { id: 'writer', system: 'You write.', plugins: ['house', 'other'], tools: ['read', 'write'] };

function two(script: readonly ScriptedStep[] = [], options: Partial<Omit<AgentOptions, 'model'>> = {}) {
  const read = echo('read');
  const write = echo('write');
  const tools: Tool[] = [read.tool, write.tool];
  const made = kit(script, { tools, personality: reader, personalities: [writer], ...options });
  return { ...made, fired: fireOf(made.registry), read, write, session: made.agent.session('s') };
}

async function recordsOf(store: ReturnType<typeof memoryStore>, id = 's'): Promise<SessionRecord[]> {
  return (await store.read(id)).map(({ record }) => record);
}
const switches = (records: readonly SessionRecord[]) => records.filter(({ type }) => type === 'personality');

const shared = Object.prototype as unknown as Record<string, unknown>;
const put = (key: string, property: PropertyDescriptor): void => {
  Object.defineProperty(shared, key, { ...property, configurable: true });
};
afterEach(() => {
  delete shared['then'];
});

describe('a switch', () => {
  it('is told with both, and gives what is in force, frozen', async () => {
    const { session, fired } = two();
    const inForce = await session.switchPersonality('writer');
    expect(inForce).toEqual({ id: 'writer', plugins: ['house', 'other'], tools: ['read', 'write'] });
    expect(Object.isFrozen(inForce) && Object.isFrozen(inForce.plugins) && Object.isFrozen(inForce.tools)).toBe(true);
    expect(fired.map(({ payload }) => payload)).toEqual([
      {
        origin: {
          runId: expect.stringMatching(/^run_/),
          sessionId: 's',
          agentPath: ['agent'],
          personality: 'writer',
          turn: 0,
        },
        from: { id: 'reader', plugins: ['acme'], tools: ['read'] },
        to: { id: 'writer', plugins: ['house', 'other'], tools: ['read', 'write'] },
      },
    ]);
    expect(Object.isFrozen((fired[0]!.payload as { to: object }).to)).toBe(true);
  });

  it('is what the next run is: tools, system text, model, allowlist and origin follow', async () => {
    const fast = scriptedModel(['fast'], { modelId: 'fast' });
    const slow = scriptedModel(['slow', 'slow again'], { modelId: 'slow' });
    const registry = registryWithGuard();
    const seen: string[] = [];
    registry
      .forPlugin('acme')
      .registerVoid('messageReceived', ({ origin }) => void seen.push(`acme ${origin.personality}`));
    registry
      .forPlugin('house')
      .registerVoid('messageReceived', ({ origin }) => void seen.push(`house ${origin.personality}`));
    const agent = createAgent({
      model: 'slow',
      models: { slow, fast },
      registry,
      tools: [echo('read').tool, echo('write').tool],
      personality: reader,
      personalities: [{ ...writer, model: 'fast' }],
    });
    const session = agent.session('s');
    expect(await session.run('one')).toMatchObject({ text: 'slow', model: 'slow' });
    await session.switchPersonality('writer');
    expect(await session.run('two')).toMatchObject({ text: 'fast', model: 'fast' });
    await session.switchPersonality('reader');
    expect(await session.run('three')).toMatchObject({ text: 'slow again', model: 'slow' });
    expect(seen).toEqual(['acme reader', 'house writer', 'acme reader']);
    const wire = [slow.calls[0]!, fast.calls[0]!, slow.calls[1]!];
    expect(wire.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['read'], ['read', 'write'], ['read']]);
    expect(wire.map(({ prompt }) => prompt[0]!.content)).toEqual(['You read.', 'You write.', 'You read.']);
    expect(session.messages()).toHaveLength(6);
  });

  it('changes whose guards count: those of the plugins that the new one lists', async () => {
    const registry = registryWithGuard();
    registry.forPlugin('acme').registerClaiming('toolPolicy', () => ({ deny: 'acme says no' }));
    const { session, read } = two([call('read'), 'denied', call('read'), 'done'], { registry });
    expect((await session.run('one')).toolCalls).toMatchObject([{ outcome: 'denied' }]);
    await session.switchPersonality('writer');
    expect((await session.run('two')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
    expect(read.ran).toHaveLength(1);
  });

  it('is fired under the new allowlist, before anything is written', async () => {
    const store = memoryStore();
    const { session, registry } = two([], { store });
    const asked: string[] = [];
    registry.forPlugin('acme').registerModifying('personalitySwitched', () => void asked.push('acme'));
    registry.forPlugin('house').registerModifying('personalitySwitched', async () => {
      asked.push(`house, ${switches(await recordsOf(store)).length} written`);
      return undefined;
    });
    await session.switchPersonality('writer');
    expect(asked).toEqual(['house, 0 written']);
    expect(switches(await recordsOf(store))).toEqual([{ type: 'personality', id: 'writer' }]);
  });

  it('to what is in force already fires and writes nothing', async () => {
    const store = memoryStore();
    const { session, fired } = two([], { store });
    expect(await session.switchPersonality('reader')).toEqual({ id: 'reader', plugins: ['acme'], tools: ['read'] });
    expect(fired).toEqual([]);
    expect(await recordsOf(store)).toEqual([]);
    await session.switchPersonality('writer');
    await session.switchPersonality('writer');
    expect(fired).toHaveLength(1);
    expect(switches(await recordsOf(store))).toHaveLength(1);
  });

  it('to none of the agent’s is refused with the nearest, and to no text too', async () => {
    const { session, fired } = two();
    await expect(session.switchPersonality('writter')).rejects.toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringMatching(/'writter' is no personality of the agent 'agent'.*'writer'/),
    });
    await expect(session.switchPersonality(7 as unknown as string)).rejects.toMatchObject({
      code: 'TH_OPTION_INVALID',
    });
    await expect(session.switchPersonality('__proto__')).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    expect(fired).toEqual([]);
  });

  it('of a closed session is refused', async () => {
    const { session } = two();
    await session.close();
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({ code: 'TH_DISPOSED' });
  });

  it('before the first run keeps the messages that the session was opened with', async () => {
    const store = memoryStore();
    const { agent, model } = two(['done'], { store });
    const session = agent.session({
      id: 'seeded',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'old' }] }],
    });
    await session.switchPersonality('writer');
    expect((await recordsOf(store, 'seeded')).map(({ type }) => type)).toEqual(['opened', 'message', 'personality']);
    // somebody else has written: this one reads its own log anew
    const lease = await store.acquire('seeded', 'other', 1000);
    await store.append(lease as Lease, [{ type: 'revoked', grantId: 'none' }]);
    await store.release(lease as Lease);
    expect((await session.run('new')).status).toBe('done');
    expect(model.calls[0]!.prompt).toHaveLength(3);
  });

  it('is what `sessionEnd` is fired as', async () => {
    const { session, registry } = two(['one']);
    const ended: string[] = [];
    for (const id of ['acme', 'house'])
      registry.forPlugin(id).registerVoid('sessionEnd', ({ origin }) => void ended.push(`${id} ${origin.personality}`));
    await session.run('go');
    await session.switchPersonality('writer');
    await session.close();
    expect(ended).toEqual(['house writer']);
  });
});

describe('an amendment', () => {
  const narrowing = async (personality: unknown, options: { onError?: 'abort' } = {}) => {
    const registry = registryWithGuard();
    registry
      .forPlugin('house')
      .registerModifying('personalitySwitched', () => ({ personality: personality as PersonalityNarrowing }), options);
    const store = memoryStore();
    const made = two([call('write'), 'done'], { registry, store });
    return { ...made, store };
  };

  it('narrows plugins and tools, in this process and in the log', async () => {
    const { session, store, model, write } = await narrowing({ plugins: ['house'], tools: ['r*', 'send'] });
    expect(await session.switchPersonality('writer')).toEqual({ id: 'writer', plugins: ['house'], tools: ['read'] });
    expect(switches(await recordsOf(store))).toEqual([
      { type: 'personality', id: 'writer', plugins: ['house'], tools: ['r*', 'send'] },
    ]);
    const { toolCalls } = await session.run('go');
    expect(model.calls[0]!.tools?.map(({ name }) => name)).toEqual(['read']);
    expect(toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringMatching(/write/) }]);
    expect(write.ran).toEqual([]);
  });

  it('cannot widen tools: what the personality does not offer, no glob brings', async () => {
    const { session } = await narrowing({ tools: ['*'] });
    await session.switchPersonality('writer');
    const other = two();
    other.registry.registerModifying('personalitySwitched', () => ({ personality: { tools: ['*', 'write'] } }));
    await other.session.switchPersonality('writer');
    expect(await other.session.switchPersonality('reader')).toMatchObject({ tools: ['read'] });
  });

  it('that silences a plugin leaves its guards: less is never looser', async () => {
    const { session, registry, write } = await narrowing({ plugins: ['house'] });
    const heard: string[] = [];
    registry.forPlugin('other').registerClaiming('toolPolicy', () => ({ deny: 'other says no' }));
    registry.forPlugin('other').registerVoid('toolEnd', () => void heard.push('other'));
    await session.switchPersonality('writer');
    expect((await session.run('go')).toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect({ ran: write.ran, heard }).toEqual({ ran: [], heard: [] });
  });

  it.each([
    ['more plugins', { plugins: ['house', 'acme', 'root'] }, /'acme', 'root'.*'writer'/],
    ['a system text', { system: 'Obey.' }, /'system'/],
    ['an id', { id: 'root' }, /'id'/],
    ['no list', { tools: 'read' }, /personality\.tools/],
    ['null', { plugins: null }, /personality\.plugins/],
    ['numbers', { plugins: [1] }, /personality\.plugins/],
    ['a list', ['house'], /a list/],
    ['an empty list', [], /a list/],
  ])(
    'of %s is refused and named: it counts for nothing, or ends the switch where its handler says so',
    async (_, wide, what) => {
      const lax = await narrowing(wide);
      const faults: string[] = [];
      for (const type of ['amendmentRefused', 'handlerFailed'] as const)
        lax.registry.events.on(type, ({ error }) => void faults.push(error.message));
      expect(await lax.session.switchPersonality('writer')).toEqual({
        id: 'writer',
        plugins: ['house', 'other'],
        tools: ['read', 'write'],
      });
      expect(faults).toEqual([expect.stringMatching(what)]);
      const strict = await narrowing(wide, { onError: 'abort' });
      await expect(strict.session.switchPersonality('writer')).rejects.toMatchObject({
        code: 'TH_RESULT_INVALID',
        message: expect.stringMatching(what),
      });
      expect(await recordsOf(strict.store)).toEqual([]);
      expect(await strict.session.switchPersonality('reader')).toMatchObject({ id: 'reader' });
    },
  );

  it('that leaves no tool for `settings.toolChoice` is refused before it is written', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('personalitySwitched', () => ({ personality: { tools: [] } }));
    const store = memoryStore();
    const { session } = two([], { registry, store, settings: { toolChoice: { tool: 'read' } } });
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({ code: 'TH_PERSONALITY_REFUSED' });
    expect(await recordsOf(store)).toEqual([]);
  });

  it('by nobody it may come from: what was rejected switches nothing', async () => {
    const { session, registry, model } = two(['done']);
    registry.registerModifying(
      'personalitySwitched',
      () => {
        throw new Error('not today');
      },
      { id: 'no', onError: 'abort' },
    );
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({
      code: 'TH_HANDLER_FAILED',
      handlerId: 'no',
    });
    await session.run('go');
    expect(model.calls[0]!.prompt[0]!.content).toBe('You read.');
  });
});

describe('a session whose last run is left open', () => {
  const asking = (store: ReturnType<typeof memoryStore>, options: Partial<Omit<AgentOptions, 'model'>> = {}) => {
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
    const script = [call('read'), 'done', call('read'), 'done', call('read'), 'done'];
    return two(script, { registry, store, ...options });
  };

  it('cannot switch while it waits for an answer; its answer goes to who it was, and then it can', async () => {
    const store = memoryStore();
    const { session, fired } = asking(store);
    const { pending } = await session.run('go');
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({
      code: 'TH_PERSONALITY_REFUSED',
      message: expect.stringMatching(/session 's'.*'writer'.*waits for an answer/),
    });
    expect(fired).toEqual([]);
    expect((await session.resume({ id: pending![0]!.id, ok: true })).status).toBe('done');
    expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
  });

  it('is resumed as who it was, by an agent that starts as another one', async () => {
    const store = memoryStore();
    const first = asking(store);
    await first.session.switchPersonality('writer');
    const { pending } = await first.session.run('go');
    const registry = registryWithGuard();
    const { session, model, read } = two(['done'], { registry, store, personality: writer, personalities: [reader] });
    const result = await session.resume({ id: pending![0]!.id, ok: true });
    expect({ status: result.status, ran: read.ran.length }).toEqual({ status: 'done', ran: 1 });
    expect(model.calls[0]!.prompt[0]!.content).toBe('You write.');
  });

  it('is resumed as who it was where nobody has switched and the agent starts as another one', async () => {
    const store = memoryStore();
    const { pending } = await asking(store).session.run('go');
    const { session, model } = two(['done', 'more'], { store, personality: writer, personalities: [reader] });
    expect((await session.resume({ id: pending![0]!.id, ok: true })).status).toBe('done');
    await session.run('go on');
    expect(model.calls.map(({ prompt }) => prompt[0]!.content)).toEqual(['You read.', 'You write.']);
  });

  it('goes on as the narrowed one that it was, in another process', async () => {
    const store = memoryStore();
    const first = asking(store);
    first.registry.registerModifying('personalitySwitched', () => ({ personality: { plugins: [], tools: ['read'] } }));
    await first.session.switchPersonality('writer');
    const { pending } = await first.session.run('go');
    const registry = registryWithGuard();
    const heard: string[] = [];
    registry.forPlugin('house').registerVoid('toolEnd', () => void heard.push('house'));
    const { session, model } = two(['done'], { registry, store });
    await session.resume({ id: pending![0]!.id, ok: true });
    expect(model.calls[0]!.prompt[0]!.content).toBe('You write.');
    expect({ tools: model.calls[0]!.tools?.map(({ name }) => name), heard }).toEqual({ tools: ['read'], heard: [] });
  });

  it('by an agent that is not that personality is not resumed, and its answer stays to be given', async () => {
    const store = memoryStore();
    const first = asking(store);
    await first.session.switchPersonality('writer');
    const { pending } = await first.session.run('go');
    const answer = { id: pending![0]!.id, ok: true };
    const { session } = two([], { store, personalities: [] });
    await expect(session.resume(answer)).rejects.toMatchObject({
      code: 'TH_NOTHING_OPEN',
      message: expect.stringMatching(/'writer'.*'reader'/),
    });
    expect((await first.session.resume(answer)).status).toBe('done');
  });

  it('keeps its grants when it switches, and they settle asks alone', async () => {
    const { session, registry, read } = asking(memoryStore());
    const { pending } = await session.run('go');
    const data = { remember: { for: 'session', args: 'any' } };
    await session.resume({ id: pending![0]!.id, ok: true, data });
    const grants = session.grants();
    expect(grants).toHaveLength(1);
    await session.switchPersonality('writer');
    expect(session.grants()).toEqual(grants);
    expect((await session.run('again')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
    registry.forPlugin('house').registerClaiming('toolPolicy', () => ({ deny: 'house says no' }));
    expect((await session.run('again')).toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect(read.ran).toHaveLength(2);
  });
});

describe('in another process', () => {
  it('the session goes on as it was switched, narrowed as it was', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    registry.registerModifying('personalitySwitched', () => ({
      personality: { plugins: ['other'], tools: ['write'] },
    }));
    await two([], { store, registry }).session.switchPersonality('writer');
    const there = two(['done'], { store });
    const seen: string[] = [];
    for (const id of ['house', 'other'])
      there.registry
        .forPlugin(id)
        .registerVoid('agentDone', ({ origin }) => void seen.push(`${id} ${origin.personality}`));
    await there.session.run('go');
    expect(there.model.calls[0]!.tools?.map(({ name }) => name)).toEqual(['write']);
    expect(seen).toEqual(['other writer']);
    expect(await there.session.switchPersonality('writer')).toEqual({
      id: 'writer',
      plugins: ['other'],
      tools: ['write'],
    });
    expect(there.fired).toEqual([]);
  });

  it('a switch is seen by who has the session open already', async () => {
    const store = memoryStore();
    const here = two(['one', 'two'], { store });
    const there = two([], { store });
    await here.session.run('go');
    await there.session.switchPersonality('writer');
    await here.session.run('go on');
    expect(here.model.calls.map(({ prompt }) => prompt[0]!.content)).toEqual(['You read.', 'You write.']);
  });

  it('without that personality no run begins, and nothing is silently somebody else; a switch mends it', async () => {
    const store = memoryStore();
    await two([], { store }).session.switchPersonality('writer');
    const { session, model, fired } = two(['done'], { store, personalities: [{ id: 'third', system: 'Third.' }] });
    await expect(session.run('go')).rejects.toMatchObject({
      code: 'TH_PERSONALITY_REFUSED',
      message: expect.stringMatching(/'writer'.*reader, third/),
    });
    await session.load();
    expect(model.calls).toEqual([]);
    expect(await session.switchPersonality('third')).toMatchObject({ id: 'third' });
    expect(fired[0]!.payload).toMatchObject({ from: { id: 'writer', plugins: [], tools: [] }, to: { id: 'third' } });
    expect((await session.run('go')).status).toBe('done');
    await session.close();
  });

  it('that holds the session it is waited for, no longer than the limit', async () => {
    const store = memoryStore();
    const clock = manualClock();
    const { session, fired } = two([], { store, clock, lockWaitMs: 50 });
    const lease = (await store.acquire('s', 'elsewhere', 60_000)) as Lease;
    const refused = session.switchPersonality('writer').catch((error: unknown) => error);
    for (let i = 0; i < 10; i++) {
      await settle();
      clock.advance(10);
    }
    expect(await refused).toMatchObject({ code: 'TH_SESSION_BUSY', message: expect.stringMatching(/elsewhere/) });
    expect(fired).toEqual([]);
    await store.release(lease);
    expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
  });

  it('that takes the session over while the switch is told keeps it from being written', async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    const { session, registry } = two(['done'], { store });
    const off = registry.registerModifying('personalitySwitched', async () => {
      now += 60_000;
      const lease = (await store.acquire('s', 'elsewhere', 1000)) as Lease;
      await store.release(lease);
      return undefined;
    });
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({ code: 'TH_LEASE_LOST' });
    off();
    expect(await recordsOf(store)).toEqual([]);
    expect(await session.switchPersonality('reader')).toMatchObject({ id: 'reader' });
    expect((await session.run('go')).status).toBe('done');
  });

  it('that takes the session over ends the fire at the next renewal, whatever its handlers wait for', async () => {
    let now = 0;
    const clock = manualClock();
    const store = memoryStore({ now: () => now });
    const { session, registry } = two([], { store, clock });
    const asked = deferred<AbortSignal>();
    registry.registerModifying('personalitySwitched', (_, { signal }) => {
      asked.resolve(signal);
      return new Promise<undefined>(() => {});
    });
    const refused = session.switchPersonality('writer').catch((error: unknown) => error);
    const signal = await asked.promise;
    now += 60_000;
    await store.acquire('s', 'elsewhere', 1000);
    clock.advance(10_000);
    expect(await refused).toMatchObject({ code: 'TH_LEASE_LOST' });
    expect(signal.aborted).toBe(true);
    expect(await recordsOf(store)).toEqual([]);
  });
});

it('a handler without a budget that never answers switches nothing, and holds the session for lockWaitMs', async () => {
  const clock = manualClock();
  const store = memoryStore();
  const { session, registry } = two(['done'], { store, clock, lockWaitMs: 200 });
  let signal: AbortSignal | undefined;
  const endless = (_: unknown, ctx: { readonly signal: AbortSignal }) => {
    ({ signal } = ctx);
    return new Promise<undefined>(() => {});
  };
  const off = registry.registerModifying('personalitySwitched', endless, { timeoutMs: 'caller' });
  let fault: unknown;
  void session.switchPersonality('writer').catch((error: unknown) => (fault = error));
  await settle();
  clock.advance(199);
  await settle();
  expect(fault).toBeUndefined();
  clock.advance(1);
  await vi.waitFor(() => expect(fault).toBeDefined());
  expect(fault).toMatchObject({
    code: 'TH_SESSION_BUSY',
    message: expect.stringMatching(/'s'.*200 ms.*personalitySwitched/),
  });
  expect([signal!.aborted, clock.pending(), await recordsOf(store)]).toEqual([true, 0, []]);
  off();
  expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
});

describe('a race', () => {
  it('of two switches is one after the other', async () => {
    const store = memoryStore();
    const { session, fired } = two([], { store });
    const both = await Promise.all([session.switchPersonality('writer'), session.switchPersonality('reader')]);
    expect(both.map(({ id }) => id)).toEqual(['writer', 'reader']);
    expect(fired.map(({ payload }) => (payload as { from: { id: string } }).from.id)).toEqual(['reader', 'writer']);
    expect(switches(await recordsOf(store)).map((record) => 'id' in record && record.id)).toEqual(['writer', 'reader']);
  });

  it('with runs: each is whole, the one in hand and those in front as they were, the next one as the new one', async () => {
    const body = deferred<string>();
    const started = deferred<void>();
    const slow: Tool = {
      ...echo('read').tool,
      execute: () => {
        started.resolve();
        return body.promise;
      },
    };
    const { session, model, registry } = two([call('read'), 'one', 'two', 'three'], { tools: [slow] });
    const told = new Map<string, Set<string>>();
    registry.events.on('fired', ({ hook, payload }) => {
      const { runId, personality } = (payload as { origin: { runId: string; personality: string } }).origin;
      if (hook !== 'personalitySwitched') told.set(runId, (told.get(runId) ?? new Set()).add(personality));
    });
    const runs = [session.run('one'), session.run('two')];
    await started.promise;
    const switched = session.switchPersonality('writer');
    runs.push(session.run('three'));
    body.resolve('read');
    await Promise.all([...runs, switched]);
    expect(model.calls.map(({ prompt }) => prompt[0]!.content)).toEqual([
      'You read.',
      'You read.',
      'You read.',
      'You write.',
    ]);
    expect([...told.values()].map((of) => [...of])).toEqual([['reader'], ['reader'], ['writer']]);
  });

  it('of a handler that switches inside the fire ends by the limit of waiting: the outer one stands', async () => {
    const clock = manualClock();
    const registry = registryWithGuard();
    const { session } = two([], { registry, clock, lockWaitMs: 50 });
    let inner: unknown;
    registry.registerModifying('personalitySwitched', async () => {
      const trial = session.switchPersonality('reader').catch((error: unknown) => (inner = error));
      await settle();
      clock.advance(50);
      await trial;
    });
    expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
    expect(inner).toMatchObject({ code: 'TH_SESSION_BUSY' });
    expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
  });

  it('with close: the switch that was asked for first is done, the session then closed', async () => {
    const store = memoryStore();
    const { session } = two([], { store });
    const [{ id }] = await Promise.all([session.switchPersonality('writer'), session.close()]);
    expect(id).toBe('writer');
    expect(switches(await recordsOf(store))).toHaveLength(1);
  });
});

describe('a crash', () => {
  it('between the fire and the record switches nothing, here and elsewhere', async () => {
    const store = memoryStore();
    let isFull = true;
    const full: ReturnType<typeof memoryStore> = {
      ...store,
      append: (...args) => {
        if (isFull) throw new HookError('TH_STORE_FAILED', { store: 'it', what: 'is full', mend: 'make room' });
        return store.append(...args);
      },
    };
    const { session, fired, model } = two(['done'], { store: full });
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({ code: 'TH_STORE_FAILED' });
    expect(fired).toHaveLength(1);
    isFull = false;
    await session.run('go');
    expect(model.calls[0]!.prompt[0]!.content).toBe('You read.');
    const there = two(['done'], { store });
    await there.session.run('go');
    expect(there.model.calls[0]!.prompt[0]!.content).toBe('You read.');
  });

  it('leaves the session free: a run goes on after a switch that failed', async () => {
    const { session, registry } = two(['done']);
    const off = registry.registerModifying('personalitySwitched', () => Promise.reject(new Error('no')), {
      onError: 'abort',
    });
    await expect(session.switchPersonality('writer')).rejects.toMatchObject({ code: 'TH_HANDLER_FAILED' });
    off();
    expect((await session.run('go')).status).toBe('done');
    expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
  });
});

describe("a 'then' on Object.prototype", () => {
  it('that a handler hangs up ends the switch before it is written', async () => {
    const store = memoryStore();
    const { session, registry } = two([], { store });
    registry.registerModifying('personalitySwitched', () => {
      put('then', { value: undefined });
    });
    const refused = await session.switchPersonality('writer').catch((error: unknown) => error);
    delete shared['then'];
    expect(refused).toMatchObject({ code: 'TH_PROTOTYPE_ALTERED' });
    expect(await recordsOf(store)).toEqual([]);
  });

  it('gets hold of nothing that a switch gives', async () => {
    const stolen: unknown[] = [];
    const store = memoryStore();
    const spying: ReturnType<typeof memoryStore> = {
      ...store,
      append: (...args) => {
        const answer = store.append(...args);
        put('then', {
          // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
          value(this: unknown, resolve: (value: unknown) => void) {
            stolen.push(this);
            delete shared['then'];
            resolve({ id: 'root', plugins: ['root'], tools: ['*'] });
          },
        });
        return answer;
      },
    };
    const { session } = two([], { store: spying });
    const inForce = await session.switchPersonality('writer');
    delete shared['then'];
    expect(inForce).toMatchObject({ id: 'writer', plugins: ['house', 'other'] });
    expect(stolen).toEqual([]);
  });
});

it('an agent that nobody has chosen a personality for is the default one', async () => {
  const { agent, registry } = kit(['done']);
  const seen: string[] = [];
  registry.registerVoid('agentDone', ({ origin }) => void seen.push(origin.personality));
  await agent.run('go');
  expect([agent.describe().personality, seen]).toMatchObject([defaultPersonality, [defaultPersonality.id]]);
  expect(Object.isFrozen(defaultPersonality)).toBe(true);
});

describe('the option personalities', () => {
  const model = scriptedModel([], { modelId: 'm' });
  const made = (options: Partial<AgentOptions>): Agent =>
    createAgent({ model, registry: registryWithGuard(), tools: [echo('read').tool], ...options });

  it.each<[string, Partial<AgentOptions>, RegExp]>([
    ['no list', { personalities: reader as never }, /personalities must be a list/],
    ['no object', { personalities: [null as never] }, /personalities\[0\] must be an object/],
    ['an id twice', { personality: reader, personalities: [reader] }, /personalities\[0\].*'reader'/],
    ['the id of the default', { personalities: [{ id: 'default' }] }, /'default'/],
    ['an unknown key', { personalities: [{ id: 'x', sistem: '' } as never] }, /'sistem'.*'system'/],
    ['an unknown model', { personalities: [{ id: 'x', model: 'n' }] }, /'x'.*'n' is no key of models/],
    [
      'a choice not offered',
      { personalities: [{ id: 'x', tools: [] }], settings: { toolChoice: { tool: 'read' } } },
      /read/,
    ],
    [
      'paths without a folder',
      {
        tools: [{ ...echo('read').tool, paths: ['text'] }],
        personality: { id: 'a', tools: [] },
        personalities: [{ id: 'b' }],
      },
      /cwd is missing/,
    ],
  ])('is refused with %s', (_, options, what) => {
    expect(() => made(options)).toThrow(what);
  });

  it('is told by describe, and is one of a definition of the runtime, not of the runtime', () => {
    const agent = made({ personality: reader, personalities: [{ ...writer, model: 'm' }] });
    expect(agent.describe().personalities).toEqual([{ ...writer, model: 'm' }]);
    const registry = registryWithGuard();
    const runtime = createRuntime({ registry, model, agents: { a: { personality: reader, personalities: [writer] } } });
    expect(
      runtime
        .agent('a')
        .describe()
        .personalities.map(({ id }) => id),
    ).toEqual(['writer']);
    expect(() => createRuntime({ registry, model, agents: { a: {} }, personalities: [writer] } as never)).toThrow(
      /'personalities' is an option of one agent/,
    );
  });

  it('has guards of its own: a personality without any does not run, another one does', async () => {
    const registry = createHookRegistry(agentHooks);
    registry.forPlugin('house').registerClaiming('toolPolicy', () => undefined);
    const { session } = two(['done'], { registry });
    await expect(session.run('go')).rejects.toMatchObject({ code: 'TH_NO_GUARD' });
    await session.switchPersonality('writer');
    expect((await session.run('go')).status).toBe('done');
  });
});
