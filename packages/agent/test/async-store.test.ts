// A store that answers by promises: what is durable stands in front of what follows from it.
import { defineTool, type Lease, type SessionRecord, type SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRuntime, memoryStore } from '../src/index.js';
import { manualClock, scriptedModel } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard, settle } from './kit.js';

/** Each call answers a few turns of the event loop later; `log` notes what has become durable. */
function slow(inner = memoryStore()): SessionStore & { readonly log: string[]; readonly renewed: number[] } {
  const log: string[] = [];
  const renewed: number[] = [];
  const later = async <T>(work: () => T | PromiseLike<T>): Promise<T> => {
    await settle();
    return work();
  };
  return {
    log,
    renewed,
    acquire: (...given) => later(() => inner.acquire(...given)),
    renew: (lease: Lease, ms: number) => later(() => (renewed.push(lease.fence), inner.renew(lease, ms))),
    release: (...given) => later(() => inner.release(...given)),
    append: (lease: Lease, records: readonly SessionRecord[]) =>
      later(() => {
        for (const { type } of records) log.push(type);
        return inner.append(lease, records);
      }),
    read: (...given) => later(() => inner.read(...given)),
    settle: (...given) => later(() => inner.settle(...given)),
    list: () => later(() => inner.list()),
    close: () => later(() => inner.close()),
  };
}

