// What a run has used of its time is known behind a crash too, as far as its log tells it, and never more than it was.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type Lease, type SessionRecord, type StoredRecord } from '@treblehook/types';
import { expect, it } from 'vitest';
import { memoryStore, type AgentOptions } from '../src/index.js';
import { deferred } from '../src/testing/index.js';
import { call, echo, kit, settle } from './kit.js';

/** The log that a process leaves that dies as its second model call is in flight. */
async function crashed(options: Partial<AgentOptions> = {}): Promise<readonly SessionRecord[]> {
  const store = memoryStore();
  const script = [call('echo'), { text: 'never', hold: deferred().promise }];
  const { agent } = kit(script, { tools: [echo().tool], store, ...options });
  void agent.session('s').run('go');
  for (let turns = 0; turns < 5; turns++) await settle();
  return (await store.read('s')).map(({ record }) => record);
}

/** Goes on where the records lie `msOf` behind the one before. */
async function goesOn(records: readonly SessionRecord[], msOf: (record: SessionRecord) => number) {
  const store = memoryStore();
  const lease = (await store.acquire('s', 'before', 1_000)) as Lease;
  await store.append(lease, records);
  await store.release(lease);
  let at = 0;
  const times = records.map((record) => (at += msOf(record)));
  const read = async (...given: Parameters<typeof store.read>): Promise<readonly StoredRecord[]> =>
    (await store.read(...given)).map((one) => ({ ...one, at: times[one.seq - 1] ?? at + 1_000_000 }));
  const { agent } = kit(['end'], { tools: [echo().tool], store: { ...store, read }, limits: { wallMs: 1_000 } });
  return agent.session('s').resume();
}

it('counts between its records', async () => {
  const records = await crashed();
  expect(records.map(({ type }) => type)).toContain('outcome');
  const of = (ms: number) => (record: SessionRecord) => (record.type === 'outcome' ? ms : 0);
  expect(await goesOn(records, of(1_000))).toMatchObject({ status: 'incomplete', limit: 'wallMs' });
  expect(await goesOn(records, of(500))).toMatchObject({ status: 'done' });
});

it('does not count while an answer was awaited, nor when a clock was set back', async () => {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const records = await crashed({ registry, answerer: { answer: ({ id }) => ({ id, ok: true }) } });
  expect(records.map(({ type }) => type)).toContain('answered');
  expect(await goesOn(records, ({ type }) => (type === 'answered' ? 5_000 : 0))).toMatchObject({ status: 'done' });
  expect(await goesOn(records, ({ type }) => (type === 'outcome' ? -5_000 : 0))).toMatchObject({ status: 'done' });
});

it('does not count between a process that has died and the one that goes on', async () => {
  const records = await crashed();
  const { runId } = records.find(({ type }) => type === 'run') as { readonly runId: string };
  const again: readonly SessionRecord[] = [...records, { type: 'resumed', runId }];
  expect(await goesOn(again, ({ type }) => (type === 'resumed' ? 5_000 : 0))).toMatchObject({ status: 'done' });
});
