// A store that never answers one call costs that call, and not its session: the next ones have their turn once the lease has run out.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, pending, type SessionRecord, type SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createRuntime, memoryStore } from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, echo, kit, registryWithGuard, settle as turn } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';
import { tool } from './watched.js';

failOnUnhandledRejections();

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

/** How it has ended: `over`, its status, or its code. */
function watched(promise: Promise<unknown>): () => string | undefined {
  let end: string | undefined;
  promise.then(
    (given) => (end = (given as { readonly status?: string } | undefined)?.status ?? 'over'),
    (error: { readonly code: string }) => (end = error.code),
  );
  return () => end;
}

type Asked = 'acquire' | 'append' | 'read' | 'release';

/** Does what it is asked for; the one call of `name` behind `hang` is answered when `answer` says so. The clock is that of its leases. */
function silent(name: Asked, isDone = true) {
  const clock = manualClock();
  const inner = memoryStore({ now: () => clock.now() });
  const answer = deferred<void>();
  let isHung = false;
  const ask = inner[name] as (...given: readonly unknown[]) => unknown;
  const store = {
    ...inner,
    [name]: (...given: readonly unknown[]) => {
      if (!isHung) return ask(...given);
      isHung = false;
      if (!isDone) return answer.promise.then(() => ask(...given));
      const done = ask(...given);
      return answer.promise.then(() => done);
    },
  } as SessionStore;
  return { store, clock, hang: () => void (isHung = true), answer: () => answer.resolve() };
}

/** A session with a grant, for whose tool `asker` asks. */
async function granting({ store, clock }: ReturnType<typeof silent>, more: readonly ScriptedStep[] = []) {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming(
    'toolPolicy',
    ({ tool: { name } }) => (name === 'a' ? { ask: 'may it?', rule: 'a' } : undefined),
    {
      id: 'asker',
    },
  );
  const body = deferred<string>();
  const slow = tool('slow', () => body.promise);
  const { agent } = kit([call('a'), 'one', ...more, 'two', 'three'], {
    registry,
    tools: [echo('a').tool, slow],
    store,
    clock,
    lockWaitMs: 1_000,
    graceMs: 10,
    answerer: { answer: ({ id }) => ({ id, ok: true, data: { remember: { for: 'session', args: 'any' } } }) },
  });
  const session = agent.session('s');
  await session.run('go');
  return { session, grant: session.grants()[0]!.id, body };
}

const typesOf = async (store: SessionStore): Promise<readonly SessionRecord['type'][]> =>
  (await store.read('s')).map(({ record }) => record.type);

describe('a release that is never answered', () => {
  it.each(['revoked', 'late'] as const)(
    'keeps what is appended outside (%s) for no longer than the lease',
    async (what) => {
      const silence = silent('release');
      const { store, clock, hang } = silence;
      const { session, grant, body } = await granting(silence, [call('slow', {})]);
      hang();
      const abort = new AbortController();
      const run = watched(session.run('on', { signal: abort.signal }));
      await settle();
      abort.abort();
      await settle();
      clock.advance(10); // for its body
      await settle();
      const revoked = what === 'revoked' ? watched(session.revoke(grant)) : undefined;
      if (what === 'late') body.resolve('at last');
      await settle();
      clock.advance(999);
      await settle();
      expect([run(), revoked?.()]).toEqual([undefined, undefined]);
      clock.advance(1);
      await settle();
      expect(revoked?.()).toBe(what === 'revoked' ? 'TH_SESSION_BUSY' : undefined);
      clock.advance(29_000);
      await settle();
      expect([run(), (await typesOf(store)).at(-1)]).toEqual(['aborted', what]);
      expect([await session.run('next'), await session.run('next')]).toMatchObject([
        { status: 'done' },
        { status: 'done' },
      ]);
      expect(session.grants()).toHaveLength(what === 'revoked' ? 0 : 1);
      expect(clock.pending()).toBe(0);
    },
  );

  it('keeps a revocation that is durable, and the runs behind it, for no longer than the lease', async () => {
    const silence = silent('release');
    const { store, clock, hang } = silence;
    const { session, grant } = await granting(silence);
    hang();
    void session.revoke(grant).catch(() => {});
    await settle();
    clock.advance(30_000);
    await settle();
    expect(await typesOf(store)).toContain('revoked');
    expect([(await session.run('next')).status, session.grants(), clock.pending()]).toEqual(['done', [], 0]);
  });
});

