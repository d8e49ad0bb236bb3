/** Two agents of one runtime: the lead gives a task; what the clerk may do is what both may do, under the guards of both. */
import { createRuntime } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const tool = (name: string, done: string) =>
  defineTool({
    name,
    description: done,
    input: z.object({ order: z.string() }),
    execute: ({ order }) => `${order}: ${done}`,
  });
const lookUp = tool('look_up', 'it is on its way');
const cancel = tool('cancel', 'it is cancelled');
const wipe = tool('wipe', 'it is gone');

const registry = createHookRegistry(agentHooks);
registry
  .forPlugin('supervisor') // on the list of the lead alone
  .registerClaiming('toolPolicy', ({ tool: { name } }) =>
    name === 'cancel' ? { ask: 'Cancel the order?', rule: 'cancel' } : undefined,
  );
registry.registerVoid('toolEnd', ({ origin, name, outcome }) =>
  console.log(`${origin.agentPath.join(' > ')}: ${name} ${outcome}`),
);
registry.registerModifying('subagentSpawning', ({ agent, budget }) => {
  console.log(`${agent} may use ${JSON.stringify(budget)}`);
});

const runtime = createRuntime({
  registry,
  answerer: {
    answer({ id, prompt, path = [] }) {
      console.log(`${path.join(' > ')} asks: ${prompt}`);
      return { id, ok: true };
    },
  },
  agents: {
    lead: {
      model: scriptedModel([
        { calls: [{ name: 'task', args: { agent: 'clerk', prompt: 'Cancel the order 17.' } }] },
        'Your order is cancelled.',
      ]),
      agents: ['clerk'],
      tools: [lookUp, cancel],
      personality: { id: 'lead', plugins: ['supervisor'] },
      limits: { toolCalls: 5 }, // its own and its children's together
    },
    clerk: {
      model: scriptedModel([
        {
          calls: [
            { name: 'look_up', args: { order: '17' } },
            { name: 'wipe', args: { order: '17' } },
          ],
        },
        { calls: [{ name: 'cancel', args: { order: '17' } }] },
        'Order 17 is cancelled.',
      ]),
      description: 'looks after orders',
      tools: [lookUp, cancel, wipe], // the lead has no `wipe`: nor has the clerk, when the lead tasks it
      personality: { id: 'clerk' },
      limits: { steps: 5 },
    },
  },
});

const { text, toolCalls } = await runtime.agent('lead').run('Please cancel my order 17.');
console.log(`the task gave: ${toolCalls[0]?.output}\nthe lead says: ${text}`);
await runtime.shutdown();
