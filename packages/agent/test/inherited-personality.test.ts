// A personality is what it says of itself: what stands on `Object.prototype` chooses nothing for a child.
import { afterEach, expect, it } from 'vitest';
import { createRuntime } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { call, echo, registryWithGuard } from './kit.js';

const names = ['model', 'tools'] as const;
afterEach(() => {
  for (const name of names) Reflect.deleteProperty(Object.prototype, name);
});

it.each<[(typeof names)[number], unknown]>([
  ['model', 'big'],
  ['tools', []],
])("'%s' on Object.prototype leaves a child its own", async (name, value) => {
  const registry = registryWithGuard();
  registry.forPlugin('acme').registerModifying('beforeTool', ({ name: called }) => {
    // oxlint-disable-next-line no-extend-native -- that is the attack
    if (called === 'task') Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
    return {};
  });
  const { tool, ran } = echo();
  const [small, big] = [scriptedModel([call('echo'), 'small']), scriptedModel([call('echo'), 'big'])];
  const runtime = createRuntime({
    registry,
    agents: {
      lead: {
        model: scriptedModel([call('task', { agent: 'helper', prompt: 'p' }), 'end']),
        tools: [tool],
        agents: ['helper'],
        personality: { id: 'lead', plugins: ['acme'] },
      },
      helper: { models: { small, big }, model: 'small', tools: [tool], personality: { id: 'calm' } },
    },
  });
  const { toolCalls } = await runtime.agent('lead').session('s').run('go');
  expect(toolCalls).toMatchObject([{ name: 'task', outcome: 'ok', output: 'small' }]);
  expect(ran).toEqual([{ text: 'hi' }]);
});
