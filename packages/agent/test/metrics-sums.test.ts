// The sums of a run: what its model calls used, each of them once, failed attempts and calls of handlers and of an earlier process too.
import { agentHooks, type LLMOutcome, type SideCallAnswer } from '@treblehook/types';
import { createHookRegistry } from '@treblehook/core';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore, type AgentOptions, type Metric, type MetricTokens } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { call, echo, kit, registryWithGuard, settle } from './kit.js';

const ask = (text: string) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
const usage = { input: 100, output: 20, cacheRead: 40, cacheWrite: 10, reasoning: 5 };
const using = (step: object, input: number, output: number): ScriptedStep => ({ ...step, usage: { input, output } });
/** An attempt that the provider ended, and counted, and that is no answer. */
const refused: ScriptedStep = { text: '', finish: { unified: 'error', raw: 'overloaded' }, usage };
const prices = { scripted: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } };

const keys = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const;
const sumOf = (metrics: readonly Metric[]): MetricTokens & { cost?: number } => {
  const sum: Record<string, number> = {};
  for (const one of metrics) {
    if (one.type !== 'llm') continue;
    for (const key of keys) if (one.tokens[key] !== undefined) sum[key] = (sum[key] ?? 0) + one.tokens[key];
    if (one.cost !== undefined) sum['cost'] = (sum['cost'] ?? 0) + one.cost;
  }
  return sum;
};
const runsOf = (metrics: readonly Metric[]) => metrics.flatMap((one) => (one.type === 'run' ? [one] : []));

function metered(script: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const metrics: Metric[] = [];
  const outcomes: LLMOutcome[] = [];
  const retry = { baseMs: 0, maxDelayMs: 0 };
  const made = kit(script, { prices, retry, ...options, onMetric: (metric: Metric) => void metrics.push(metric) });
  made.registry.registerVoid('afterLLM', (outcome) => void outcomes.push(outcome));
  return { ...made, metrics, outcomes };
}

describe('what the model calls of a run used', () => {
  it('is its sum: answers, retried attempts and calls of handlers, each once', async () => {
    const { agent, registry, metrics, outcomes } = metered(
      [
        using({ text: 'title' }, 7, 3),
        refused,
        refused,
        { ...(call('echo') as object), usage },
        new Error('no'),
        'never',
      ],
      { tools: [echo().tool] },
    );
    registry.registerVoid('messageReceived', async (_, { callModel }) => void (await callModel!(ask('title?'), 't')));
    const result = await agent.run('go');
    const llm = metrics.filter(({ type }) => type === 'llm');
    expect(llm).toMatchObject([
      { purpose: 't', attempts: 1, tokens: { input: 7, output: 3 } },
      { attempts: 3, tokens: { input: 300, output: 60, cacheRead: 120, cacheWrite: 30, reasoning: 15 } },
      { status: 'error', attempts: 1, tokens: {} },
    ]);
    expect(outcomes[1]).toMatchObject({ attempts: 3, usage: { inputTokens: { total: 300, cacheRead: 120 } } });
    const [run] = runsOf(metrics);
    const { cost, ...tokens } = sumOf(metrics);
    expect(run).toMatchObject({ status: 'failed', tokens: { ...tokens, input: 307, output: 63 } });
    expect(run!.cost).toBeCloseTo(cost!, 12);
    expect(result.usage).toMatchObject({ inputTokens: { total: 307 }, outputTokens: { total: 63, reasoning: 15 } });
  });

  it('is told of a call whose attempts have all failed, and counts for the run', async () => {
    const { agent, metrics, outcomes } = metered([refused, refused], {
      retry: { attempts: 2, baseMs: 0, maxDelayMs: 0 },
    });
    const result = await agent.run('go');
    expect(result.status).toBe('failed');
    expect(outcomes).toMatchObject([
      { attempts: 2, usage: { inputTokens: { total: 200 }, outputTokens: { total: 40 } } },
    ]);
    expect(outcomes[0]).not.toHaveProperty('response');
    const { cost, ...tokens } = sumOf(metrics);
    expect(runsOf(metrics)[0]).toMatchObject({ tokens, cost, status: 'failed' });
    expect(tokens).toMatchObject({ input: 200, output: 40 });
  });

  it('counts against the limits, failed attempts of handlers’ calls too', async () => {
    const { agent, registry, metrics } = metered(
      [{ ...(call('echo') as object), usage: { input: 1, output: 1 } }, refused, 'never'],
      {
        tools: [echo().tool],
        limits: { tokens: 100 },
        retry: { attempts: 1 },
      },
    );
    registry.registerVoid('toolEnd', async (_, { callModel }) => {
      await expect(callModel!(ask('q'), 'side')).rejects.toMatchObject({ code: 'TH_MODEL_STREAM' });
    });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'tokens', turns: 1 });
    expect(runsOf(metrics)[0]).toMatchObject({ tokens: { input: 101, output: 21 } });
  });

  it('of a run without any report is unknown, not zero; of one with some, what was reported', async () => {
    const silent: ScriptedStep = {
      text: 'x',
      finish: null,
      parts: [
        {
          type: 'finish',
          finishReason: { unified: 'stop', raw: 'stop' },
          usage: {
            inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: undefined, text: undefined, reasoning: undefined },
          },
        },
      ],
    };
    const none = metered([silent]);
    await none.agent.run('go');
    expect(runsOf(none.metrics)[0]).toMatchObject({ tokens: {} });
    expect(runsOf(none.metrics)[0]).not.toHaveProperty('cost');
    const zero = metered([using({ text: 'x' }, 0, 0)]);
    await zero.agent.run('go');
    expect(runsOf(zero.metrics)[0]).toMatchObject({ tokens: { input: 0, output: 0 }, cost: 0 });
    const some = metered([using(call('nothing', {}) as object, 9, 1), silent]);
    await some.agent.run('go');
    expect(runsOf(some.metrics)[0]).toMatchObject({ tokens: { input: 9, output: 1 } });
    expect(runsOf(some.metrics)[0]).not.toHaveProperty('cost');
  });

  it('of a provider that counts its cache beside the input never costs less than nothing', async () => {
    const { agent, metrics } = metered([
      {
        text: 'x',
        finish: null,
        parts: [
          {
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: {
              inputTokens: { total: 10, noCache: undefined, cacheRead: 1_000, cacheWrite: undefined },
              outputTokens: { total: 0, text: 0, reasoning: 0 },
            },
          },
        ],
      },
    ]);
    await agent.run('go');
    expect(runsOf(metrics)[0]!.cost).toBeCloseTo((1_000 * 0.3) / 1_000_000, 12);
  });
});

