import { describe, expect, it } from 'vitest';
import { HookError, type LLMOutcome, type ModelStreamPart } from '@treblehook/types';
import { createAgent, type AgentEvent, type RetryOptions } from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { noUsage } from '../src/usage.js';
import { call, calls, collect, echo, kit, registryWithGuard, settle } from './kit.js';

const http = (status: number, retryAfterMs?: number): HookError =>
  new HookError('TH_MODEL_HTTP', { endpoint: 'x', status, what: 'no', retryAfterMs });
/** As the AI SDK spells one. */
const api = (statusCode: number | undefined, more: object = {}): Error =>
  Object.assign(new Error('api'), { name: 'AI_APICallError', statusCode, ...more });
const network = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

/** Runs to the end, letting each wait pass; gives the waits. */
async function drive(script: readonly ScriptedStep[], retry: RetryOptions = {}, random = 0.5) {
  const clock = manualClock(Date.parse('2030-01-01T00:00:00Z'));
  const made = kit(script, { clock, retry, random: () => random });
  const outcomes: LLMOutcome[] = [];
  const attempts: number[] = [];
  made.registry.registerVoid('afterLLM', (outcome) => void outcomes.push(outcome as LLMOutcome));
  made.registry.registerVoid('llmRequest', ({ attempt }) => void attempts.push(attempt));
  const waits: number[] = [];
  const events: AgentEvent[] = [];
  const stream = made.agent.stream('go');
  for (;;) {
    const pending = stream.next();
    await settle();
    const next = await pending;
    if (next.done === true) return { ...made, result: next.value, waits, events, outcomes, attempts, clock };
    events.push(next.value);
    if (next.value.type !== 'retry') continue;
    waits.push(next.value.waitMs);
    await settle();
    clock.advance(next.value.waitMs);
  }
}

