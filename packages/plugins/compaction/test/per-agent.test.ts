/** Laws of options that differ from agent to agent: whose hold, what is checked, what stays of the run alone. */
import { describe, expect, test } from 'vitest';
import { createAgent, createRuntime, type Metric } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type LLMRequest, type StandardSchema } from '@treblehook/types';
import { compactor, install, isSummary, type CompactionOptions, type CompactionTenantOptions } from '../src/index.js';
import { eightyOne, house, request, textOf } from './transcripts.js';

const anything: StandardSchema<unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value ?? {} }) },
};
const look = defineTool({
  name: 'look',
  description: 'Looks',
  input: anything,
  inputSchema: { type: 'object' },
  execute: () => 'seen '.repeat(80),
});

const of = (agentPath: readonly string[], runId = 'run-1'): LLMRequest =>
  request(eightyOne(), { origin: { ...request([]).origin, runId, agentPath } });

describe('the options of an agent', () => {
  test('stand in place of the others key by key; an agent that is not named has those of the house', async () => {
    const { fire } = house({
      maxTokens: 1_000,
      summarize: () => 'by the house',
      agents: { reviewer: { summarize: () => 'by the reviewer' }, wide: { maxTokens: 100_000 } },
    });
    const summaries = [];
    for (const name of ['clerk', 'reviewer', 'wide'])
      summaries.push(textOf((await fire(of([name], name)))?.messages?.find(isSummary)));
    expect(summaries).toEqual([
      expect.stringMatching(/\nby the house$/),
      expect.stringMatching(/\nby the reviewer$/),
      '',
    ]);
  });

  test('go by the last name of the path: a child has its own, and none of its parent', async () => {
    const { fire, told } = house({ maxTokens: 1_000, agents: { parent: false, child: { maxTokens: 500 } } });
    expect(await fire(of(['parent']))).toBeUndefined();
    expect(told).toEqual([]);
    expect(await fire(of(['parent', 'child'], 'run-2'))).toBeDefined();
    expect(await fire(of(['child', 'parent'], 'run-3'))).toBeUndefined();
    expect(told.map(({ hook }) => hook)).toEqual(['before', 'after']);
  });

  test('`false` leaves it to the gate whether a request fits', async () => {
    const { registry, fire, outcomes } = house({ maxTokens: 1_000, agents: { clerk: false } });
    registry.registerModifying('beforeLLM', ({ messages }) => (messages.length > 50 ? { veto: 'too long' } : {}), {
      id: 'route-gate',
      onError: 'abort',
    });
    expect(await fire(of(['clerk']))).toEqual({ veto: 'too long' });
    expect((await fire(of(['agent'], 'run-2')))?.veto).toBeUndefined();
    expect(outcomes()).toEqual(['done']);
  });

  test('have a tail of a fifth of their own budget when nobody says how long it is', async () => {
    const { fire } = house({ maxTokens: 100_000, agents: { small: { maxTokens: 2_000 } } });
    const after = (await fire(of(['small'])))!.messages!;
    expect(after.length).toBeGreaterThan(6);
    expect(after.length).toBeLessThan(20);
  });

  test('change nothing of what is remembered: failures in a row are those of a run', async () => {
    const { fire, outcomes } = house({ maxTokens: 1_000, summarize: () => '', agents: { one: { keepTail: 10 } } });
    expect(await fire(of(['one'], 'a'))).toBeUndefined();
    expect(await fire(of(['two'], 'b'))).toBeUndefined();
    await expect(fire(of(['one'], 'a'))).rejects.toMatchObject({ cause: { code: 'TH_COMPACTION_STUCK' } });
    await expect(fire(of(['two'], 'b'))).rejects.toMatchObject({ cause: { code: 'TH_COMPACTION_STUCK' } });
    expect(outcomes()).toEqual(Array(4).fill('failed'));
  });

  test('of the name of something that every object has are those of nobody else', async () => {
    const { fire } = house({ maxTokens: 1_000, agents: { constructor: false } as never });
    expect(await fire(of(['toString']))).toBeDefined();
    expect(await fire(of(['__proto__'], 'run-2'))).toBeDefined();
    expect(await fire(of(['constructor'], 'run-3'))).toBeUndefined();
  });

  const wrong: [string, unknown, RegExp][] = [
    ['a misspelt key', { clerk: { maxToken: 9 } }, /'maxToken' is no option: did you mean 'maxTokens'\? .*'clerk'/],
    ['agents inside an agent', { clerk: { agents: {} } }, /'agents' is no option: .* one agent name no others/],
    [
      'a tail that its own budget does not hold',
      { clerk: { maxTokens: 100 } },
      /keepTail .*below maxTokens \(100\).*'clerk'/,
    ],
    ['true', { clerk: true }, /an object of options, or false \(compaction of 'clerk'\)/],
    ['nothing', { clerk: undefined }, /an object of options, or false/],
    ['a list', { clerk: [] }, /an object of options, or false/],
    ['a list in place of names', [{ maxTokens: 9 }], /agents must be/],
    ['no budget', { clerk: { maxTokens: 0 } }, /maxTokens .*'clerk'/],
  ];
  test.each(wrong)('%s is refused at once and names the agent, and nothing is installed', (_, agents, message) => {
    const registry = createHookRegistry(agentHooks);
    const options = { maxTokens: 1_000, keepTail: 200, agents } as CompactionTenantOptions;
    expect(() => install(registry, options)).toThrow(
      expect.objectContaining({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(message) }),
    );
    expect(registry.plan('beforeLLM')).toEqual([]);
  });

  test('are nothing that the plain callback takes: it belongs to one agent', () => {
    expect(() => compactor({ maxTokens: 9, agents: {} } as CompactionOptions)).toThrow(/'agents' is no option/);
  });

  test('are copied: what the caller changes later has no effect', async () => {
    const agents: Record<string, { maxTokens: number } | false> = { clerk: { maxTokens: 100_000 } };
    const { fire } = house({ maxTokens: 1_000, agents });
    agents['clerk'] = { maxTokens: 10 };
    agents['agent'] = false;
    expect(await fire(of(['clerk']))).toBeUndefined();
    expect(await fire(of(['agent'], 'run-2'))).toBeDefined();
  });
});

