// What every session store keeps: the order of a log, one holder at a time, one answer for one request.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isHeld,
  type HookError,
  type Lease,
  type RunStatus,
  type SessionRecord,
  type SessionStore,
} from '@treblehook/types';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { privateStore } from '../src/store/memory-store.js';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const undo of opened.splice(0).toReversed()) undo();
});

const makers: readonly (readonly [string, (now: () => number) => SessionStore])[] = [
  ['memory', (now) => memoryStore({ now })],
  [
    'sqlite',
    (now) => {
      const folder = mkdtempSync(join(tmpdir(), 'treblehook-store-'));
      opened.push(() => rmSync(folder, { recursive: true }));
      const store = sqliteStore({ path: join(folder, 'sessions.db'), now });
      opened.push(() => void store.close());
      return store;
    },
  ],
];

const run = (runId: string): SessionRecord => ({ type: 'run', runId, input: 'go', personality: 'default' });
const asking = (id: string, expiresAt?: number): SessionRecord => ({
  type: 'request',
  runId: 'r',
  callId: 'c',
  by: 'guards',
  sealed: { tool: { source: 'host', name: 't', digest: 'd' }, args: {}, digest: 'e' },
  request: { id, kind: 'approval', prompt: 'may it?', ...(expiresAt === undefined ? {} : { expiresAt }) },
});
const codeOf = async (work: () => unknown): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    return (error as HookError).code;
  }
};

