// A personality that lists a plugin which is nowhere is warned of: the plugin would be silent.
import { agentHooks, type AgentHooks, type HookRegistry } from '@treblehook/types';
import { createHookRegistry } from '@treblehook/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAgent, createRuntime, type Personality } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { calls, registryWithGuard } from './kit.js';

let warned: [string, string][] = [];
beforeEach(() => {
  warned = [];
  vi.spyOn(process, 'emitWarning').mockImplementation(((message: string, { code }: { readonly code: string }) => {
    warned.push([code, message]);
  }) as never);
});
afterEach(() => void vi.restoreAllMocks());

const models = { model: scriptedModel(Array.from({ length: 9 }, () => 'x')) };

function agentOf(personality: Personality, registry: HookRegistry<AgentHooks> = registryWithGuard()) {
  return createAgent({ ...models, registry, personality, name: 'lead' });
}

it('is said once per personality and plugin, as its first run begins, with the nearest that is there', async () => {
  const registry = registryWithGuard();
  const agent = createAgent({
    ...models,
    registry,
    name: 'lead',
    personality: { id: 'one', plugins: ['audti', 'late', 'nowhere'] },
    personalities: [{ id: 'two', plugins: ['audti'] }],
  });
  registry.forPlugin('audit').registerVoid('agentDone', () => {});
  registry.forPlugin('late').registerVoid('agentDone', () => {});
  expect(warned).toEqual([]);
  const session = agent.session('s');
  await session.run('1');
  await session.run('2');
  const lists = (personality: string, plugin: string, mend: string): [string, string] => [
    'TH_PLUGIN_ABSENT',
    `the personality '${personality}' of the agent 'lead' lists the plugin '${plugin}', which has no handler and no tool: ${mend}`,
  ];
  const first = [
    lists('one', 'audti', "did you mean 'audit'?"),
    lists('one', 'nowhere', "register it by registry.forPlugin('nowhere'), or take it out of the list"),
  ];
  expect(warned).toEqual(first);
  await session.switchPersonality('two');
  await session.run('3');
  await agent.run('4');
  expect(warned).toEqual([...first, lists('two', 'audti', "did you mean 'audit'?")]);
});

it('is not said of what is there on any point, nor of names of the house and of plain hooks', async () => {
  const registry = createHookRegistry(agentHooks, { order: { beforeTool: ['seat?', '*'] } });
  registry.registerVoid('agentDone', () => {}, { id: 'own' });
  registry.forPlugin('guard').registerClaiming('toolPolicy', () => undefined);
  await agentOf({ id: 'p', plugins: ['guard', 'own', 'seat', 'compaction', 'route-gate', 'hooks'] }, registry).run(
    'go',
  );
  await agentOf({ id: 'none' }, registry).run('go');
  expect(warned).toEqual([]);
});

it('is said once of the agents of a runtime too, however often a child is made', async () => {
  const registry = registryWithGuard();
  const task = { name: 'task', args: { agent: 'helper', prompt: 'do it' } };
  const personality = { id: 'p', plugins: ['nowhere'] };
  const runtime = createRuntime({
    ...models,
    registry,
    agents: {
      lead: { model: scriptedModel([calls(task, task), 'end']), agents: ['helper'], personality },
      helper: { personality },
    },
  });
  expect((await runtime.agent('lead').run('go')).status).toBe('done');
  expect(warned.map(([code, message]) => [code, /agent '(\w+)'/.exec(message)![1]])).toEqual([
    ['TH_PLUGIN_ABSENT', 'lead'],
    ['TH_PLUGIN_ABSENT', 'helper'],
  ]);
});
