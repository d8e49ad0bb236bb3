// Owns the law of how a session's last run is told: by the names of a run's status, and `open` while there is none.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { isHeld, type SessionRecord, type SessionStore } from '@treblehook/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandIn } from './command.js';

const statuses = ['done', 'vetoed', 'pending', 'incomplete', 'aborted', 'failed'] as const;
let dir = '';
let store: SessionStore;

const run: SessionRecord = { type: 'run', runId: 'r', input: 'go', personality: 'default' };
async function keep(id: string, records: readonly SessionRecord[], isHolding = false): Promise<void> {
  const lease = await store.acquire(id, 'run_of_another', 60_000);
  if (isHeld(lease)) throw new Error('held');
  await store.append(lease, [{ type: 'opened', agent: 'a' }, ...records]);
  if (!isHolding) await store.release(lease);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'treblehook-last-'));
  await mkdir(join(dir, '.treblehook'));
  store = sqliteStore({ path: join(dir, '.treblehook/sessions.db') });
  for (const status of statuses) await keep(`s-${status}`, [run, { type: 'settled', runId: 'r', status }]);
  await keep('s-died', [run]);
  await keep('s-held', [run], true);
  await keep('s-none', []);
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true });
});

it('session list --json tells it', async () => {
  const { sessions } = JSON.parse((await commandIn(dir, 'session', 'list', '--json')).stdout) as {
    sessions: { sessionId: string; last?: string }[];
  };
  expect(Object.fromEntries(sessions.map(({ sessionId, last }) => [sessionId, last]))).toEqual({
    ...Object.fromEntries(statuses.map((status) => [`s-${status}`, status])),
    's-died': 'open',
    's-held': 'open',
    's-none': undefined,
  });
});

it('session list tells it beside the state', async () => {
  const { stdout } = await commandIn(dir, 'session', 'list');
  expect(stdout).toMatch(/^session .* state +last run +first input$/m);
  for (const status of ['done', 'vetoed', 'incomplete', 'aborted', 'failed']) {
    expect(stdout).toMatch(new RegExp(`^s-${status} .* settled +${status} +go$`, 'm'));
  }
  expect(stdout).toMatch(/^s-died .* interrupted +not ended +go$/m);
  expect(stdout).toMatch(/^s-held .* held by run_of_another +not ended +go$/m);
  expect(stdout).toMatch(/^s-none .* settled$/m);
});