describe('a store that answers by promises', () => {
  it('has the start of a body before the body starts, each time that it starts', async () => {
    const store = slow();
    const pay = defineTool({
      name: 'pay',
      description: 'pays',
      input: z.object({}),
      execute: () => {
        store.log.push('BODY');
        return 'paid';
      },
    });
    const registry = registryWithGuard();
    let isAsking = false;
    registry.registerClaiming('toolPolicy', () => (isAsking ? { ask: 'sure?', rule: 'r' } : undefined), { id: 'g' });
    // the guards change while the start is written: they are asked anew, and ask
    const inner = store.append;
    const watched = {
      ...store,
      append: (lease: Lease, records: readonly SessionRecord[]) => {
        if (records[0]!.type === 'started' && !isAsking) {
          isAsking = true;
          registry.registerClaiming('toolPolicy', () => undefined, { id: 'another' });
        }
        return inner(lease, records);
      },
    };
    const made = kit([call('pay', {}), 'ok'], { registry, tools: [pay], store: watched });
    const session = made.agent.session('s');
    const { pending: requests } = await session.run('go');
    expect(store.log).toEqual(['opened', 'run', 'message', 'answer', 'started', 'request', 'settled']);
    await session.resume({ id: requests![0]!.id, ok: true });
    expect(store.log.slice(7)).toEqual(['resumed', 'started', 'BODY', 'outcome', 'message', 'answer', 'settled']);
  });

  it('serves parallel calls, runs that queue, and a second agent', async () => {
    const store = slow();
    const { tool, ran } = echo();
    const safe = { ...tool, concurrency: 'safe' } as const;
    const one = kit([calls('echo', 'echo'), 'a', 'b'], { tools: [safe], store });
    const two = kit(['c'], { tools: [safe], store });
    const session = one.agent.session('s');
    const results = await Promise.all([session.run('1'), session.run('2')]);
    expect(results.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(ran).toHaveLength(2);
    const { messages } = await two.agent.session('s').run('3');
    expect(messages.map(({ role }) => role).join()).toBe('user,assistant,tool,assistant,user,assistant,user,assistant');
  });

  it('has its lease renewed as long as the run lasts, and not behind it', async () => {
    const clock = manualClock(0);
    const store = slow(memoryStore({ now: () => clock.date() }));
    let finish = (): void => {};
    const wait = defineTool({
      name: 'wait',
      description: 'w',
      input: z.object({}),
      execute: () => new Promise<string>((resolve) => (finish = () => resolve('ok'))),
    });
    const { agent } = kit([call('wait', {}), 'ok', 'again'], { tools: [wait], store, clock });
    const session = agent.session('s');
    const run = session.run('go');
    for (let at = 0; at < 40; at++) await settle();
    for (let round = 0; round < 3; round++) {
      clock.advance(10_000);
      for (let at = 0; at < 10; at++) await settle();
    }
    expect(store.renewed).toEqual([1, 1, 1]);
    finish();
    expect(await run).toMatchObject({ status: 'done' });
    expect(clock.pending()).toBe(0);
    await session.run('again');
    clock.advance(60_000);
    for (let at = 0; at < 10; at++) await settle();
    expect(store.renewed).toEqual([1, 1, 1]);
  });
});

/** Does its work when its `then` is called, as the query of a database does, and each time. */
const lazily = <T>(work: () => T): T => {
  const then = (resolve: (value: T) => unknown, reject: (error: unknown) => unknown): unknown => {
    try {
      return resolve(work());
    } catch (error) {
      return reject(error);
    }
  };
  // oxlint-disable-next-line no-thenable -- what is tested
  return { then } as T;
};

it('a store, and a schema, may answer by promises of another make, which are asked once', async () => {
  const inner = memoryStore();
  const names: string[] = [];
  const entries = (['acquire', 'renew', 'release', 'append', 'read', 'settle', 'list', 'close'] as const).map(
    (name) => [
      name,
      (...given: never[]) => lazily(() => (names.push(name), Reflect.apply(inner[name], inner, given) as unknown)),
    ],
  );
  const store = Object.fromEntries(entries) as SessionStore;
  const { tool, ran } = echo();
  const { '~standard': own } = tool.input;
  const validate = (value: unknown) => lazily(() => own.validate(value));
  const tools = [{ ...tool, input: { '~standard': { ...own, validate } } as never, inputSchema: { type: 'object' } }];
  const registry = registryWithGuard();
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const model = scriptedModel([call('echo'), 'ok']);
  const runtime = createRuntime({ registry, store, agents: { a: { model, tools } } });
  const session = runtime.agent('a').session('s');
  const { pending, error } = await session.run('go');
  expect(error).toBeUndefined();
  expect(await session.resume({ id: pending![0]!.id, ok: true })).toMatchObject({ status: 'done', text: 'ok' });
  expect([ran, names.filter((name) => name === 'settle')]).toEqual([[{ text: 'hi' }], ['settle']]);
  const seqs = (await inner.read('s')).map(({ record }) => record.type);
  expect(seqs).toEqual([
    'opened',
    'run',
    'message',
    'answer',
    'request',
    'settled',
    'answered',
    'resumed',
    'started',
    'outcome',
    'message',
    'answer',
    'settled',
  ]);
});

it('a run that has lost its lease fails and writes nothing more', async () => {
  const clock = manualClock(0);
  const store = memoryStore({ now: () => clock.date() });
  let isStolen = false;
  const steal = defineTool({
    name: 'steal',
    description: 's',
    input: z.object({}),
    execute: () => {
      clock.advance(30_000); // without a renewal in between
      isStolen = !('holder' in (store.acquire('s', 'another', 60_000) as object));
      return 'ok';
    },
  });
  const { agent } = kit([call('steal', {}), 'never'], { tools: [steal], store: { ...store, renew: () => {} }, clock });
  const result = await agent.session('s').run('go');
  expect(isStolen).toBe(true);
  expect(result).toMatchObject({ status: 'failed', error: { code: 'TH_LEASE_LOST' } });
  expect((await store.read('s')).map(({ record }) => record.type)).toEqual([
    'opened',
    'run',
    'message',
    'answer',
    'started',
  ]);
});

it.each<[keyof SessionStore, unknown]>([
  ['acquire', 5],
  ['acquire', undefined],
  ['acquire', {}],
  ['read', undefined],
  ['read', {}],
  ['append', {}],
  ['append', undefined],
])('a store whose %s gives %s is not gone on with', async (name, nonsense) => {
  const { tool, ran } = echo();
  const store: SessionStore = { ...memoryStore(), [name]: () => nonsense };
  const { agent, model } = kit([call('echo'), 'never'], { store, tools: [tool] });
  const result = await agent.run('go');
  expect(result).toMatchObject({ status: 'failed', error: { code: 'TH_STORE_FAILED' } });
  expect([ran, model.calls]).toEqual([[], []]);
  const later: SessionStore = { ...memoryStore(), [name]: () => Promise.resolve(nonsense) };
  const again = await kit(['never'], { store: later }).agent.run('go');
  expect(again).toMatchObject({ status: 'failed', error: { code: 'TH_STORE_FAILED' } });
});
