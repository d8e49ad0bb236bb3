/** The three house tenants and a plugin in a runtime: installed once, for each of its agents. */
import { createRuntime } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { install as installCompaction } from '@treblehook/plugin-compaction';
import { install as installRouteGate } from '@treblehook/plugin-route-gate';
import { install as installToolPolicy } from '@treblehook/plugin-tool-policy';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const input = z.object({ order: z.string() });
const tool = (name: string) =>
  defineTool({ name, description: `${name} an order`, input, execute: (args) => `${name}: ${args.order}` });

const registry = createHookRegistry(agentHooks);
installCompaction(registry, { maxTokens: 24_000, prune: true, agents: { clerk: { maxTokens: 8_000 } } });
installRouteGate(registry, { routes: { scripted: { tier: 'standard' } } }); // a key of the models of each agent
installToolPolicy(registry, { rules: [{ tools: 'wipe', decision: 'deny', reason: 'nothing is wiped' }] });

const audit = registry.forPlugin('audit'); // runs for the personalities that list it
audit.registerVoid('toolEnd', ({ origin, name, outcome }) =>
  console.log(`audit: ${origin.agentPath.join(' > ')}: ${name} ${outcome}`),
);
registry.verify(); // what an order list names and nobody registered is refused here, not in a run

const agentOf = (name: string, plugins: readonly string[]) => ({
  model: scriptedModel([
    { calls: ['look_up', 'wipe'].map((one) => ({ name: one, args: { order: '17' } })) },
    `${name} is done.`,
  ]),
  tools: [tool('look_up'), tool('wipe')],
  personality: { id: name, plugins },
});
const runtime = createRuntime({
  registry,
  agents: { lead: agentOf('lead', ['audit']), clerk: agentOf('clerk', []) },
});

for (const name of ['lead', 'clerk']) {
  const { text, toolCalls } = await runtime.agent(name).run('See to order 17.');
  console.log(`${text} ${toolCalls.map((call) => `${call.name} ${call.outcome}`).join(', ')}`);
}
console.log(
  registry
    .plan('beforeLLM')
    .map(({ id }) => id)
    .join(' → '),
);
await runtime.shutdown();
