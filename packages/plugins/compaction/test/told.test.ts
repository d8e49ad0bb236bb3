/** Laws of what a compaction tells: one metric and one record of the log for each attempt, with the ids of its run. */
import { expect, test } from 'vitest';
import { createAgent, memoryStore, type Metric } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type StoredRecord } from '@treblehook/types';
import { install } from '../src/index.js';
import { eightyOne } from './transcripts.js';

test('done, failed and vetoed are told to the sink and stand in the log, the dropped messages by their ids', async () => {
  const registry = createHookRegistry(agentHooks);
  const turns = ['failed', 'vetoed', 'done'] as const;
  let turn = 0;
  install(registry, { maxTokens: 1_500, summarize: () => (turns[turn] === 'failed' ? '' : 'short') });
  registry.registerModifying('beforeCompaction', () => (turns[turn] === 'vetoed' ? { veto: 'not now' } : undefined));
  const metrics: Metric[] = [];
  const store = memoryStore();
  const model = scriptedModel(['a', 'b', 'c']);
  const agent = createAgent({ registry, model, store, name: 'clerk', onMetric: (metric) => void metrics.push(metric) });
  const seed = eightyOne().slice(1);
  const session = agent.session({ id: 's', messages: seed });
  const runs: string[] = [];
  for (; turn < turns.length; turn++) runs.push((await session.run('go')).runId);
  const told = metrics.flatMap((one) => (one.type === 'compaction' ? [one] : []));
  expect(told.map(({ status, origin }) => [status, origin])).toEqual(
    turns.map((status, at) => [
      status,
      { runId: runs[at], sessionId: 's', agentPath: ['clerk'], personality: 'default', turn: 0 },
    ]),
  );
  for (const { tokensBefore, ms } of told) {
    expect(tokensBefore).toBeGreaterThan(4_000);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
  expect(told.map(({ tokensAfter }) => tokensAfter === undefined)).toEqual([true, true, false]);
  expect(told[2]!.tokensAfter).toBeLessThanOrEqual(1_500);

  const records = [...(await store.read('s'))].map(({ record }: StoredRecord) => record);
  const logged = records.flatMap((record) => (record.type === 'compaction' ? [record] : []));
  expect(logged).toMatchObject([
    { outcome: 'failed', runId: runs[0], reason: 'the summary is blank' },
    { outcome: 'vetoed', runId: runs[1], reason: 'not now' },
    { outcome: 'done', runId: runs[2], tokensAfter: told[2]!.tokensAfter },
  ]);
  expect(logged[2]!.dropping.slice(0, 5)).toEqual(seed.slice(0, 5).map(({ id }) => id));
  // what was dropped stays in the log
  const kept = new Set(records.flatMap((record) => (record.type === 'message' ? [record.message.id] : [])));
  for (const { id } of seed) expect(kept).toContain(id);
  await agent.close();
});