test('two agents on one registry: each is compacted by its own options', async () => {
  const registry = createHookRegistry(agentHooks);
  install(registry, { maxTokens: 1_500, agents: { archivist: false } });
  const lengths: number[] = [];
  for (const name of ['clerk', 'archivist']) {
    const model = scriptedModel(['fine']);
    const agent = createAgent({ registry, model, name });
    await agent.session({ messages: eightyOne().slice(1) }).run('and now?');
    lengths.push(model.calls[0]!.prompt.length);
    await agent.close();
  }
  expect(lengths[0]).toBeLessThan(20);
  expect(lengths[1]).toBe(81);
});

test('agents of one runtime that task one another: the child is compacted by its own name, its parent is not', async () => {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  install(registry, { maxTokens: 100_000, agents: { clerk: { maxTokens: 600 }, lead: false } });
  const told: (readonly [readonly string[], string])[] = [];
  registry.registerVoid('afterCompaction', ({ origin, outcome }) => void told.push([origin.agentPath, outcome]));
  const metrics: Metric[] = [];
  const looks: ScriptedStep[] = Array.from({ length: 8 }, () => ({ calls: [{ name: 'look' }] }));
  const lead = scriptedModel([{ calls: [{ name: 'task', args: { agent: 'clerk', prompt: 'look' } }] }, 'done']);
  const clerk = scriptedModel([...looks, 'seen']);
  const runtime = createRuntime({
    registry,
    onMetric: (metric) => void metrics.push(metric),
    agents: {
      lead: { model: lead, agents: ['clerk'], tools: [look] }, // a child has no tool that its parent lacks
      clerk: { model: clerk, tools: [look] },
    },
  });
  expect(await runtime.agent('lead').run('go')).toMatchObject({ status: 'done', text: 'done' });
  expect(told.length).toBeGreaterThan(0);
  for (const one of told) expect(one).toEqual([['lead', 'clerk'], 'done']);
  for (const { prompt } of clerk.calls) expect(JSON.stringify(prompt).match(/"look"\}/g)).toHaveLength(1);
  const compactions = metrics.filter(({ type }) => type === 'compaction');
  expect(compactions.map(({ origin }) => origin.agentPath)).toEqual(told.map(([path]) => path));
  for (const name of ['lead', 'clerk']) {
    const own = metrics.filter(({ origin }) => origin.agentPath.at(-1) === name);
    const sum = own.reduce((tokens, one) => tokens + (one.type === 'llm' ? (one.tokens.input ?? 0) : 0), 0);
    expect(own.flatMap((one) => (one.type === 'run' ? [one.tokens.input] : []))).toEqual([sum]);
  }
  await runtime.shutdown();
});
