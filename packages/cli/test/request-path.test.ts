// Owns the law of the way of a question: who reads what a child asks sees which agents it has come through.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from '@treblehook/agent';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestLines } from '../src/approval-text.js';
import type { SessionDocument } from '../src/index.js';
import { commandIn } from './command.js';

const anything = { '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) } };
const pay = defineTool({
  name: 'pay',
  description: 'pays',
  input: anything,
  inputSchema: { type: 'object' },
  execute: () => 'paid',
});
const path = ['agent', 'clerk'];
let dir = '';

/** A session 's' whose root, `agent`, waits for what its child `clerk` asks; 't' has asked for itself. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'treblehook-way-'));
  await mkdir(join(dir, '.treblehook'));
  const store = sqliteStore({ path: join(dir, '.treblehook/sessions.db') });
  const registry = createHookRegistry(agentHooks);
  const asks = ({ tool }: { readonly tool: { readonly name: string } }) =>
    tool.name === 'pay' ? { ask: 'may it?' } : undefined;
  registry.registerClaiming('toolPolicy', asks, { id: 'asker' });
  const calling = { calls: [{ name: 'pay', args: {} }] };
  const tasking = { calls: [{ name: 'task', args: { agent: 'clerk', prompt: 'pay it' } }] };
  const runtime = createRuntime({
    registry,
    store,
    agents: {
      agent: { model: scriptedModel([tasking, calling]), tools: [pay], agents: ['clerk'] },
      clerk: { model: scriptedModel([calling]), tools: [pay] },
    },
  });
  for (const id of ['s', 't']) await runtime.agent('agent').session(id).run('go');
  await runtime.shutdown();
  await store.close();
});
afterAll(() => rm(dir, { recursive: true }));

const shown = async (id: string): Promise<SessionDocument> =>
  JSON.parse((await commandIn(dir, 'session', 'show', id, '--json')).stdout) as SessionDocument;

async function childOf(id: string): Promise<string | undefined> {
  const store = sqliteStore({ path: join(dir, '.treblehook/sessions.db') });
  const found = (await store.list()).find(({ parent }) => parent === id);
  await store.close();
  return found?.sessionId;
}

it('session show tells it, of what is open and of what the call has asked', async () => {
  const { stdout } = await commandIn(dir, 'session', 'show', 's');
  expect(stdout).toContain('    asked on the way agent > clerk\n');
  expect(stdout).toMatch(/request_\S+ by the tool, on the way agent > clerk: pay: may it\?: not answered/);
  const { open } = JSON.parse((await commandIn(dir, 'session', 'show', 's', '--json')).stdout) as { open: unknown };
  expect(open).toMatchObject([{ kind: 'approval', path }]);
});

it('session list tells it', async () => {
  const { stdout } = await commandIn(dir, 'session', 'list');
  expect(stdout).toMatch(/^s +.* waits for 1 answer \(agent > clerk\) +pending +go$/m);
  const { sessions } = JSON.parse((await commandIn(dir, 'session', 'list', '--json')).stdout) as {
    sessions: { sessionId: string; open: unknown }[];
  };
  const open = [{ id: expect.stringMatching(/^request_/) as string, prompt: 'pay: may it?', path }];
  expect(sessions.find(({ sessionId }) => sessionId === 's')).toMatchObject({ pending: 1, open });
});

it('session show of the child names its parent, and the command that answers in the root', async () => {
  const root = await shown('s');
  const { parent, sessionId, open } = await shown((await childOf('s'))!);
  expect([parent, open.map(({ id }) => id)]).toEqual(['s', root.open.map(({ id }) => id)]);
  expect(open.map(({ yes }) => yes)).toEqual(root.open.map(({ yes }) => yes));
  const { stdout } = await commandIn(dir, 'session', 'show', sessionId);
  expect(stdout).toContain('\na child of the session s: it is answered and resumed from its root\n');
  expect(stdout).toContain(`yes: treblehook session resume s --yes ${open[0]!.id}`);
  expect(stdout).not.toContain(`resume ${sessionId}`);
});

it('what the root asks itself has none', async () => {
  const shown = (await commandIn(dir, 'session', 'show', 't')).stdout;
  expect(shown).toContain('by the guards: pay: may it?');
  expect(shown).not.toContain('on the way');
  expect((await commandIn(dir, 'session', 'list')).stdout).toMatch(/^t +.* waits for 1 answer +pending +go$/m);
});

it('stands in front of any question, and nothing in it is hidden', () => {
  const way = 'asked on the way lead > a\\u{202e}b';
  const asked = { id: 'r', prompt: 'Really?', path: ['lead', 'a\u202Eb'] };
  expect(requestLines({ ...asked, kind: 'form' })).toEqual([way, 'Really?']);
  const data = { tool: { source: 'host', name: 'pay' }, args: {}, digest: 'abcdef0123456789', asks: [] };
  expect(requestLines({ ...asked, kind: 'approval', data })[0]).toBe(way);
});
