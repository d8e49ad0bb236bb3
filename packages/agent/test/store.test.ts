// What every session store keeps, by the suite that others run against theirs; and that the suite finds what is broken.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHeld, type SessionRecord, type SessionStore } from '@treblehook/types';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { privateStore } from '../src/store/memory-store.js';
import { storeLaws, type Law } from '../src/testing/index.js';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const undo of opened.splice(0).toReversed()) undo();
});

const paths = new WeakMap<SessionStore, string>();
const inFile = (path: string, now: () => number): SessionStore => {
  const store = sqliteStore({ path, now });
  paths.set(store, path);
  return store;
};
const inNewFile = (now: () => number): SessionStore => {
  const folder = mkdtempSync(join(tmpdir(), 'treblehook-store-'));
  opened.push(() => rmSync(folder, { recursive: true }));
  return inFile(join(folder, 'sessions.db'), now);
};

const casesOf = (laws: readonly Law[]) => laws.map(({ name, run }) => [name, run] as const);

describe('the memory store', () => {
  test.each(casesOf(storeLaws((now) => memoryStore({ now }))))('%s', (_, run) =>
    expect(run()).resolves.toBeUndefined(),
  );
});

describe('the sqlite store', () => {
  const reopen = (closed: SessionStore, now: () => number): SessionStore => inFile(paths.get(closed)!, now);
  test.each(casesOf(storeLaws(inNewFile, { reopen })))('%s', (_, run) => expect(run()).resolves.toBeUndefined());
});

describe('a store behind promises', () => {
  const later = (store: SessionStore): SessionStore =>
    Object.fromEntries(
      Object.entries(store).map(([name, call]) => [
        name,
        async (...args: readonly never[]) => Reflect.apply(call as () => unknown, store, args),
      ]),
    ) as never;
  test.each(casesOf(storeLaws((now) => later(memoryStore({ now })))))('%s', (_, run) =>
    expect(run()).resolves.toBeUndefined(),
  );
});

describe('the suite finds a store that', () => {
  type Break = (store: SessionStore, now: () => number) => Partial<SessionStore>;
  const broken: readonly (readonly [string, Break])[] = [
    ['knows no fence', () => ({ renew: () => {} })],
    ['gives a session to everybody', () => ({ acquire: (id) => ({ sessionId: id, fence: Math.random() }) })],
    ['takes a record that changes', ({ append }) => alias(append)],
    ['reads from the start', ({ read }) => ({ read: (id) => read(id) })],
    [
      'settles again',
      ({ settle }) => ({ settle: async (id, answer) => (await settle(id, answer), { state: 'settled' }) }),
    ],
    ['lists the oldest first', ({ list }) => ({ list: async () => (await list()).toReversed() })],
    [
      'forgets the end of a run',
      ({ list }) => ({ list: async () => (await list()).map((row) => ({ ...row, last: undefined }) as never) }),
    ],
    ['folds the case of an id', ({ read }) => ({ read: (id, after) => read(id.toLowerCase(), after) })],
    ['keeps records as JSON', ({ append }) => ({ append: (lease, records) => append(lease, asJson(records)) })],
    [
      'appends one by one',
      ({ append }) => ({
        append: async (lease, records) => {
          let last = 0;
          for (const one of records) last = await Promise.resolve().then(() => append(lease, [one]));
          return last;
        },
      }),
    ],
  ];
  const asJson = (records: readonly SessionRecord[]) => JSON.parse(JSON.stringify(records)) as SessionRecord[];
  const alias = (append: SessionStore['append']): Partial<SessionStore> => {
    const kept = new Map<number, SessionRecord>();
    const seen: SessionStore['append'] = async (lease, records) => {
      const last = await append(lease, records);
      for (const [at, record] of records.entries()) kept.set(last - records.length + 1 + at, record);
      return last;
    };
    return { append: seen, read: () => [...kept].map(([seq, record]) => ({ seq, at: 1000, record })) };
  };

  test.each(broken)('%s', async (_, breaking) => {
    const laws = storeLaws((now) => {
      const store = memoryStore({ now });
      return { ...store, ...breaking(store, now) };
    });
    const faults = await Promise.all(laws.map(({ run }) => run().then(() => undefined, String)));
    expect(faults.filter((fault) => fault !== undefined)).not.toEqual([]);
  });

  test('is not closed with its sessions: a lasting one says so', async () => {
    const laws = storeLaws((now) => memoryStore({ now }), { reopen: (_, now) => memoryStore({ now }) });
    const faults = await Promise.all(
      laws.map(({ name, run }) =>
        run().then(
          () => undefined,
          () => name,
        ),
      ),
    );
    expect(faults.filter((name) => name !== undefined)).toEqual([
      'has what was appended, and counts on, when it is opened again',
      'says TH_STORE_FAILED once it is closed',
    ]);
  });
});

test('a store that nobody else can use forgets the sessions of tasks with the one that gave them', async () => {
  const store = privateStore({});
  const parentOf = (sessionId: string) => ({ sessionId, callId: 'c', digest: 'd', terms: { budget: {}, model: 'm' } });
  for (const [id, parent] of [['s'], ['s/c', 's'], ['s/c/c', 's/c'], ['t'], ['t/c', 't']] as const) {
    const lease = await store.acquire(id, 'me', 100);
    if (isHeld(lease)) throw new Error('held');
    await store.append(lease, [
      { type: 'opened', agent: 'a', ...(parent === undefined ? {} : { parent: parentOf(parent) }) },
    ]);
  }
  store.forget('s');
  expect((await store.list()).map(({ sessionId }) => sessionId).toSorted()).toEqual(['t', 't/c']);
});
