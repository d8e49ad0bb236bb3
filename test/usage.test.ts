// Owns that what a provider reports over a real socket is what a run tells: each count once, in both dialects, streamed or not.
import type { Metric, MetricTokens, RunResult } from '@treblehook/agent';
import { createHost, type Host } from '@treblehook/host';
import { defineTool, type AgentDone, type LLMOutcome, type StandardSchema } from '@treblehook/types';
import { afterEach, describe, expect, it } from 'vitest';
import {
  anthropicWire,
  openaiWire,
  type Script,
  type Wire,
  type WireOptions,
} from '../packages/providers/test/wire/index.js';

interface Dialect {
  readonly name: string;
  readonly wireOf: (script: Script, options?: WireOptions) => Promise<Wire>;
  readonly modelOf: (url: string) => string;
  readonly overloaded: number;
}
const anthropic: Dialect = {
  name: 'anthropic',
  wireOf: anthropicWire,
  modelOf: (url) => `anthropic:claude-sonnet-4-5@${url}`,
  overloaded: 529,
};
const openai: Dialect = {
  name: 'openai',
  wireOf: openaiWire,
  modelOf: (url) => `openai:gpt-4.1@${url}`,
  overloaded: 503,
};
const compatible: Dialect = {
  name: 'openai-compatible',
  wireOf: openaiWire,
  modelOf: (url) => `openai-compatible:qwen3@${url}`,
  overloaded: 503,
};

const city: StandardSchema<{ city: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { city: string } }) },
};

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const first = { input: 1_000, cacheRead: 600, output: 50, reasoning: 20 };
const second = { input: 1_100, cacheRead: 1_000, output: 30, reasoning: 0 };
/** Reports on the way to `usage`, as providers give them: each of all so far. */
const onTheWay = (usage: typeof first) => [
  { ...usage, output: 1, reasoning: 0 },
  { ...usage, output: 10, reasoning: 0 },
];
const calls = [
  { id: 'call_1', name: 'weather', args: { city: 'Bern' } },
  { id: 'call_2', name: 'weather', args: { city: 'Oslo' } },
];
const price = { input: 3, output: 15, cacheRead: 0.3 };
const costOf = ({ input, cacheRead, output }: typeof first): number =>
  ((input - cacheRead) * price.input + cacheRead * price.cacheRead + output * price.output) / 1_000_000;

interface Seen {
  readonly host: Host;
  readonly wire: Wire;
  readonly metrics: Metric[];
  readonly outcomes: LLMOutcome[];
  readonly done: AgentDone[];
}

async function house({ wireOf, modelOf }: Dialect, script: Script): Promise<Seen> {
  const wire = await wireOf(script);
  open.push(wire);
  const metrics: Metric[] = [];
  const outcomes: LLMOutcome[] = [];
  const done: AgentDone[] = [];
  const model = modelOf(wire.url);
  const host = await createHost({
    model,
    modelOptions: () => ({ apiKey: 'key' }),
    onMetric: (metric) => void metrics.push(metric),
    onWarning: () => {},
    prices: { [model]: price },
    retry: { baseMs: 1, maxDelayMs: 1 },
    tools: [
      defineTool({
        name: 'weather',
        description: 'The weather of a city.',
        input: city,
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        concurrency: 'safe',
        execute: ({ city }) => `${city}: sun`,
      }),
    ],
  });
  open.push(host);
  host.registry.registerVoid('afterLLM', (outcome) => void outcomes.push(outcome));
  host.registry.registerVoid('agentDone', (end) => void done.push(end));
  return { host, wire, metrics, outcomes, done };
}

async function streamed({ agent }: Host): Promise<RunResult> {
  for await (const event of agent.stream('Weather?')) if (event.type === 'done') return event.result;
  throw new Error('the stream has no end');
}

const of = <T extends Metric['type']>(metrics: readonly Metric[], type: T) =>
  metrics.filter((one): one is Extract<Metric, { type: T }> => one.type === type);
const total = (usages: readonly MetricTokens[], key: keyof MetricTokens): number =>
  usages.reduce((sum, usage) => sum + (usage[key] ?? 0), 0);