describe('a model call', () => {
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
    ['a bug', new TypeError('x is not a function')],
  ])('is not tried again after %s; the run fails with that very error', async (_, error) => {
    const { result, model, outcomes } = await drive([error, 'never']);
    expect(result.status).toBe('failed');
    expect(result.error).toBe(error);
    expect(model.calls).toHaveLength(1);
    expect(outcomes).toMatchObject([{ attempts: 1, error }]);
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

  it.each<[string, ScriptedStep]>([
    ['ends without a finish', { text: 'looks whole.', finish: null }],
    ['ends without saying why', { text: 'looks whole.', finish: { unified: 'other', raw: undefined } }],
    ['ends in an error', { text: 'looks whole.', finish: 'error' }],
    ['sends an error part', { text: 'looks whole.', errorPart: { type: 'overloaded', message: 'overloaded' } }],
    ['announces calls and sends none', { text: 'looks whole.', finish: 'tool-calls' }],
  ])('whose stream %s is no answer', async (_, step) => {
    const { agent, model } = kit([step]);
    const { status, error, text, messages } = await agent.run('go');
    expect({ status, text }).toEqual({ status: 'failed', text: '' });
    expect(error).toMatchObject({ code: 'TH_MODEL_STREAM', message: expect.stringContaining('scripted/scripted') });
    expect(messages).toHaveLength(1);
    expect(model.openStreams()).toBe(0);
  });

  it.each([
    ['length', 'output'],
    ['content-filter', 'content-filter'],
    ['other', 'finish:pause'],
  ] as const)('that ends with %s is incomplete, and its tool calls are not run', async (unified, limit) => {
    const { tool, ran } = echo();
    const raw = unified === 'other' ? 'pause' : unified;
    const { agent } = kit(
      [{ text: 'as far as', calls: [{ name: 'echo', args: '{"text": "cut' }], finish: { unified, raw } }],
      { tools: [tool] },
    );
    const { messages, toolCalls, ...result } = await agent.run('go');
    expect(result).toMatchObject({ status: 'incomplete', limit, text: 'as far as' });
    expect(ran).toEqual([]);
    expect(toolCalls).toMatchObject([{ outcome: 'not-started' }]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('tells what the provider sent only when somebody listens', async () => {
    const raw = (rawValue: unknown): ModelStreamPart => ({ type: 'raw', rawValue });
    const step: ScriptedStep = { parts: [raw({ chunk: 1 }), raw('[DONE]')], text: 'x' };
    const quiet = kit([step]);
    await quiet.agent.run('go');
    expect(quiet.model.calls[0]).not.toHaveProperty('includeRawChunks');
    const { model, outcomes } = await drive([step]);
    expect(model.calls[0]!.includeRawChunks).toBe(true);
    expect(outcomes[0]!.response).toMatchObject({ raw: [{ chunk: 1 }, '[DONE]'], message: { role: 'assistant' } });
  });

  it('tells usage, finish and duration of each call, and its place', async () => {
    const clock = manualClock();
    const { agent, registry } = kit(
      [
        () => {
          clock.advance(30);
          return { text: 'x', usage: { input: 3, output: 2, cacheRead: 1, reasoning: 1 } };
        },
      ],
      { clock },
    );
    const told: LLMOutcome[] = [];
    registry.registerVoid('afterLLM', (outcome) => void told.push(outcome as LLMOutcome));
    await agent.run('go');
    expect(told).toMatchObject([
      {
        model: 'scripted',
        attempts: 1,
        ms: 30,
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 2, reasoning: 1 } },
      },
    ]);
  });

  it.each([true, false])('reads a stream to its finish and leaves it closed (readable: %s)', async (readable) => {
    const model = scriptedModel([call('echo'), { text: ['a', 'b'], parts: [] }], { readable });
    const agent = createAgent({ model, registry: registryWithGuard(), tools: [echo().tool] });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'ab' });
    expect(model.openStreams()).toBe(0);
  });

  it('passes over what a provider runs itself, and parts that it does not know', async () => {
    const { tool, ran } = echo();
    const parts: ModelStreamPart[] = [
      { type: 'stream-start' },
      { type: 'tool-call', toolCallId: 'p', toolName: 'echo', input: '{"text":"x"}', providerExecuted: true },
      { type: 'tool-result' },
      { type: 'of-tomorrow' } as never,
    ];
    const { agent } = kit([{ text: 'searched', parts }], { tools: [tool] });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'searched', toolCalls: [] });
    expect(ran).toEqual([]);
  });

  it('keeps interleaved blocks apart, and gives reasoning back with what the provider needs', async () => {
    const parts: ModelStreamPart[] = [
      { type: 'reasoning-start', id: '0' },
      { type: 'text-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'think' },
      { type: 'text-delta', id: '0', delta: 'say' },
      { type: 'reasoning-delta', id: '0', delta: 'ing', providerMetadata: { acme: { signature: 's' } } },
      { type: 'text-end', id: '0' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-delta', id: '1', delta: ' more' },
    ];
    const { agent, model } = kit([{ parts, calls: [{ name: 'echo', args: { text: 'x' } }] }, 'ok'], {
      tools: [echo().tool],
    });
    const { events } = await collect(agent.stream('go'));
    expect(events.flatMap((one) => (one.type === 'text-delta' && one.turn === 0 ? [one.text] : [])).join('')).toBe(
      'say more',
    );
    expect(model.calls[1]!.prompt[1]!.content).toMatchObject([
      { type: 'tool-call' },
      { type: 'reasoning', text: 'thinking', providerOptions: { acme: { signature: 's' } } },
      { type: 'text', text: 'say' },
      { type: 'text', text: ' more' },
    ]);
  });

  it('shows a model its unreadable arguments as an object, which every provider takes', async () => {
    const { agent, model } = kit([call('echo', '[1,'), call('echo', '[1]'), call('echo', ''), 'ok'], {
      tools: [echo().tool],
    });
    await agent.run('go');
    const inputs = model.calls[3]!.prompt.flatMap(({ content }) => content as { input?: unknown }[]).flatMap(
      ({ input = [] }) => input,
    );
    expect(inputs).toEqual([{ unreadable: '[1,' }, { unreadable: [1] }, {}]);
  });

  it('runs the calls of an answer that ends with stop', async () => {
    const { tool, ran } = echo();
    const { agent } = kit([{ ...(calls('echo') as object), finish: 'stop' }, 'ok'], { tools: [tool] });
    await agent.run('go');
    expect(ran).toHaveLength(1);
  });

  it('is not waited for when the stream hangs behind its finish', async () => {
    const { agent } = kit([
      {
        text: 'x',
        parts: [{ type: 'finish', usage: noUsage, finishReason: { unified: 'stop', raw: 'stop' } }],
        hold: deferred().promise,
      },
    ]);
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'x' });
  });
});
