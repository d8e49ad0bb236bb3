// What a metric sink is told: every event with its ids, counts as reported, and nothing that a broken sink can harm.
import type { Metric } from '../src/index.js';
import { manualClock } from '../src/testing/index.js';
import { describe, expect, it, vi } from 'vitest';
import { call, echo, kit, registryWithGuard, settle } from './kit.js';

const metered = (script: Parameters<typeof kit>[0], options: Parameters<typeof kit>[1] = {}) => {
  const metrics: Metric[] = [];
  const made = kit(script, { ...options, onMetric: (metric) => void metrics.push(metric) });
  const of = <T extends Metric['type']>(type: T) =>
    metrics.filter((one): one is Extract<Metric, { type: T }> => one.type === type);
  return { ...made, metrics, of };
};
const usage = { input: 100, output: 20, cacheRead: 40, cacheWrite: 10, reasoning: 5 };
const tokens = usage;

describe('metrics', () => {
  it('tell each model call, each tool call and the run, with the ids of where they come from', async () => {
    const { agent, of } = metered([{ ...(call('echo') as object), usage }, 'done'], { tools: [echo().tool] });
    const { runId, sessionId } = await agent.run('go');
    const origin = { runId, sessionId, agentPath: ['agent'], personality: 'default' };
    expect(of('llm')).toMatchObject([
      {
        origin: { ...origin, turn: 0 },
        model: 'scripted',
        status: 'ok',
        attempts: 1,
        finishReason: 'tool-calls',
        tokens,
      },
      { origin: { ...origin, turn: 1 }, status: 'ok', tokens: { input: 10, output: 5 } },
    ]);
    expect(of('tool')).toMatchObject([
      { origin, name: 'echo', status: 'ok', record: { decision: 'clear', digest: expect.any(String) } },
    ]);
    expect(of('run')).toMatchObject([
      {
        origin,
        status: 'done',
        turns: 2,
        toolCalls: 1,
        tokens: { input: 110, output: 25, cacheRead: 40, cacheWrite: 10, reasoning: 5 },
      },
    ]);
  });

  it('leave out what was not reported: absent is not zero', async () => {
    const none = {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    const { agent, of } = metered(
      [{ parts: [{ type: 'finish', usage: none, finishReason: { unified: 'stop', raw: 'stop' } }], finish: null }],
      { prices: { scripted: { input: 1, output: 1 } } },
    );
    await agent.run('go');
    expect(of('llm')[0]!.tokens).toEqual({});
    expect(of('llm')[0]).not.toHaveProperty('cost');
    expect(of('run')[0]).not.toHaveProperty('cost');
  });

  it('carry a cost where the price of the model is known, cached tokens at their own', async () => {
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const { agent, of } = metered([{ text: 'a', usage }], { prices: { scripted: price } });
    await agent.run('go');
    const cost = (50 * 3 + 40 * 0.3 + 10 * 3.75 + 20 * 15) / 1_000_000;
    expect(of('llm')[0]!.cost).toBeCloseTo(cost, 12);
    expect(of('run')[0]!.cost).toBeCloseTo(cost, 12);
  });

  it('know no cost of a run in which one call has none', async () => {
    const { agent, of } = metered([call('nothing', {}), 'b']);
    await agent.run('go');
    expect(of('run')[0]).not.toHaveProperty('cost');
  });

  it('tell failed and aborted calls as what they are, with their attempts', async () => {
    const failed = metered([new Error('no')]);
    await failed.agent.run('go');
    expect(failed.of('llm')).toMatchObject([{ status: 'error', attempts: 1, tokens: {} }]);
    expect(failed.of('run')).toMatchObject([{ status: 'failed' }]);
    const abort = new AbortController();
    const aborted = metered([
      () => {
        abort.abort();
        return 'late';
      },
    ]);
    await aborted.agent.run('go', { signal: abort.signal });
    expect(aborted.of('llm')).toMatchObject([{ status: 'aborted' }]);
    expect(aborted.of('run')).toMatchObject([{ status: 'aborted' }]);
  });

  it('tell each fire that somebody listens to, with who ran and what came of it', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeLLM', () => ({ settings: { seed: 1 } }), { id: 'seeder' });
    const { agent, of } = metered(['done'], { registry });
    await agent.run('go');
    expect(
      of('hook').map(({ hook, handlers }) => [hook, handlers.map(({ id, outcome }) => `${id} ${outcome}`)]),
    ).toEqual([['beforeLLM', ['seeder amended']]]);
  });

  it('of one agent are not told to the sink of another on the same registry', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeLLM', () => undefined, { id: 'x' });
    const one = metered(['1'], { registry });
    const two = metered(['2'], { registry });
    await Promise.all([one.agent.run('go'), two.agent.run('go')]);
    expect([one.of('hook').length, two.of('hook').length]).toEqual([1, 1]);
    expect(new Set([...one.metrics, ...two.metrics].map(({ origin }) => origin.runId)).size).toBe(2);
  });

  it('are measured on the clock of the agent', async () => {
    const clock = manualClock();
    const { agent, of } = metered(
      [
        () => {
          clock.advance(70);
          return 'a';
        },
      ],
      { clock },
    );
    await agent.run('go');
    expect([of('llm')[0]!.ms, of('run')[0]!.ms]).toEqual([70, 70]);
  });

  it.each<() => unknown>([
    () => {
      throw new Error('sink is down');
    },
    (): Promise<void> => Promise.reject(new Error('sink is down')),
  ])('that the sink throws on, or rejects, cost the run nothing, and are said once', async (onMetric) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    expect(await kit(['done'], { onMetric }).agent.run('go')).toMatchObject({ status: 'done' });
    await settle();
    expect(warn.mock.calls.map(([text]) => text)).toEqual(['a metric sink failed: sink is down']);
    warn.mockRestore();
  });

  it('are frozen', async () => {
    const { agent, metrics } = metered(['done']);
    await agent.run('go');
    for (const metric of metrics) expect(Object.isFrozen(metric)).toBe(true);
  });
});

describe('the limit of cost', () => {
  it('ends the run before the next call, with its name', async () => {
    const { agent } = kit([{ ...(call('nothing', {}) as object), usage }, 'never'], {
      prices: { scripted: { input: 1_000_000, output: 0 } },
      limits: { cost: 100 },
    });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'cost', turns: 1 });
  });

  it.each([0, -1, Number.NaN, '5'])('cannot be %s', (cost) => {
    expect(() => kit([], { limits: { cost: cost as number } })).toThrow(/limits.cost must be a number above 0/);
  });

  it('is refused where no price is known: it would never count', () => {
    expect(() => kit([], { limits: { cost: 1 } })).toThrow(/give the price of each model/);
  });

  it('goes by prices that are prices, of models that are there', () => {
    expect(() => kit([], { prices: { nobody: { input: 1, output: 1 } } })).toThrow(
      /'nobody', which is no key of models/,
    );
    expect(() => kit([], { prices: { scripted: { input: -1, output: 1 } } })).toThrow(/prices.scripted.input/);
    expect(() => kit([], { prices: { scripted: { in: 1 } as never } })).toThrow(/'in' is no key of prices.scripted/);
  });
});