describe.each([anthropic, openai, compatible])('usage over $name', (dialect) => {
  const { overloaded } = dialect;
  const script: Script = [
    { status: overloaded, message: 'come back later' },
    { text: 'Let me look.', calls, earlier: onTheWay(first), usage: first },
    { drop: true },
    { text: ['Sunny', ' both.'], earlier: onTheWay(second), usage: second },
  ];

  it.each(['run', 'stream'] as const)('is told once, call by call and in sum, by %s', async (way) => {
    const { host, wire, metrics, outcomes, done } = await house(dialect, script);
    const result = way === 'run' ? await host.agent.run('Weather?') : await streamed(host);
    expect(result).toMatchObject({ status: 'done', text: 'Sunny both.', turns: 2 });
    expect(wire.requests).toHaveLength(4);
    const llm = of(metrics, 'llm');
    expect(llm.map(({ attempts, status }) => [attempts, status])).toEqual([
      [2, 'ok'],
      [2, 'ok'],
    ]);
    expect(llm.map(({ tokens }) => tokens)).toEqual([first, second]);
    expect(llm.map(({ cost }) => cost)).toEqual(
      [costOf(first), costOf(second)].map((cost) => expect.closeTo(cost, 12)),
    );
    const [run] = of(metrics, 'run');
    for (const key of ['input', 'output', 'cacheRead', 'reasoning'] as const) {
      expect(run!.tokens[key], key).toBe(total([first, second], key));
    }
    expect(run!.tokens).not.toHaveProperty('cacheWrite');
    expect(run!.cost).toBeCloseTo(costOf(first) + costOf(second), 12);
    expect(outcomes.map(({ usage }) => usage?.inputTokens.total)).toEqual([1_000, 1_100]);
    expect(result.usage).toMatchObject({
      inputTokens: { total: 2_100, noCache: 500, cacheRead: 1_600 },
      outputTokens: { total: 80, text: 60, reasoning: 20 },
    });
    expect(done[0]!.usage).toEqual(result.usage);
    expect(of(metrics, 'tool').map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('that is zero is zero', async () => {
    const { host, metrics } = await house(dialect, [
      { text: 'ok', usage: { input: 0, cacheRead: 0, output: 0, reasoning: 0 } },
    ]);
    await host.agent.run('go');
    expect(of(metrics, 'run')[0]).toMatchObject({
      tokens: { input: 0, output: 0, cacheRead: 0, reasoning: 0 },
      cost: 0,
    });
  });

  it('of an answer that broke off is not made up', async () => {
    const { host, metrics } = await house(dialect, [
      { text: ['half ', 'of it'], usage: first, stop: { after: 5, how: 'cut' } },
    ]);
    expect(await host.agent.run('go')).toMatchObject({ status: 'failed' });
    expect(of(metrics, 'llm')).toMatchObject([{ status: 'error', tokens: {} }]);
    expect(of(metrics, 'llm')[0]).not.toHaveProperty('cost');
    expect(of(metrics, 'run')[0]!.tokens).toEqual({});
  });
});

describe.each([openai, compatible])('usage that $name does not report', (dialect) => {
  it('is absent from every metric, and the cost with it', async () => {
    const { host, metrics } = await house(dialect, [{ text: 'ok', usage: null }]);
    expect(await host.agent.run('go')).toMatchObject({ status: 'done' });
    for (const metric of [...of(metrics, 'llm'), ...of(metrics, 'run')]) {
      expect(metric.tokens).toEqual({});
      expect(metric).not.toHaveProperty('cost');
    }
  });
});

it('what Anthropic wrote to its cache is a part of the input, at its own price', async () => {
  const usage = { input: 1_000, cacheRead: 100, cacheWrite: 700, output: 10 };
  const { host, metrics } = await house(anthropic, [{ text: 'ok', earlier: [{ ...usage, output: 1 }], usage }]);
  await host.agent.run('go');
  expect(of(metrics, 'llm')[0]!.tokens).toEqual(usage);
  const cost = (200 * price.input + 100 * price.cacheRead + 700 * price.input + 10 * price.output) / 1_000_000;
  expect(of(metrics, 'run')[0]!.cost).toBeCloseTo(cost, 12);
});
