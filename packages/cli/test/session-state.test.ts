// How a session stands: it waits for as long as an answer is missing, and no longer.
import { createAgent, memoryStore, readSession } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { expect, test } from 'vitest';
import { fateOf, openRequests, stateOf, stateText } from '../src/session/state.js';

const nobody = {};
const anything = { '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) } };

async function waiting() {
  const store = memoryStore();
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const inputSchema = { type: 'object' };
  const tool = defineTool({ name: 'pay', description: 'pays', input: anything, inputSchema, execute: () => 'paid' });
  const model = scriptedModel([
    {
      calls: [
        { name: 'pay', args: {} },
        { name: 'pay', args: {} },
      ],
    },
    'end',
  ]);
  const agent = createAgent({ model, registry, tools: [tool], store });
  const stand = async () => {
    const view = readSession(await store.read('s'));
    const state = stateOf(view, nobody);
    const [run] = view.runs;
    const fates = run!.turns[0]!.calls.map((call) => fateOf(call, run!, state));
    return { state, text: stateText(state, openRequests(view).length, undefined), fates };
  };
  const answer = async () => {
    const [open] = openRequests(readSession(await store.read('s')));
    await store.settle('s', { id: open!.request.id, ok: true });
  };
  return { agent, stand, answer };
}

test('a session waits until its answer is in; then it can be resumed, and what comes of its calls is to come', async () => {
  const { agent, stand, answer } = await waiting();
  await agent.session('s').run('go');
  expect(await stand()).toEqual({ state: 'waiting', text: 'waits for 1 answer', fates: ['suspended', 'to come'] });
  await answer();
  expect(await stand()).toEqual({ state: 'ready', text: 'waits to be resumed', fates: ['to come', 'to come'] });
  await agent.resume('s');
  expect(await stand()).toEqual({ state: 'waiting', text: 'waits for 1 answer', fates: ['ok', 'suspended'] });
  await answer();
  await agent.resume('s');
  expect(await stand()).toEqual({ state: 'settled', text: 'settled', fates: ['ok', 'ok'] });
});