describe('a revocation that the store does not answer', () => {
  it('(append) is refused with lockWaitMs and stays out of force; the next run has its turn behind the lease', async () => {
    const silence = silent('append', false);
    const { store, clock, hang, answer } = silence;
    const { session, grant } = await granting(silence);
    hang();
    const revoked = watched(session.revoke(grant));
    await settle();
    clock.advance(1_000);
    await settle();
    expect([revoked(), session.grants()]).toEqual(['TH_SESSION_BUSY', []]);
    clock.advance(29_000);
    await settle();
    expect((await session.run('next')).status).toBe('done');
    answer(); // its lease is over: the store refuses it, and the log has the grant
    await settle();
    expect(await typesOf(store)).not.toContain('revoked');
    expect(session.grants()).toMatchObject([{ id: grant }]);
    expect(clock.pending()).toBe(0);
  });

  it('(acquire) is refused with lockWaitMs, keeps nobody, and gives back what it gets too late', async () => {
    const silence = silent('acquire');
    const { store, clock, hang, answer } = silence;
    const { session, grant } = await granting(silence);
    hang();
    const revoked = watched(session.revoke(grant));
    await settle();
    clock.advance(1_000);
    await settle();
    expect([revoked(), session.grants()]).toMatchObject(['TH_SESSION_BUSY', [{ id: grant }]]);
    answer();
    await settle();
    expect((await store.list())[0]).not.toHaveProperty('holder');
    expect([(await session.run('next')).status, clock.pending()]).toEqual(['done', 0]);
  });

  it('(read) is refused with lockWaitMs', async () => {
    const silence = silent('read');
    const { clock, hang } = silence;
    const { session } = await granting(silence);
    hang();
    const revoked = watched(session.revoke('of another process'));
    await settle();
    clock.advance(1_000);
    await settle();
    expect([revoked(), clock.pending()]).toEqual(['TH_SESSION_BUSY', 0]);
  });
});

it('a load that the store does not answer leaves the queue with lockWaitMs, and nothing is taken from it later', async () => {
  const silence = silent('read');
  const { clock, hang, answer } = silence;
  const { session } = await granting(silence);
  hang();
  const loaded = watched(session.load());
  await settle();
  clock.advance(1_000);
  await settle();
  expect(loaded()).toBe('TH_SESSION_BUSY');
  await session.run('next');
  const before = session.messages();
  answer();
  await settle();
  expect([session.messages(), clock.pending()]).toEqual([before, 0]);
});

describe('a log that cannot be read behind its lease', () => {
  it('of a child that is left behind keeps no lease and no timer', async () => {
    const inner = memoryStore();
    let isDown = false;
    const store: SessionStore = {
      ...inner,
      read(id, after) {
        if (isDown && id !== 's' && after !== undefined) throw new Error('disk busy');
        return inner.read(id, after);
      },
    };
    const ask = tool('ask', () => pending({ kind: 'input', prompt: 'which?' }));
    const clock = manualClock();
    const script = [call('task', { agent: 'helper', prompt: 'x' }), 'on'];
    const agents = {
      lead: { model: scriptedModel(script), tools: [ask], agents: ['helper'] },
      helper: { model: scriptedModel([call('ask', {})]), tools: [ask] },
    };
    const session = createRuntime({ registry: registryWithGuard(), store, clock, agents }).agent('lead').session('s');
    await session.run('go');
    isDown = true;
    expect((await session.run('something else')).status).toBe('done');
    expect(clock.pending()).toBe(0);
    for (const summary of await inner.list()) expect(summary).not.toHaveProperty('holder');
  });
});