describe('a run that waits and goes on in another process', () => {
  const side = (registry: ReturnType<typeof registryWithGuard>): void => {
    registry.registerModifying('beforeInput', async (_, { callModel }) => void (await callModel!(ask('in?'), 'input')));
    registry.registerModifying(
      'beforeLLM',
      async ({ origin, purpose }, { callModel }) => {
        if (origin.turn === 0 && purpose === undefined) await callModel!(ask('q'), 'summary');
      },
      { id: 'summariser' },
    );
  };

  it('has used what it used before, the calls of handlers too, and nothing twice', async () => {
    const store = memoryStore();
    const { tool } = echo();
    const registry = registryWithGuard();
    side(registry);
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
    const steps = [
      using({ text: 'in' }, 1, 1),
      using({ text: 'sum' }, 50, 5),
      { ...(call('echo') as object), usage },
    ] as const;
    const one = metered(steps, { store, tools: [tool], registry, limits: { tokens: 10_000 } });
    const session = one.agent.session('s');
    const waits = await session.run('go');
    expect(waits.status).toBe('pending');
    const before = sumOf(one.metrics);
    expect(runsOf(one.metrics)[0]).toMatchObject({ status: 'pending', tokens: { input: 151, output: 26 } });

    const two = metered([using({ text: 'done' }, 9, 2)], { store, tools: [tool], registry: registryWithGuard() });
    const result = await two.agent.resume('s', { id: waits.pending![0]!.id, ok: true });
    expect(result).toMatchObject({
      status: 'done',
      usage: { inputTokens: { total: 160 }, outputTokens: { total: 28 } },
    });
    const after = sumOf(two.metrics);
    const run = runsOf(two.metrics)[0]!;
    expect(run.tokens).toMatchObject({ input: before.input! + after.input!, output: before.output! + after.output! });
    expect(run.cost).toBeCloseTo(before.cost! + after.cost!, 12);
  });

  it('has its limits used up by them as well', async () => {
    const store = memoryStore();
    const { tool } = echo();
    const registry = registryWithGuard();
    side(registry);
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
    const steps = [using({ text: 'in' }, 1, 1), using({ text: 'sum' }, 500, 5), using(call('echo') as object, 1, 1)];
    const limits = { tokens: 600 };
    const one = metered(steps, { store, tools: [tool], registry, limits });
    const waits = await one.agent.session('s').run('go');
    const two = metered([using(call('echo') as object, 90, 5), 'never'], { store, tools: [tool], limits });
    expect(await two.agent.resume('s', { id: waits.pending![0]!.id, ok: true })).toMatchObject({
      status: 'incomplete',
      limit: 'tokens',
    });
    expect(two.model.calls).toHaveLength(1);
  });

  it('counts of an answer what it counted, whatever a handler has asked behind it', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    let asked = 0;
    registry.registerVoid('afterLLM', async (_, { callModel }) => {
      if (asked++ === 0) await callModel!(ask('how was it?'), 'judge');
    });
    await metered([using({ text: 'done' }, 40, 2), using({ text: 'good' }, 9_000, 9)], {
      store,
      registry,
      limits: { tokens: 100_000 },
    })
      .agent.session('s')
      .run('go');
    const records = await store.read('s');
    const counted = records.flatMap(({ record }) =>
      record.type === 'answer' || record.type === 'spent' ? [[record.type, record.tokens]] : [],
    );
    expect(counted).toEqual([
      ['spent', 9_009],
      ['answer', 42],
    ]);
  });

  it('of which nothing is stored leaves no record of what a handler asked', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    registry.registerModifying('beforeInput', async (_, { callModel }) => {
      const { text } = (await callModel!(ask('fine?'), 'check')) as SideCallAnswer;
      return { reject: text };
    });
    const { agent, metrics } = metered([using({ text: 'no' }, 9, 1)], { store, registry });
    expect(await agent.session('s').run('go')).toMatchObject({
      status: 'vetoed',
      usage: { inputTokens: { total: 9 } },
    });
    expect(await store.read('s')).toEqual([]);
    expect(runsOf(metrics)[0]).toMatchObject({ tokens: { input: 9, output: 1 } });
  });
});

