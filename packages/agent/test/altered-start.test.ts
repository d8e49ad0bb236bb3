// A task whose start was altered in its log: its child gets nothing that the digest does not name.
import type { SessionStore, StoredRecord } from '@treblehook/types';
import { expect, it } from 'vitest';
import { createRuntime, memoryStore } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { call, registryWithGuard } from './kit.js';

function lead(store: SessionStore, ...script: Parameters<typeof scriptedModel>[0]) {
  const helper = scriptedModel(['helped']);
  const agents = {
    lead: { model: scriptedModel(script), tools: [], agents: ['helper'] },
    helper: { model: helper, tools: [] },
  };
  return { agent: createRuntime({ registry: registryWithGuard(), store, agents }).agent('lead'), helper };
}

/** The log of a process that has died when the task was about to start, in a store of its own. */
async function leftBy(alter: (prompt: string) => string): Promise<SessionStore> {
  const whole = memoryStore();
  let isDead = false;
  const dying: SessionStore = {
    ...whole,
    append(lease, records) {
      if (isDead) throw new Error('the process is dead');
      isDead = records.some(({ type }) => type === 'started');
      return whole.append(lease, records);
    },
  };
  await lead(dying, call('task', { agent: 'helper', prompt: 'harmless' }), 'end')
    .agent.session('s')
    .run('go');
  const log = structuredClone(await whole.read('s')) as StoredRecord[];
  const last = log.at(-1)!.record as unknown as { type: string; sealed: { args: { prompt: string } } };
  expect(last.type).toBe('started');
  last.sealed.args.prompt = alter(last.sealed.args.prompt);
  const store = memoryStore();
  const lease = await store.acquire('s', 'copy', 1_000);
  if (!('fence' in lease)) throw new Error('the copy is held');
  const records = log.map(({ record }) => record);
  await store.append(lease, records);
  await store.release(lease);
  return store;
}

it('is an error of that call, and the run goes on', async () => {
  const store = await leftBy(() => 'something else');
  const { agent, helper } = lead(store, 'end');
  const { status, toolCalls } = await agent.resume('s');
  expect(status).toBe('done');
  expect(toolCalls).toMatchObject([
    { name: 'task', outcome: 'error', output: "'task' has other arguments in the log than it was started with" },
  ]);
  expect(helper.calls).toEqual([]);
});

it('that was not altered goes on', async () => {
  const store = await leftBy((prompt) => prompt);
  const { agent } = lead(store, 'end');
  expect(await agent.resume('s')).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok', output: 'helped' }] });
});
