/** Two agents of one runtime: what the clerk may do for the lead is what both may do, under the guards of both. */
import { createRuntime } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const input = z.object({ order: z.string() });
const tool = (name: string) =>
  defineTool({ name, description: `${name} an order`, input, execute: (args) => `${name}: ${args.order}` });
const [lookUp, cancel, wipe] = [tool('look_up'), tool('cancel'), tool('wipe')];
const order = { order: '17' };

const registry = createHookRegistry(agentHooks);
const supervisor = registry.forPlugin('supervisor'); // on the list of the lead alone
supervisor.registerClaiming('toolPolicy', ({ tool }) => (tool.name === 'cancel' ? { ask: 'Cancel it?' } : undefined));
registry.registerVoid('toolEnd', ({ origin, name, outcome }) =>
  console.log(`${origin.agentPath.join(' > ')}: ${name} ${outcome}`),
);

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
        { calls: ['look_up', 'wipe', 'cancel'].map((name) => ({ name, args: order })) },
        'Order 17 is cancelled.',
      ]),
      description: 'looks after orders',
      tools: [lookUp, cancel, wipe], // the lead has no `wipe`: nor has the clerk, when the lead tasks it
      personality: { id: 'clerk' },
    },
  },
});

const { text, toolCalls } = await runtime.agent('lead').run('Please cancel my order 17.');
console.log(`the task gave: ${toolCalls[0]?.output}\nthe lead says: ${text}`);
await runtime.shutdown();