describe.each(makers)('the %s store', (_, make) => {
  let time = 1_000;
  const open = (): SessionStore => {
    time = 1_000;
    return make(() => time);
  };
  const take = async (store: SessionStore, id = 's', holder = 'me', ms = 100): Promise<Lease> => {
    const lease = await store.acquire(id, holder, ms);
    if (isHeld(lease)) throw new Error(`held by ${lease.holder}`);
    return lease;
  };

  test('gives back what was appended, numbered from 1, and only what stands behind a number', async () => {
    const store = open();
    const lease = await take(store);
    expect(await store.append(lease, [{ type: 'opened', agent: 'a' }, run('r1')])).toBe(2);
    time = 2_000;
    expect(await store.append(lease, [run('r2')])).toBe(3);
    expect(await store.read('s')).toEqual([
      { seq: 1, at: 1_000, record: { type: 'opened', agent: 'a' } },
      { seq: 2, at: 1_000, record: run('r1') },
      { seq: 3, at: 2_000, record: run('r2') },
    ]);
    expect(await store.read('s', 2)).toEqual([{ seq: 3, at: 2_000, record: run('r2') }]);
    expect(await store.read('s', 3)).toEqual([]);
    expect(await store.read('another')).toEqual([]);
  });

  test('has one holder at a time, and says who it is', async () => {
    const store = open();
    await take(store, 's', 'first');
    expect(await store.acquire('s', 'second', 100)).toEqual({ holder: 'first', until: 1_100 });
    expect(isHeld(await store.acquire('other', 'second', 100))).toBe(false);
  });

  test('gives a session that was released to the next one', async () => {
    const store = open();
    await store.release(await take(store, 's', 'first'));
    expect((await take(store, 's', 'second')).fence).toBe(2);
  });

  test('releases once: a lease that is lost takes nothing from its successor', async () => {
    const store = open();
    const old = await take(store);
    await store.release(old);
    await take(store, 's', 'second');
    await store.release(old);
    expect(await store.acquire('s', 'third', 100)).toMatchObject({ holder: 'second' });
  });

  test('lets a lease that has run out be taken over, and then refuses its appends and renewals', async () => {
    const store = open();
    const old = await take(store, 's', 'first');
    time = 1_099;
    expect(isHeld(await store.acquire('s', 'second', 100))).toBe(true);
    time = 1_100;
    const lease = await take(store, 's', 'second');
    expect(lease.fence).toBe(2);
    expect(await codeOf(() => store.append(old, [run('r1')]))).toBe('TH_LEASE_LOST');
    expect(await codeOf(() => store.renew(old, 100))).toBe('TH_LEASE_LOST');
    expect(await store.read('s')).toEqual([]);
    await store.append(lease, [run('r2')]);
  });

  test('keeps a lease that is renewed', async () => {
    const store = open();
    const lease = await take(store, 's', 'first');
    time = 1_090;
    await store.renew(lease, 100);
    time = 1_189;
    expect(await store.acquire('s', 'second', 100)).toEqual({ holder: 'first', until: 1_190 });
  });

  test('appends all records or none', async () => {
    const store = open();
    const lease = await take(store);
    const bad = {
      type: 'run',
      runId: 'r',
      get input(): string {
        throw new Error('unreadable');
      },
    } as SessionRecord;
    await expect(async () => store.append(lease, [run('r1'), bad])).rejects.toThrow();
    expect(await store.read('s')).toEqual([]);
  });

  test('settles a request once: the first answer stands', async () => {
    const store = open();
    const lease = await take(store);
    await store.append(lease, [asking('q')]);
    expect(await store.settle('s', { id: 'q', ok: true })).toEqual({ state: 'settled' });
    expect(await store.settle('s', { id: 'q', ok: false })).toEqual({ state: 'taken', answer: { id: 'q', ok: true } });
    expect((await store.read('s')).map(({ record }) => record)).toEqual([
      asking('q'),
      { type: 'answered', answer: { id: 'q', ok: true } },
    ]);
  });

  test('settles no request that it does not know, in another session neither', async () => {
    const store = open();
    await store.append(await take(store), [asking('q')]);
    expect(await store.settle('s', { id: 'p', ok: true })).toEqual({ state: 'unknown' });
    expect(await store.settle('other', { id: 'q', ok: true })).toEqual({ state: 'unknown' });
  });

  test('takes no answer for a request that has expired', async () => {
    const store = open();
    await store.append(await take(store), [asking('q', 1_500)]);
    time = 1_500;
    expect(await store.settle('s', { id: 'q', ok: true })).toEqual({ state: 'expired' });
    time = 1_499;
    expect(await store.settle('s', { id: 'q', ok: true })).toEqual({ state: 'settled' });
  });

  test('settles without a lease, while another holds the session, and the holder goes on', async () => {
    const store = open();
    const lease = await take(store);
    await store.append(lease, [asking('q')]);
    await store.settle('s', { id: 'q', ok: true });
    expect(await store.append(lease, [run('r')])).toBe(3);
  });

  test('says of the session of a task whose it is', async () => {
    const store = open();
    const lease = await take(store, 's/call_1');
    await store.append(lease, [
      {
        type: 'opened',
        agent: 'helper',
        parent: { sessionId: 's', callId: 'call_1', digest: 'd', terms: { budget: {}, model: 'm' } },
      },
    ]);
    await store.release(lease);
    expect(await store.list()).toMatchObject([{ sessionId: 's/call_1', parent: 's' }]);
  });

  test('takes times with a fraction, and beyond all dates', async () => {
    const store = open();
    time = 1_000.25;
    const lease = await take(store, 's', 'me', 100.5);
    await store.append(lease, [asking('a', 1_001.5), asking('b', 1e300), asking('c', Infinity)]);
    await store.renew(lease, 100.5);
    time = 1_001;
    expect(await store.list()).toMatchObject([{ pending: 3 }]);
    time = 1_002;
    expect(await store.list()).toMatchObject([{ pending: 2 }]);
    expect(await store.settle('s', { id: 'a', ok: true })).toEqual({ state: 'expired' });
    expect(await store.settle('s', { id: 'b', ok: true })).toEqual({ state: 'settled' });
  });

  test('counts as pending what can be answered: not what was, nor what has expired', async () => {
    const store = open();
    const lease = await take(store);
    const count = async (): Promise<number | undefined> => (await store.list())[0]?.pending;
    await store.append(lease, [asking('a'), asking('b', 1_500), asking('c', 1_600)]);
    expect(await count()).toBe(3);
    await store.settle('s', { id: 'a', ok: true });
    expect(await count()).toBe(2);
    time = 1_500;
    expect(await count()).toBe(1);
    time = 1_600;
    expect(await count()).toBe(0);
  });

  test.each(['done', 'failed', 'aborted'] as const)(
    'lets requests expire with a run that ends %s, and with none that waits',
    async (status) => {
      const store = open();
      const lease = await take(store);
      await store.append(await take(store, 'other'), [asking('q')]);
      await store.append(lease, [asking('a'), asking('b'), { type: 'settled', runId: 'r', status: 'pending' }]);
      await store.settle('s', { id: 'a', ok: true });
      const pendingOf = async (): Promise<unknown> =>
        Object.fromEntries((await store.list()).map(({ sessionId, pending }) => [sessionId, pending]));
      expect(await pendingOf()).toEqual({ s: 1, other: 1 });
      await store.append(lease, [{ type: 'settled', runId: 'r', status }]);
      expect(await pendingOf()).toEqual({ s: 0, other: 1 });
      expect(await store.settle('s', { id: 'b', ok: true })).toEqual({ state: 'expired' });
      expect(await store.settle('s', { id: 'a', ok: false })).toEqual({
        state: 'taken',
        answer: { id: 'a', ok: true },
      });
      expect((await store.read('s')).filter(({ record }) => record.type === 'answered')).toHaveLength(1);
      await store.append(lease, [asking('c')]);
      expect(await store.settle('s', { id: 'c', ok: true })).toEqual({ state: 'settled' });
    },
  );

  test('says how the last run of a session stands, from its newest record about that alone', async () => {
    const store = open();
    const lease = await take(store);
    const last = async (): Promise<unknown> => (await store.list())[0]?.last;
    const behind = async (...records: readonly SessionRecord[]): Promise<unknown> => {
      await store.append(lease, records);
      return last();
    };
    const settled = (status: RunStatus): SessionRecord => ({ type: 'settled', runId: 'r', status });
    const late: SessionRecord = { type: 'late', runId: 'r', callId: 'c', text: 'settled' };
    expect(await behind({ type: 'opened', agent: 'a' })).toBeUndefined();
    expect(Object.hasOwn((await store.list())[0]!, 'last')).toBe(false);
    expect(await behind(run('r'))).toBe('open');
    expect(await behind(asking('q'), settled('pending'))).toBe('pending');
    await store.settle('s', { id: 'q', ok: true });
    expect(await last()).toBe('pending');
    expect(await behind({ type: 'resumed', runId: 'r' })).toBe('open');
    expect(await behind(asking('p'))).toBe('open');
    for (const status of ['done', 'vetoed', 'incomplete', 'aborted', 'failed'] as const) {
      expect(await behind(run('r'), settled(status))).toBe(status);
      expect(await behind(late, { type: 'personality', id: 'p' })).toBe(status);
    }
    expect(await behind(settled('aborted'), run('r2'))).toBe('open');
    await store.append(await take(store, 'other'), [run('o'), settled('done')]);
    expect((await store.list()).find(({ sessionId }) => sessionId === 's')).toMatchObject({ last: 'open' });
  });

  test('lists its sessions, the last changed first', async () => {
    const store = open();
    const first = await take(store, 'one');
    await store.append(first, [asking('q')]);
    time = 1_050;
    await store.append(await take(store, 'two', 'me', 10), [run('r'), run('s')]);
    await take(store, 'empty');
    time = 1_070;
    expect(await store.list()).toEqual([
      { sessionId: 'two', records: 2, openedAt: 1_050, changedAt: 1_050, pending: 0, last: 'open' },
      { sessionId: 'one', records: 1, openedAt: 1_000, changedAt: 1_000, pending: 1, holder: 'me' },
    ]);
  });

  test('keeps bytes, URLs and keys of any name', async () => {
    const store = open();
    const lease = await take(store);
    const strange = { '~treblehook': 'bytes', value: 'not ours', __proto__: null, nested: { '~treblehook': 1 } };
    const record = {
      type: 'message',
      message: {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([0, 255, 7]) },
          { type: 'file', mediaType: 'image/png', data: new URL('https://example.org/a.png') },
          { type: 'tool-call', callId: 'c', name: 'n', args: { strange, list: [strange] } },
        ],
      },
    } as SessionRecord;
    await store.append(lease, [record]);
    expect((await store.read('s'))[0]!.record).toEqual(record);
  });

  test('does not see what is done to a record behind its append', async () => {
    const store = open();
    const lease = await take(store);
    const record = { type: 'opened', agent: 'a' };
    await store.append(lease, [record as SessionRecord]);
    record.agent = 'b';
    expect((await store.read('s'))[0]!.record).toEqual({ type: 'opened', agent: 'a' });
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
