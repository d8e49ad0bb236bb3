import { describe, expect, it } from 'vitest';
import { HookError } from '@treblehook/types';
import { manualClock, type ScriptedStep } from '../src/testing/index.js';
import { retryAfterOf } from '../src/model/retry.js';
import { kit, settle } from './kit.js';

import { drive } from './drive.js';
const http = (status: number, retryAfterMs?: number): HookError =>
  new HookError('TH_MODEL_HTTP', { endpoint: 'x', status, what: 'no', retryAfterMs });
/** As the AI SDK spells one. */
const api = (statusCode: number | undefined, more: object = {}): Error =>
  Object.assign(new Error('api'), { name: 'AI_APICallError', statusCode, ...more });
const network = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

describe('a model call that fails', () => {
  it.each([
    ['408', http(408)],
    ['409', http(409)],
    ['429', http(429)],
    ['500', http(500)],
    ['529', http(529)],
    ['a refused connection', network('ECONNREFUSED')],
    ['a reset connection', network('ECONNRESET')],
    ['an unreachable endpoint', new HookError('TH_MODEL_UNREACHABLE', { endpoint: 'x', what: 'no' })],
    ['503 of the AI SDK', api(503)],
    ['a connection error of the AI SDK', api(undefined, { isRetryable: true })],
    ['429 wrapped twice', new Error('outer', { cause: new Error('inner', { cause: api(429) }) })],
  ])('is tried again after %s', async (_, error) => {
    const { result, model, attempts, outcomes } = await drive([error, error, 'fine']);
    expect(result).toMatchObject({ status: 'done', text: 'fine', turns: 1 });
    expect(model.calls).toHaveLength(3);
    expect(attempts).toEqual([1, 2, 3]);
    expect(outcomes).toMatchObject([{ attempts: 3 }]);
  });

  it.each([
    ['400', http(400)],
    ['401', http(401)],
    ['404', http(404)],
    ['422 that says it is retryable', api(422, { isRetryable: true })],
    ['400 inside a broken stream', new HookError('TH_MODEL_STREAM', { endpoint: 'x', what: 'no', cause: api(400) })],
    ['an abort from elsewhere', new DOMException('x', 'AbortError')],
    ['an abort that has broken its connection', Object.assign(network('ECONNRESET'), { name: 'AbortError' })],
    ['a bug', new TypeError('x is not a function')],
  ])('is not tried again after %s; the run fails with that very error', async (_, error) => {
    const { result, model, outcomes } = await drive([error, 'never']);
    expect(result.status).toBe('failed');
    expect(result.error).toBe(error);
    expect(model.calls).toHaveLength(1);
    expect(outcomes).toMatchObject([{ attempts: 1, error }]);
  });

  it('is tried again after a fault of a provider that has its own copy of the contracts', async () => {
    const copied = new URL('../../types/src/errors.ts?copy', import.meta.url).href;
    const copy = ((await import(/* @vite-ignore */ copied)) as { readonly HookError: typeof HookError }).HookError;
    expect(copy).not.toBe(HookError);
    const busy = new copy('TH_MODEL_HTTP', { endpoint: 'x', status: 503, what: 'no', retryAfterMs: 700 });
    const gone = new copy('TH_MODEL_UNREACHABLE', { endpoint: 'x', what: 'no' });
    const never = new copy('TH_MODEL_UNREACHABLE', { endpoint: 'x', what: 'no', retryable: false });
    expect((await drive([busy, gone, 'fine'])).result).toMatchObject({ status: 'done', text: 'fine' });
    expect((await drive([never, 'fine'])).result).toMatchObject({ status: 'failed', error: never });
    expect(retryAfterOf(busy, 0)).toBe(700);
  });

  it('waits twice as long each time, within bounds, with jitter', async () => {
    const again = Array.from({ length: 5 }, () => http(500));
    const retry = { attempts: 6, baseMs: 100, maxDelayMs: 500 };
    expect((await drive([...again, 'x'], retry, 0)).waits).toEqual([50, 100, 200, 250, 250]);
    expect((await drive([...again, 'x'], retry, 0.999_999)).waits).toEqual([100, 200, 400, 500, 500]);
  });

  it.each([
    ['ms of our providers', http(429, 3000)],
    ['seconds', api(429, { responseHeaders: { 'Retry-After': '3' } })],
    ['ms', api(429, { responseHeaders: { 'retry-after-ms': '3000', 'retry-after': '9' } })],
    ['a date', api(503, { responseHeaders: { 'retry-after': 'Tue, 01 Jan 2030 00:00:03 GMT' } })],
  ])('waits at least as long as Retry-After asks in %s', async (_, error) => {
    expect((await drive([error, 'x'], {}, 0)).waits).toEqual([3000]);
    const [waited] = (await drive([error, 'x'], {}, 0.9)).waits;
    expect(waited).toBeGreaterThan(3000);
    expect(waited).toBeLessThan(3500);
  });

  it.each(['-1', '1e3', 'soon', ''])('takes a Retry-After of %j for none', async (value) => {
    const { waits } = await drive([api(429, { responseHeaders: { 'retry-after': value } }), 'x'], { baseMs: 100 }, 0);
    expect(waits).toEqual([50]);
  });

  it('does not wait at all when it is asked to wait longer than the cap', async () => {
    const error = http(429, 600_000);
    const { result, waits } = await drive([error, 'never']);
    expect(waits).toEqual([]);
    expect(result.error).toBe(error);
  });

  it('gives up after so many attempts, or so much waiting, and tells it once', async () => {
    const many = Array.from({ length: 20 }, () => http(500));
    const { outcomes, model, events } = await drive(many, { attempts: 3 });
    expect(model.calls).toHaveLength(3);
    expect(outcomes).toMatchObject([{ attempts: 3, error: many[2] }]);
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2);
    const { waits } = await drive(many, { attempts: 20, baseMs: 1000, maxDelayMs: 1000, maxTotalMs: 3500 }, 0.999_999);
    expect(waits).toEqual([1000, 1000, 1000]);
  });

  it('begins no attempt behind the end of the wall time', async () => {
    const clock = manualClock();
    const { agent, model } = kit([http(429, 5000), 'never'], { clock, limits: { wallMs: 4000 } });
    expect(await agent.run('go')).toMatchObject({ status: 'failed', error: { code: 'TH_MODEL_HTTP' } });
    expect(model.calls).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('ends while it waits to try again when the run is aborted', async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const { agent, model } = kit([http(500), 'never'], { clock });
    const run = agent.run('go', { signal: abort.signal });
    await settle();
    expect(clock.pending()).toBe(1);
    abort.abort();
    expect(await run).toMatchObject({ status: 'aborted' });
    expect([clock.pending(), model.calls.length]).toEqual([0, 1]);
  });

  it('is tried again when its stream breaks before anything went out', async () => {
    const broken: ScriptedStep = { text: '', calls: [{ name: 'x' }], error: network('ECONNRESET') };
    const { result } = await drive([
      broken,
      { finish: null },
      { finish: { unified: 'other', raw: undefined } },
      'fine',
    ]);
    expect(result).toMatchObject({ status: 'done', text: 'fine', toolCalls: [] });
  });

  it('is not tried again once a delta went out: two answers are never glued together', async () => {
    const error = network('ECONNRESET');
    const { result, events, model } = await drive([{ text: ['half an '], error }, 'whole']);
    expect(result).toMatchObject({ status: 'failed', error, text: '' });
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(1);
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify(result.messages)).not.toContain('half an');
  });
});
