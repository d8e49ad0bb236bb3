// A grant is taken back under the name of the agent that opened the session, whatever program that was.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '@treblehook/agent';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { expect, test } from 'vitest';
import { commandIn } from './command.js';

const anything = { '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) } };

test('a grant of a session of another agent is revoked; a prompt to it is wrong input', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'treblehook-revoke-'));
  try {
    const store = sqliteStore({ path: join(cwd, 's.db') });
    const registry = createHookRegistry(agentHooks);
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
    const inputSchema = { type: 'object' };
    const tool = defineTool({ name: 'pay', description: 'pays', input: anything, inputSchema, execute: () => 'paid' });
    const model = scriptedModel([{ calls: [{ name: 'pay', args: {} }] }, 'end']);
    const session = createAgent({ name: 'clerk', model, registry, tools: [tool], store }).session('s');
    const { pending } = await session.run('go');
    await session.resume({ id: pending![0]!.id, ok: true, data: { remember: { for: 'session' } } });
    const [grant] = session.grants();
    await store.close();
    const prompted = await commandIn(cwd, 'run', 'hi', '--session', 's', '--store', 's.db');
    expect([prompted.code, prompted.stderr]).toEqual([2, expect.stringContaining("is one of the agent 'clerk'")]);
    const done = await commandIn(cwd, 'session', 'revoke', 's', grant!.id, '--store', 's.db');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('is revoked')]);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
