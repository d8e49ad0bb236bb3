// Grants that are taken back: a revocation that was told is never undone, whatever else goes on in the session.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type Grant, type Lease, type SessionStore } from '@treblehook/types';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryStore, type Session } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { deferred } from '../src/testing/index.js';
import { call, calls, echo, kit, settle } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'revoking-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each call answers when `gate` says so, a turn of the event loop later at the earliest. */
function slow(inner: SessionStore, gate: (name: string) => Promise<unknown> = settle): SessionStore {
  const later = Object.entries(inner).map(([name, ask]) => [
    name,
    async (...given: unknown[]) => {
      const isRead = name === 'read';
      const read: unknown = isRead ? await (ask as (...all: unknown[]) => unknown)(...given) : undefined;
      await gate(name);
      return isRead ? read : (ask as (...all: unknown[]) => unknown)(...given);
    },
  ]);
  return Object.fromEntries(later) as SessionStore;
}

const stores: readonly (readonly [string, () => SessionStore | undefined])[] = [
  ['its own', () => undefined],
  ['in memory', () => memoryStore()],
  ['of a file', () => sqliteStore({ path: join(folder, `${files++}.db`) })],
  ['that answers later', () => slow(memoryStore())],
];

const both = calls('a', 'b');

/** A session with a grant of any call for each of its tools; from then on its answerer refuses. */
async function granting(store: SessionStore | undefined, script = [both, 'one', both, 'two']) {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', ({ tool }) => ({ ask: 'may it?', rule: tool.name }), { id: 'asker' });
  const a = echo('a');
  const b = echo('b');
  let isOver = false;
  const { agent } = kit(script, {
    registry,
    tools: [a.tool, b.tool],
    ...(store === undefined ? {} : { store }),
    answerer: {
      answer: ({ id }) =>
        isOver ? { id, ok: false } : { id, ok: true, data: { remember: { for: 'session', args: 'any' } } },
    },
  });
  const session = agent.session('s');
  await session.run('go');
  isOver = true;
  const ids = session.grants().map(({ id }) => id);
  expect(ids).toHaveLength(2);
  return { agent, session, ids, ran: () => a.ran.length + b.ran.length };
}

/** What came of revocations: who was told what, what is granted, and how the next calls end. */
async function comeOf(session: Session, revoked: readonly Promise<void>[], ran: () => number) {
  const told = (await Promise.allSettled(revoked)).filter(({ status }) => status === 'rejected');
  const granted = session.grants();
  const before = ran();
  const { toolCalls } = await session.run('again');
  return { told, granted, outcomes: toolCalls.map(({ outcome }) => outcome), ran: ran() - before };
}
const stands = { told: [], granted: [], outcomes: ['denied', 'denied'], ran: 0 };

describe.each(stores)('a revocation, with a store %s', (_, make) => {
  it('stands when a list is revoked that has it revoked already', async () => {
    const { session, ids, ran } = await granting(make());
    await session.revoke(ids[1]!);
    const all = ids.map((id) => session.revoke(id));
    expect(await comeOf(session, all, ran)).toEqual(stands);
  });

  it('stands beside others, unknown ones and itself too: each is told alike, and the unknown ones are refused', async () => {
    const { session, ids, ran } = await granting(make());
    const all = [ids[0]!, 'unknown', ids[1]!, ids[0]!, ids[1]!, 'unknown'].map((id) => session.revoke(id));
    const unknown = { reason: { code: 'TH_OPTION_INVALID' } };
    expect(await comeOf(session, all, ran)).toMatchObject({ ...stands, told: [unknown, unknown] });
  });

  it('stands in the log once, for the next process', async () => {
    const store = make();
    if (store === undefined) return;
    const { session, ids } = await granting(store);
    await Promise.all([...ids, ...ids].map((id) => session.revoke(id)));
    const records = (await store.read('s')).map(({ record }) => record);
    expect(records.flatMap((record) => (record.type === 'revoked' ? [record.grantId] : []))).toEqual(ids);
  });
});

