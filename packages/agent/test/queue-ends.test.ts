// Whoever stands behind something that a store does not answer waits no longer than for any turn, and an abort reaches it.
import type { Lease, SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore, type RunOptions } from '../src/index.js';
import { deferred, manualClock } from '../src/testing/index.js';
import { channelsOf, hello } from './channel-kit.js';
import { call, kit, settle as turn } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';
import { tool } from './watched.js';

failOnUnhandledRejections();

async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn();
}

/** Once `hang` was called it answers `name` of what fits when `answer` says so. */
function hanging(name: 'append' | 'read' | 'release') {
  const inner = memoryStore();
  const answered = deferred<void>();
  let isHung = (_: unknown): boolean => false;
  const ask = inner[name] as (...given: readonly unknown[]) => unknown;
  const store = {
    ...inner,
    [name]: (...given: readonly unknown[]) =>
      isHung(given[1]) ? answered.promise.then(() => ask(...given)) : ask(...given),
  } as SessionStore;
  const answer = (): void => {
    isHung = () => false;
    answered.resolve();
  };
  return { store, hang: (fits = (_: any): boolean => true) => (isHung = fits), answer };
}

/** Its code, or its status, once it has settled. */
function watched(promise: Promise<{ readonly status?: string; readonly outcome?: string }>): () => string | undefined {
  let end: string | undefined;
  promise.then(
    ({ status, outcome }) => (end = status ?? outcome),
    (error: { readonly code: string }) => (end = error.code),
  );
  return () => end;
}

describe('a run behind a record that is appended outside of a run, and that the store does not answer', () => {
  async function behind(options: RunOptions = {}) {
    const { store, hang } = hanging('append');
    const clock = manualClock();
    const { agent } = kit(['one', 'two'], { store, clock, lockWaitMs: 200 });
    const session = agent.session('s');
    await session.run('go');
    const lease = (await store.acquire('s', 'test', 1_000)) as Lease;
    const grant = {
      id: 'grant',
      request: 'r',
      guard: 'g',
      rule: 'x',
      tool: { source: 'host', name: 't', digest: 'd' },
    };
    await store.append(lease, [{ type: 'grant', grant }]);
    await store.release(lease);
    hang();
    void session.revoke('grant').catch(() => {});
    await settle();
    return { clock, end: watched(session.run('on', options)) };
  }

  it('is refused when it has waited for lockWaitMs', async () => {
    const { clock, end } = await behind();
    await settle();
    clock.advance(199);
    await settle();
    expect(end()).toBeUndefined();
    clock.advance(1);
    await settle();
    expect(end()).toBe('TH_SESSION_BUSY');
    expect(clock.pending()).toBe(0);
  });

  it('ends with its abort', async () => {
    const abort = new AbortController();
    const { clock, end } = await behind({ signal: abort.signal });
    await settle();
    abort.abort();
    await settle();
    expect(end()).toBe('aborted');
    expect(clock.pending()).toBe(0);
  });
});

describe('a run that is over, and leaves a session whose store does not answer', () => {
  const grant = {
    id: 'grant',
    request: 'r',
    guard: 'g',
    rule: 'x',
    tool: { source: 'host', name: 't', digest: 'd' },
  };

  it.each(['append', 'release'] as const)('(%s) ends when its lease has run out by itself', async (name) => {
    const { store, hang, answer } = hanging(name);
    const clock = manualClock();
    const body = deferred<string>();
    const wait = tool('wait', () => body.promise);
    const { agent } = kit([call('wait', {}), 'one', 'two'], { store, clock, tools: [wait] });
    const lease = (await store.acquire('s', 'test', 1_000)) as Lease;
    await store.append(lease, [
      { type: 'opened', agent: 'agent' },
      { type: 'grant', grant },
    ]);
    await store.release(lease);
    const session = agent.session('s');
    const first = session.run('go');
    await settle();
    hang((records) => name === 'release' || (Array.isArray(records) && records[0]?.type === 'revoked'));
    const revoked = watched(session.revoke('grant').then(() => ({ status: 'revoked' })));
    body.resolve('over');
    const end = watched(first);
    await settle();
    clock.advance(29_999);
    await settle();
    expect(end()).toBeUndefined();
    clock.advance(1);
    await settle();
    expect(end()).toBe('done');
    expect(clock.pending()).toBe(0);
    answer();
    await settle();
    expect(revoked()).toBe('revoked');
    const next = watched(session.run('on'));
    for (let times = 0; times < 3; times++) {
      await settle();
      clock.advance(250);
    }
    await settle();
    expect(next()).toBe('done'); // the lease was given back behind the answer
    await agent.close();
  });
});

describe('a message behind an answer whose session the store does not read', () => {
  function behind(signal?: AbortSignal) {
    const { store, hang } = hanging('read');
    const clock = manualClock();
    const { runtime } = channelsOf(['one'], { store, clock, inboxWaitMs: 100 });
    hang();
    void runtime.resume('wire:c1').catch(() => {});
    return { clock, end: watched(runtime.receive(hello, signal === undefined ? {} : { signal })), runtime };
  }

  it('is refused when it has waited for inboxWaitMs', async () => {
    const { clock, end, runtime } = behind();
    const other = watched(runtime.resume('wire:c1'));
    await settle();
    clock.advance(100);
    await settle();
    expect([end(), other()]).toEqual(['TH_SESSION_BUSY', 'TH_SESSION_BUSY']);
    expect(clock.pending()).toBe(0);
  });

  it('ends with its abort', async () => {
    const abort = new AbortController();
    const { clock, end } = behind(abort.signal);
    await settle();
    abort.abort();
    await settle();
    expect(end()).toBe('unsent');
    expect(clock.pending()).toBe(0);
  });
});
