// A grant is taken back under the name of the agent that opened the session, whatever program that was.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, createRuntime } from '@treblehook/agent';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, pending } from '@treblehook/types';
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

test('a grant of a child that waits is shown for its root, and revoked there', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'treblehook-revoke-'));
  try {
    const store = sqliteStore({ path: join(cwd, 's.db') });
    const registry = createHookRegistry(agentHooks);
    const guard = { id: 'asker' };
    registry.registerClaiming(
      'toolPolicy',
      (e) => (e.tool.name === 'pay' ? { ask: '?', rule: 'r' } : undefined),
      guard,
    );
    const inputSchema = { type: 'object' };
    const pay = defineTool({ name: 'pay', description: 'pays', input: anything, inputSchema, execute: () => 'paid' });
    const execute = () => pending({ kind: 'input', prompt: 'which?' });
    const wait = defineTool({ name: 'wait', description: 'waits', input: anything, inputSchema, execute });
    const tools = [pay, wait];
    const task = { calls: [{ name: 'task', args: { agent: 'helper', prompt: 'x' } }] };
    const inner = [{ calls: [{ name: 'pay', args: {} }] }, { calls: [{ name: 'wait', args: {} }] }];
    const agents = {
      lead: { model: scriptedModel([task]), tools, agents: ['helper'] },
      helper: { model: scriptedModel(inner), tools },
    };
    const session = createRuntime({ registry, store, agents }).agent('lead').session('s');
    const asked = await session.run('go');
    await session.resume({ id: asked.pending![0]!.id, ok: true, data: { remember: { for: 'session' } } });
    const [grant] = session.grants();
    await store.close();
    const shown = await commandIn(cwd, 'session', 'show', 's', '--store', 's.db');
    expect(shown.stdout).toContain('on the way lead > helper');
    expect(shown.stdout).toContain(`session revoke s ${grant!.id}`);
    const done = await commandIn(cwd, 'session', 'revoke', 's', grant!.id, '--store', 's.db', '--json');
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { sessionId: 's', revoked: grant!.id, grants: [] }]);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