describe('a sink', () => {
  it('that gives a promise of another kind which rejects is contained, and said once', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    class Late {
      // oxlint-disable-next-line no-thenable -- a promise of another library is one
      then(_: unknown, reject: (error: Error) => void): void {
        reject(new Error('sink is down'));
      }
    }
    await kit(['done'], { onMetric: () => new Late() }).agent.run('go');
    await settle();
    expect(warn.mock.calls.map(([text]) => text)).toEqual(['a metric sink failed: sink is down']);
    expect(unhandled).toEqual([]);
    process.off('unhandledRejection', note);
    warn.mockRestore();
  });

  it('that starts a run of its own agent loses nothing and doubles nothing', async () => {
    const metrics: Metric[] = [];
    let again: Promise<unknown> | undefined;
    const { agent } = kit(['one', 'two'], {
      onMetric: (metric) => {
        metrics.push(metric);
        if (metric.type === 'run') again ??= agent.session('other').run('go');
      },
    });
    await agent.run('go');
    await again;
    expect(metrics.map(({ type }) => type)).toEqual(['llm', 'run', 'llm', 'run']);
    expect(new Set(metrics.map(({ origin }) => origin.runId)).size).toBe(2);
  });

  it('is told where each metric comes from: run, session, agent path, personality, turn; of calls the attempt too', async () => {
    const registry = createHookRegistry(agentHooks);
    registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
    const { agent, metrics } = metered([call('echo'), 'done'], { registry, name: 'clerk', tools: [echo().tool] });
    const { runId, sessionId } = await agent.run('go');
    for (const { origin, ms } of metrics) {
      expect(origin).toEqual({
        runId,
        sessionId,
        agentPath: ['clerk'],
        personality: 'default',
        turn: expect.any(Number),
      });
      expect(ms).toBeGreaterThanOrEqual(0);
    }
    const attempts = metrics.flatMap((one): (readonly unknown[])[] => {
      if (one.type === 'llm') return [[one.type, one.origin.turn, one.attempts]];
      return one.type === 'tool' ? [[one.type, one.origin.turn, one.attempt]] : [];
    });
    expect(attempts).toEqual([
      ['llm', 0, 1],
      ['tool', 0, 1],
      ['llm', 1, 1],
    ]);
  });
});
