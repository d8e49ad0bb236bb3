// Owns the laws of a policy between one process and the next, and between an agent and those that it gives tasks to.
import { createRuntime, memoryStore } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { createHost } from '@treblehook/host';
import { install, type Rule } from '@treblehook/plugin-tool-policy';
import { agentHooks, defineTool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const small: Rule = { id: 'pay', tools: 'pay', decision: 'ask', reason: 'a small sum, may it pay?' };
const changes: readonly (readonly [string, Partial<Rule>, string])[] = [
  ['nothing', {}, 'done'],
  ['its question', { reason: 'THE ACCOUNT WAS FROZEN: is it sure?' }, 'pending'],
  ['what it is about', { when: { '/euros': { range: { min: 1 } } } }, 'pending'],
];

describe('a rule that has changed since somebody agreed to it', () => {
  const store = memoryStore();
  const paid: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ euros: z.number() }),
    execute: ({ euros }) => `paid ${paid.push(euros)}`,
  });
  const call = (euros: number): ScriptedStep => ({ calls: [{ name: 'pay', args: { euros } }] });
  const agentOf = async (rule: Rule, script: ScriptedStep[]) =>
    (await createHost({ model: scriptedModel(script), tools: [pay], store, policy: { rules: [rule] } })).agent;

  it.each(changes)('(%s) asks anew, though the yes to the waiting call is given', async (what, change, status) => {
    const session = `waits: ${what}`;
    const { pending = [] } = await (await agentOf(small, [call(9)])).session(session).run('pay');
    const next = await agentOf({ ...small, ...change }, ['ok']);
    const before = paid.length;
    const result = await next.resume(session, { id: pending[0]!.id, ok: true });
    expect([result.status, paid.length - before]).toEqual([status, status === 'done' ? 1 : 0]);
    if (status === 'pending') expect(result.pending![0]!.prompt).toContain(change.reason ?? small.reason);
  });

  it.each(changes)('(%s) ends a grant for the session', async (what, change, status) => {
    const session = `grant: ${what}`;
    const first = await agentOf(small, [call(9), 'ok']);
    const { pending = [] } = await first.session(session).run('pay');
    const data = { remember: { for: 'session', args: 'any' } };
    expect((await first.resume(session, { id: pending[0]!.id, ok: true, data })).status).toBe('done');
    await first.session(session).close();
    const before = paid.length;
    const next = await agentOf({ ...small, ...change }, [call(99), 'ok']);
    const result = await next.session(session).run('pay again');
    expect([result.status, paid.length - before]).toEqual([status, status === 'done' ? 1 : 0]);
  });
});

it('what a personality is denied nobody does whom it gives a task to', async () => {
  const ran: string[] = [];
  const wipe = defineTool({
    name: 'wipe',
    description: 'Wipes.',
    input: z.object({}),
    execute: (_, { origin }) => `wiped ${ran.push(origin.agentPath.join(' > '))}`,
  });
  const registry = createHookRegistry(agentHooks);
  install(registry, { rules: [{ tools: 'wipe', personalities: 'reader', decision: 'deny', reason: 'readers read' }] });
  const wipes: ScriptedStep = { calls: [{ name: 'wipe', args: {} }] };
  const asks = (agent: string): ScriptedStep => ({ calls: [{ name: 'task', args: { agent, prompt: 'wipe' } }] });
  const agent = (id: string, agents: string[], ...script: ScriptedStep[]) =>
    ({ model: scriptedModel([...script, 'ok']), agents, tools: [wipe], personality: { id } }) as const;
  const runtime = createRuntime({
    registry,
    agents: {
      lead: agent('reader', ['middle'], wipes, asks('middle')),
      middle: agent('planner', ['hand'], asks('hand')),
      hand: agent('writer', [], wipes, 'denied', wipes),
      alone: agent('planner', ['hand'], asks('hand')),
    },
  });
  await runtime.agent('lead').run('go');
  expect(ran).toEqual([]);
  await runtime.agent('alone').run('go');
  expect(ran).toEqual(['alone > hand']);
  await runtime.shutdown();
});
