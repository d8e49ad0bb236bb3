import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { HookError, type LLMOutcome } from '@treblehook/types';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { createAgent, type Session } from '../src/index.js';
import { drive } from './drive.js';
import { call, kit, registryWithGuard, settle } from './kit.js';
import { tool } from './watched.js';

describe('waiting for the turn in a session', () => {
  it('has an end: a run that a body of the same session waits for is refused, and told who holds it', async () => {
    const clock = manualClock();
    let inner: unknown;
    const made: { session?: Session } = {};
    const nested = tool('nest', async () => {
      inner = await made.session!.run('nested').catch((error: unknown) => error);
      return 'nested';
    });
    const { agent } = kit([call('nest', {}), 'outer'], { tools: [nested], clock, lockWaitMs: 500 });
    made.session = agent.session('s');
    const outer = made.session.run('go');
    await settle();
    clock.advance(499);
    await settle();
    expect(inner).toBeUndefined();
    clock.advance(1);
    const { status, text, runId } = await outer;
    expect({ status, text }).toEqual({ status: 'done', text: 'outer' });
    expect(inner).toMatchObject({ code: 'TH_SESSION_BUSY', details: { holder: runId, ms: 500, session: 's' } });
    expect(clock.pending()).toBe(0);
    await agent.close();
  });

  it('has an end for close too, and the session closes once the run is over', async () => {
    const clock = manualClock();
    const refused: unknown[] = [];
    const made: { session?: Session } = {};
    const closing = tool('shut', async () => {
      await made.session!.close().catch((error: unknown) => refused.push(error));
      return 'went on';
    });
    const { agent, registry } = kit([call('shut', {}), 'outer'], { tools: [closing], clock });
    const ended: unknown[] = [];
    registry.registerVoid('sessionEnd', ({ how }) => void ended.push(how));
    made.session = agent.session('s');
    const outer = made.session.run('go');
    await settle();
    clock.advance(30_000);
    expect(await outer).toMatchObject({ status: 'done', text: 'outer' });
    expect(refused).toMatchObject([{ code: 'TH_SESSION_BUSY' }]);
    await made.session.close();
    expect(ended).toEqual(['closed']);
    expect(clock.pending()).toBe(0);
  });

  it('leaves no timer when it is aborted', async () => {
    const clock = manualClock();
    const hold = deferred();
    const abort = new AbortController();
    const { agent } = kit([{ text: 'x', hold: hold.promise }], { clock });
    const session = agent.session();
    const first = session.run('one');
    const second = session.run('two', { signal: abort.signal });
    await settle();
    abort.abort();
    expect(await second).toMatchObject({ status: 'aborted' });
    expect(clock.pending()).toBe(0);
    hold.resolve();
    expect(await first).toMatchObject({ status: 'done' });
  });
});

describe('an aborted model call', () => {
  it('is told once to afterLLM, with the reason and its attempts', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const { agent, registry } = kit([{ text: ['expensive'], hold: deferred().promise }]);
    const told: LLMOutcome[] = [];
    registry.registerVoid('afterLLM', (outcome) => void told.push(outcome));
    const stream = agent.stream('go', { signal: abort.signal });
    for await (const event of stream) if (event.type === 'text-delta') abort.abort(reason);
    expect(told).toMatchObject([{ attempts: 1, model: 'scripted' }]);
    expect(told[0]!.error).toBe(reason);
  });
});

describe('a fault that a model threw', () => {
  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'down'],
  ])('reaches afterLLM as it is: %s', async (_, thrown) => {
    const { outcomes, result } = await drive([() => Promise.reject(thrown)]);
    expect(outcomes[0]!.error).toBe(thrown);
    expect(result.error).toBe(thrown);
  });

  it('reaches afterLLM as the cause of an error when it is plain data, which could hold anything', async () => {
    const thrown: { code: number; self?: unknown } = { code: 500 };
    thrown.self = thrown;
    const { outcomes, result } = await drive([() => Promise.reject(thrown)]);
    expect(outcomes[0]!.error).toBeInstanceOf(Error);
    expect((outcomes[0]!.error as Error).cause).toBe(thrown);
    expect(result.error).toBe(thrown);
  });
});

describe('one signal', () => {
  it('given to many runs has one listener, and none when they are over', async () => {
    const abort = new AbortController();
    const hold = deferred();
    const model = scriptedModel(Array.from({ length: 40 }, () => ({ text: 'x', hold: hold.promise })));
    const agent = createAgent({ model, registry: registryWithGuard() });
    const runs = Array.from({ length: 40 }, (_, at) => agent.session(`s${at}`).run('go', { signal: abort.signal }));
    await settle();
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    hold.resolve();
    expect((await Promise.all(runs)).every(({ status }) => status === 'done')).toBe(true);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  it('aborts every run that it was given to', async () => {
    const abort = new AbortController();
    const model = scriptedModel(Array.from({ length: 5 }, () => ({ text: 'x', hold: deferred().promise })));
    const agent = createAgent({ model, registry: registryWithGuard() });
    const runs = Array.from({ length: 5 }, (_, at) => agent.session(`s${at}`).run('go', { signal: abort.signal }));
    await settle();
    abort.abort();
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(Array(5).fill('aborted'));
  });
});

describe('a retry', () => {
  const broken = (details: object): HookError =>
    new HookError('TH_MODEL_STREAM', { endpoint: 'x', what: 'y', ...details });

  it('follows no fault of a stream that says it is lasting', async () => {
    expect((await drive([broken({ retryable: false }), 'never'])).attempts).toEqual([1]);
    expect((await drive([broken({ retryable: true }), 'ok'])).attempts).toEqual([1, 2]);
    expect((await drive([broken({}), 'ok'])).attempts).toEqual([1, 2]);
  });

  it.each(['invalid_request_error', 'authentication_error', 'permission_error', 'insufficient_quota'])(
    'follows no error part of the type %s',
    async (type) => {
      for (const errorPart of [
        { type, message: 'no' },
        { type: 'error', error: { type, message: 'no' } },
      ]) {
        const { attempts, result } = await drive([{ errorPart }, 'never']);
        expect(attempts).toEqual([1]);
        expect(result.error).toMatchObject({ code: 'TH_MODEL_STREAM', message: expect.stringMatching(/no$/) });
      }
    },
  );

  it('that asks for a longer wait than a timer can keep is not attempted anew: no maxTotalMs allows it', async () => {
    const asked = Object.assign(new Error('429'), { statusCode: 429, responseHeaders: { 'retry-after': '3000000' } });
    const { waits, attempts, result } = await drive([asked, 'never'], { maxTotalMs: 2_147_483_647 });
    expect([waits, attempts, result.status]).toEqual([[], [1], 'failed']);
  });
});

it.each([
  { graceMs: 3_000_000_000 },
  { lockWaitMs: 3_000_000_000 },
  { retry: { baseMs: 3_000_000_000 } },
  { retry: { maxDelayMs: 3_000_000_000 } },
  { retry: { maxTotalMs: 1e12 } },
])('a time that no timer can keep is refused: %j', (options) => {
  expect(() => kit([], options)).toThrow(/to 2147483647, not/);
});
