/** Laws of long sessions in a real loop, held by counts: what is counted, summarised and written grows with what is new. */
import { describe, expect, test } from 'vitest';
import { createAgent, memoryStore } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineTool,
  estimateTokens,
  historyFault,
  type AfterCompaction,
  type Message,
  type SessionStore,
  type StandardSchema,
} from '@treblehook/types';
import { install, isSummary, type CompactionOptions } from '../src/index.js';
import { system, textOf } from './transcripts.js';

const anything: StandardSchema<unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value ?? {} }) },
};
const lookup = defineTool({
  name: 'lookup',
  description: 'Looks something up',
  input: anything,
  inputSchema: { type: 'object' },
  execute: () => 'found '.repeat(20),
});

const words = (text: string): string => text.padEnd(160, ' and so on');

/** What a turn brings: prompt, call, result, answer. */
const perTurn = 4;
const script = (turns: number): ScriptedStep[] =>
  Array.from({ length: turns }, (_, at): ScriptedStep[] => [
    { calls: [{ name: 'lookup', args: { at } }] },
    { text: words(`answer ${at}`) },
  ]).flat();

/** A memory store that adds up how long the records are that it was given. */
function weighed(): { readonly store: SessionStore; readonly weight: () => number } {
  const { append, ...rest } = memoryStore();
  let sum = 0;
  const store: SessionStore = {
    ...rest,
    append: (...given) => {
      sum += JSON.stringify(given).length;
      return append(...given);
    },
  };
  return { store, weight: () => sum };
}

interface Work {
  readonly counted: number;
  readonly summarised: number;
  readonly written: number;
}

/** So many turns of one session under a budget, each checked as it goes. */
async function session(turns: number, options: Partial<CompactionOptions> = {}) {
  const work = { counted: 0, summarised: 0 };
  const { maxTokens = 3_000 } = options;
  const isTight = maxTokens < 10_000; // reading thousands of whole histories would be the test's own square
  const registry = createHookRegistry(agentHooks);
  const outcomes: AfterCompaction['outcome'][] = [];
  registry.registerVoid('afterCompaction', ({ outcome }) => void outcomes.push(outcome));
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  install(registry, {
    ...options,
    maxTokens,
    countTokens: (messages, tools) => {
      work.counted += messages.length;
      return estimateTokens(messages, tools);
    },
    summarize: (older) => {
      work.summarised += older.length;
      return `all of ${older.length}`;
    },
  });
  const sent: { readonly messages: readonly Message[]; readonly tokens: number }[] = [];
  registry.registerVoid('llmRequest', ({ messages, tools }) => {
    if (isTight) sent.push({ messages, tokens: estimateTokens(messages, tools) });
  });
  const { store, weight } = weighed();
  const model = scriptedModel(script(turns));
  const agent = createAgent({
    registry,
    model,
    store,
    personality: { id: 'p', system: 'You answer in one sentence.' },
    tools: [lookup],
  });
  const open = agent.session();
  for (let at = 0; at < turns; at++) {
    const prompt = words(`question ${at}`);
    expect(await open.run(prompt)).toMatchObject({ status: 'done', text: words(`answer ${at}`) });
    expect(sent).toHaveLength(isTight ? 2 : 0);
    for (const { messages, tokens } of sent.splice(0)) {
      expect(tokens).toBeLessThanOrEqual(maxTokens);
      expect(historyFault(messages)).toBeUndefined();
      expect(messages[0]).toMatchObject({ role: 'system' });
      expect(messages.filter(isSummary).length).toBeLessThanOrEqual(1);
      expect(messages.filter((message) => textOf(message) === prompt)).toHaveLength(1);
    }
  }
  const messages = open.messages();
  await agent.close();
  return { outcomes, messages, work: { ...work, written: weight() } satisfies Work };
}

describe('a session of 5,000 messages', () => {
  test('stays under its budget turn after turn, and four times the turns are four times the work', async () => {
    const quarter = await session(1_252 / perTurn);
    const whole = await session(5_000 / perTurn);
    expect(new Set(whole.outcomes)).toEqual(new Set(['done']));
    expect(whole.outcomes.length).toBeGreaterThan(50);
    for (const key of ['counted', 'summarised', 'written'] as const) {
      expect(whole.work[key] / quarter.work[key], key).toBeLessThan(4.4);
    }
    // each message is dropped once, and with each compaction the one summary in front of it
    expect(whole.work.summarised).toBeLessThanOrEqual(5_000 + whole.outcomes.length);
    // once when it comes, and again for each cut that keeps it: a fifth of the window stays
    expect(whole.work.counted).toBeLessThan(8 * 5_000);
    const covered = whole.messages.find(isSummary)!;
    const stands = Number(/^\[Summary of (\d+) earlier/.exec(textOf(covered))![1]);
    expect(stands + whole.messages.length - 1).toBe(5_000);
  });

  test('within a budget that it never reaches is counted once, message by message', async () => {
    const { work, outcomes, messages } = await session(5_000 / perTurn, { maxTokens: 1_000_000 });
    expect(outcomes).toEqual([]);
    expect(messages).toHaveLength(5_000);
    expect(work.counted).toBeLessThan(3 * 5_000);
  });
});

describe('a session that begins with 5,000 messages', () => {
  const seed = (many: number): Message[] =>
    Array.from({ length: many / 2 }, (_, at): Message[] => [
      { role: 'user', content: [{ type: 'text', text: words(`question ${at}`) }] },
      { role: 'assistant', content: [{ type: 'text', text: words(`answer ${at}`) }] },
    ]).flat();

  async function opened(many: number) {
    const work = { counted: 0, summarised: 0 };
    const registry = createHookRegistry(agentHooks);
    const outcomes: AfterCompaction['outcome'][] = [];
    registry.registerVoid('afterCompaction', ({ outcome }) => void outcomes.push(outcome));
    install(registry, {
      maxTokens: 3_000,
      countTokens: (messages, tools) => ((work.counted += messages.length), estimateTokens(messages, tools)),
      summarize: (older) => ((work.summarised += older.length), 'all of it'),
    });
    const model = scriptedModel(['one', 'two', 'three']);
    const agent = createAgent({ registry, model, personality: { id: 'p', system: textOf(system('Be brief.')) } });
    const open = agent.session({ messages: seed(many) });
    await open.run('first');
    const first = { ...work };
    await open.run('second');
    await open.run('third');
    await agent.close();
    return { first, after: work, outcomes, model };
  }

  test('is cut once, in one pass whose work is in proportion; the turns behind it start from what was left', async () => {
    const [quarter, whole] = [await opened(1_250), await opened(5_000)];
    expect(whole.outcomes).toEqual(['done']);
    expect(whole.first.counted / quarter.first.counted).toBeLessThan(4.4);
    expect(whole.first.counted).toBeLessThan(3 * 5_000);
    expect(whole.first.summarised).toBeLessThanOrEqual(5_000);
    expect(whole.after.summarised).toBe(whole.first.summarised);
    expect(whole.after.counted - whole.first.counted).toBeLessThan(100);
    for (const { prompt } of whole.model.calls) expect(prompt.length).toBeLessThan(100);
  });

  test('costs an earlier summary no second reading: what it stands for is counted, not kept', async () => {
    const { model } = await opened(5_000);
    const summary = model.calls.at(-1)!.prompt[1]!;
    const text = (summary.content[0] as { text: string }).text;
    const covered = Number(/^\[Summary of (\d+) earlier messages\./.exec(text)![1]);
    expect(covered + model.calls[0]!.prompt.length - 2).toBe(5_001);
  });
});