it('a revocation stands while a run reads the log on its way in: that run asks', async () => {
  const inner = memoryStore();
  const reading = deferred<void>();
  const go = deferred<void>();
  let isHeld = false;
  const store = slow(inner, async (name) => {
    if (!isHeld || name !== 'read') return settle();
    reading.resolve();
    await go.promise;
  });
  const { agent, session, ids, ran } = await granting(store);
  // what somebody else has written makes the run read the whole log
  const lease = inner.acquire('s', 'other', 1_000);
  await inner.append(lease as never, [{ type: 'revoked', grantId: 'none' }]);
  await inner.release(lease as never);
  isHeld = true;
  const before = ran();
  const run = session.run('again');
  await reading.promise;
  const told = Promise.all(ids.map((id) => session.revoke(id)));
  go.resolve();
  await told;
  const { toolCalls } = await run;
  expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['denied', 'denied']);
  expect([ran(), session.grants()]).toEqual([before, []]);
  await agent.close();
});

it('a revocation is taken while a run takes the session, and while it leaves it', async () => {
  const names = ['acquire', 'release'] as const;
  for (const at of names) {
    const there = deferred<void>();
    const go = deferred<void>();
    let isHeld = false;
    const store = slow(memoryStore(), async (name) => {
      if (!isHeld || name !== at) return settle();
      isHeld = false;
      there.resolve();
      await go.promise;
    });
    const { session, ids } = await granting(store, [both, 'one', 'two']);
    isHeld = true;
    const run = session.run('again');
    await there.promise;
    const told = Promise.all(ids.map((id) => session.revoke(id)));
    await settle();
    go.resolve();
    expect(await told).toEqual([undefined, undefined]);
    expect(await run).toMatchObject({ status: 'done' });
    expect(session.grants()).toEqual([]);
  }
});

it('a revocation that fails fails for all who wait for it, and one that comes later begins anew', async () => {
  const inner = memoryStore();
  let isDown = false;
  const store: SessionStore = {
    ...inner,
    async append(lease, records) {
      await settle();
      if (isDown) throw new Error('disk full');
      return inner.append(lease, records);
    },
  };
  const { session, ids } = await granting(store);
  isDown = true;
  const told = await Promise.allSettled([session.revoke(ids[0]!), session.revoke(ids[0]!)]);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(
    session
      .grants()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([...ids].toSorted());
  isDown = false;
  await session.revoke(ids[0]!);
  expect(session.grants().map(({ id }) => id)).toEqual([ids[1]]);
});

it('a revocation of what the session never had is refused; one of what somebody else has revoked is none', async () => {
  const store = memoryStore();
  const { session, ids } = await granting(store);
  for (const id of [undefined, {}, '', 'typo', `${ids[0]}x`]) {
    await expect(session.revoke(id as string)).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
  }
  await expect(session.revoke(`${ids[0]}x`)).rejects.toThrow(`did you mean '${ids[0]}'`);
  expect(session.grants()).toHaveLength(2);
  const lease = await store.acquire('s', 'other', 1_000);
  await store.append(lease as Lease, [{ type: 'revoked', grantId: ids[0]! }]);
  await store.release(lease as Lease);
  await session.load();
  await session.revoke(ids[0]!);
  expect(session.grants().map(({ id }) => id)).toEqual([ids[1]]);
});

it('a grant is shown and cannot be changed: other arguments than were granted are asked about', async () => {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
  let asked = 0;
  const { tool, ran } = echo();
  const { agent } = kit([call('echo', { text: 'small' }), 'ok', call('echo', { text: 'BIG' }), 'ok'], {
    registry,
    tools: [tool],
    answerer: { answer: ({ id }) => ({ id, ok: asked++ === 0, data: { remember: { for: 'session' } } }) },
  });
  const session = agent.session('s');
  await session.run('go');
  const [grant] = session.grants() as unknown as { digest?: string; tool: { name: string } }[];
  expect(() => delete grant!.digest).toThrow(TypeError);
  expect(() => (grant!.tool.name = 'other')).toThrow(TypeError);
  expect(() => (session.grants() as Grant[]).pop()).toThrow(TypeError);
  await session.run('again');
  expect([asked, ran]).toEqual([2, [{ text: 'small' }]]);
});
