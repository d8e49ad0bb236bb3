// Whoever stands behind something that a store does not answer waits no longer than for any turn, and an abort reaches it.
import type { Lease, SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createRuntime, memoryStore, type Received, type RunOptions } from '../src/index.js';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { channelsOf, channelWith, hello } from './channel-kit.js';
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
  let isHung: (records: any) => boolean = () => false;
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
  return { store, hang: (fits: typeof isHung = () => true) => (isHung = fits), answer };
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
    clock.advance(200); // who revokes waits for lockWaitMs
    await settle();
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
    expect(revoked()).toBe(name === 'append' ? 'TH_SESSION_BUSY' : 'revoked'); // no longer than lockWaitMs
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
    const front = watched(runtime.resume('wire:c1'));
    return { clock, front, end: watched(runtime.receive(hello, signal === undefined ? {} : { signal })), runtime };
  }

  it('is refused when it has waited for inboxWaitMs', async () => {
    const { clock, end, front, runtime } = behind();
    const other = watched(runtime.resume('wire:c1'));
    await settle();
    clock.advance(100);
    await settle();
    expect([end(), other(), front()]).toEqual(['TH_SESSION_BUSY', 'TH_SESSION_BUSY', 'TH_SESSION_BUSY']);
    expect(clock.pending()).toBe(0);
  });

  it('ends with its abort', async () => {
    const abort = new AbortController();
    const { clock, end } = behind(abort.signal);
    await settle();
    abort.abort();
    await settle();
    expect(end()).toBe('unsent');
    expect(clock.pending()).toBe(1); // the answer in front still waits
  });
});

describe('an answer whose session the store does not read', () => {
  function lookedUp(options: { readonly signal?: AbortSignal } = {}) {
    const { store, hang } = hanging('read');
    const clock = manualClock();
    const { runtime } = channelsOf(['one'], { store, clock, inboxWaitMs: 100 });
    hang();
    let fault: unknown;
    const looking = runtime.resume('wire:c1', undefined, options).catch((error: unknown) => (fault = error));
    return { clock, runtime, looking, fault: () => fault };
  }

  it('is refused when it has waited for inboxWaitMs', async () => {
    const { clock, fault } = lookedUp();
    await settle();
    clock.advance(99);
    await settle();
    expect(fault()).toBeUndefined();
    clock.advance(1);
    await settle();
    const message = /'wire:c1'.*within 100 ms: the session store has not answered/;
    expect(fault()).toMatchObject({ code: 'TH_SESSION_BUSY', message: expect.stringMatching(message) });
    expect(clock.pending()).toBe(0);
  });

  it('ends with its abort, which is told as the cause', async () => {
    const abort = new AbortController();
    const { clock, fault } = lookedUp({ signal: abort.signal });
    await settle();
    abort.abort(new Error('enough'));
    await settle();
    expect(fault()).toMatchObject({ code: 'TH_SESSION_BUSY', cause: abort.signal.reason });
    expect(clock.pending()).toBe(0);
  });

  it('holds no shutdown', async () => {
    const { clock, runtime, fault } = lookedUp();
    await settle();
    const down = runtime.shutdown({ graceMs: 10 });
    await settle();
    clock.advance(10);
    await settle();
    expect([(await down).stuck, fault()]).toMatchObject([[], { code: 'TH_SESSION_BUSY' }]);
  });
});

describe('a message of a session that may have been switched, and whose log the store does not read', () => {
  const personalities = [{ id: 'quiet' }];

  function offered(options: { readonly signal?: AbortSignal } = {}) {
    const { store, hang } = hanging('read');
    const clock = manualClock();
    const model = scriptedModel(['the reply']);
    const agents = { desk: { model, personality: { id: 'clerk', plugins: ['acme'] }, personalities } };
    const { registry, runtime: _, ...rest } = channelsOf([]);
    const sent: string[] = [];
    const channels = channelWith(({ text }) => void sent.push(text));
    const runtime = createRuntime({ registry, agents, channels, store, clock, inboxWaitMs: 100 });
    const receive = () => {
      let received: Received | undefined;
      let fault: unknown;
      runtime.receive(hello, options).then(
        (given) => (received = given),
        (error: unknown) => (fault = error),
      );
      return { received: () => received, fault: () => fault };
    };
    return { ...rest, registry, runtime, model, sent, clock, hang, receive };
  }

  it('is refused when its claim has waited for inboxWaitMs, and is aborted before its run', async () => {
    const late = offered();
    late.hang();
    const refused = late.receive();
    await settle();
    late.clock.advance(100);
    await settle();
    expect([refused.fault(), late.model.calls]).toMatchObject([{ code: 'TH_SESSION_BUSY' }, []]);
    const abort = new AbortController();
    const early = offered({ signal: abort.signal });
    early.hang((after) => after === undefined); // a whole log
    const aborted = early.receive();
    await settle();
    abort.abort();
    await settle();
    expect(aborted.received()).toMatchObject({ outcome: 'unsent', result: { status: 'aborted' } });
    expect([late.clock.pending(), early.clock.pending()]).toEqual([0, 0]);
  });

  it('is answered by nobody, and its reply is a failure of which the host alone is told', async () => {
    const { registry, clock, hang, receive, sent } = offered();
    const told: string[] = [];
    registry.registerVoid('messageSent', ({ ok }) => void told.push(`host ${ok}`));
    registry.forPlugin('acme').registerVoid('messageSent', () => void told.push('acme'));
    registry.registerVoid('agentDone', () => void hang());
    const { received } = receive();
    await settle();
    await settle();
    clock.advance(100);
    await settle();
    const error = { code: 'TH_SESSION_BUSY' };
    expect(received()).toMatchObject({ outcome: 'failed', error, result: { status: 'done', text: 'the reply' } });
    expect([told, sent, clock.pending()]).toEqual([['host false'], [], 0]);
  });
});
