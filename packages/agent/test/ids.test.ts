// Ids that a store may take for others: SQLite ended a text at its NUL, and each half of a surrogate pair is written alike.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHeld, type Lease, type SessionRecord, type SessionStore } from '@treblehook/types';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { channelsOf, hello } from './channel-kit.js';
import { call, echo, kit, registryWithGuard } from './kit.js';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const one of undo.splice(0).toReversed()) one();
});
function fileStore(): SessionStore {
  const folder = mkdtempSync(join(tmpdir(), 'treblehook-ids-'));
  undo.push(() => rmSync(folder, { recursive: true }));
  const store = sqliteStore({ path: join(folder, 's.db') });
  undo.push(() => void store.close());
  return store;
}
function asking(store: SessionStore) {
  const registry = registryWithGuard();
  registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?' }), { id: 'asker' });
  return kit([call('echo'), 'ok'], { registry, tools: [echo().tool], store }).agent.session('s');
}

describe.each([
  ['a NUL inside', (id: string) => `${id}\0b`, /NUL/],
  ['a NUL at its end', (id: string) => `${id}\0`, /NUL/],
  ['a NUL in front', (id: string) => `\0${id}`, /NUL/],
  ['the first half of a pair', (id: string) => `${id}\ud83d`, /surrogate/],
  ['the second half of a pair', (id: string) => `\ude00${id}`, /surrogate/],
] as const)('an id with %s', (_, spoilt, what) => {
  const message = expect.stringMatching(what);

  it('is none of a session', async () => {
    const { agent } = kit(['never']);
    const refused = expect.objectContaining({ code: 'TH_OPTION_INVALID', message });
    expect(() => agent.session(spoilt('a'))).toThrow(refused);
    expect(() => agent.session({ id: spoilt('a') })).toThrow(refused);
    await expect(agent.resume(spoilt('a'))).rejects.toEqual(refused);
    expect(() => kit([], { ids: spoilt }).agent.session()).toThrow(refused);
  });

  it.each(['platform', 'chatId'])('is no %s of a message', async (field) => {
    const { runtime, fires } = channelsOf();
    const given = { ...hello, [field]: spoilt(hello[field as 'chatId']) };
    await expect(runtime.receive(given)).rejects.toMatchObject({ code: 'TH_MESSAGE_INVALID', message });
    expect(fires).toEqual([]);
  });

  it('is none that a route gives, and no platform of a channel', async () => {
    const { runtime } = channelsOf(['x'], { route: () => ({ agent: 'desk', sessionId: spoilt('a') }) });
    await expect(runtime.receive(hello)).rejects.toMatchObject({ code: 'TH_OPTION_INVALID', message });
    expect(() => channelsOf(['x'], { channels: [{ platform: spoilt('wire'), send() {} }] })).toThrow(what);
  });

  it('answers no request, which then waits as before', async () => {
    const session = asking(memoryStore());
    const { id } = (await session.run('go')).pending![0]!;
    await expect(session.resume({ id: spoilt(id), ok: true })).rejects.toMatchObject({ message });
    expect(await session.resume({ id, ok: true })).toMatchObject({ status: 'done' });
  });

  it('is refused by the store in a file, whatever is asked of it', async () => {
    const store = fileStore();
    const lease = (await store.acquire('a', 'me', 1_000)) as Lease;
    const other = { ...lease, sessionId: spoilt('a') };
    const request: SessionRecord = {
      type: 'request',
      runId: 'r',
      callId: 'c',
      by: 'guards',
      sealed: { tool: { source: 'host', name: 't', digest: 'd' }, args: {}, digest: 'e' },
      request: { id: 'q', kind: 'approval', prompt: 'may it?' },
    };
    await store.append(lease, [request]);
    const asked: (() => unknown)[] = [
      () => store.acquire(spoilt('a'), 'me', 1_000),
      () => store.renew(other, 1_000),
      () => store.release(other),
      () => store.append(other, []),
      () => store.append(lease, [{ ...request, request: { ...request.request, id: spoilt('q') } }]),
      () => store.read(spoilt('a')),
      () => store.settle(spoilt('a'), { id: 'q', ok: true }),
      () => store.settle('a', { id: spoilt('q'), ok: true }),
    ];
    for (const ask of asked) expect(ask).toThrow(expect.objectContaining({ code: 'TH_STORE_FAILED', message }));
    expect(await store.read('a')).toHaveLength(1);
    expect(isHeld(await store.acquire('a', 'other', 1_000))).toBe(true);
  });
});

it('a whole pair is a character like any other', async () => {
  const store = fileStore();
  const { agent } = kit(['one', 'two'], { store });
  await agent.session('a\u{1f600}').run('go');
  expect((await agent.session('a\u{1f601}').run('go')).messages).toHaveLength(2);
});

it('a request that the log does not have is not settled, though the store may take its id for another one', async () => {
  const store = memoryStore();
  const settled: string[] = [];
  const trimming: SessionStore = {
    ...store,
    settle(sessionId, answer) {
      settled.push(answer.id);
      return store.settle(sessionId, { ...answer, id: answer.id.trim() });
    },
  };
  const session = asking(trimming);
  const { id } = (await session.run('go')).pending![0]!;
  await expect(session.resume({ id: `${id} `, ok: true })).rejects.toMatchObject({ code: 'TH_ANSWER_REFUSED' });
  expect(settled).toEqual([]);
  expect(await session.resume({ id, ok: true })).toMatchObject({ status: 'done' });
  await expect(session.resume({ id, ok: true })).rejects.toThrow(/answered before/);
});

describe('the port of ids', () => {
  const refused = (message: RegExp) => ({
    status: 'failed',
    error: expect.objectContaining({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(message) as string }),
  });
  const portOf = (bad: string, given: unknown) => {
    let count = 0;
    return ((kind: string) => (kind === bad ? given : `${kind}_${count++}`)) as never;
  };

  it.each([5, undefined, '', null, {}, 'a\0', '\ud800'])(
    'that gives %o for a call has its run fail, and nothing is written of that',
    async (given) => {
      const store = memoryStore();
      const { tool, ran } = echo();
      const made = kit([call('echo'), 'ok'], { store, tools: [tool], ids: portOf('call', given) });
      expect(await made.agent.session('s').run('go')).toMatchObject(refused(/^.*what the port ids gives for a call/));
      expect(ran).toEqual([]);
      expect((await store.read('s')).map(({ record }) => record.type)).toEqual([
        'opened',
        'run',
        'message',
        'spent',
        'settled',
      ]);
      expect(await kit(['fine'], { store }).agent.session('s').run('on')).toMatchObject({ status: 'done' });
    },
  );

  it('that gives one twice has its run fail before a call of that id runs', async () => {
    const { tool, ran } = echo();
    const two = { calls: [1, 2].map(() => ({ name: 'echo', args: { text: 'x' } })) };
    const { agent } = kit([two, 'ok'], { tools: [tool], ids: portOf('call', 'same') });
    expect(await agent.session('s').run('go')).toMatchObject(refused(/'same' for a call before/));
    expect(ran).toEqual([]);
  });

  it('that gives no text for a run keeps it from beginning', async () => {
    const store = memoryStore();
    const { agent } = kit(['ok'], { store, ids: portOf('run', 7) });
    await expect(agent.session('s').run('go')).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    expect(await store.read('s')).toEqual([]);
  });
});
