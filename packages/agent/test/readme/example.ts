import { createHookRegistry } from '@treblehook/core';
import { createAgent, offlineModel } from '@treblehook/agent';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather of a town.',
  input: z.object({ town: z.string() }),
  execute: ({ town }) => `${town}: rain`,
});

const registry = createHookRegistry(agentHooks);
const known = (args: unknown): boolean => !JSON.stringify(args).includes('Atlantis');
registry.registerClaiming('toolPolicy', ({ args }) => (known(args) ? undefined : { deny: 'no such town' }), {
  id: 'map',
});
registry.registerVoid('toolEnd', ({ name, outcome, record }) => console.log(name, outcome, record.reason ?? ''));

const agent = createAgent({ model: offlineModel(), registry, tools: [getWeather] });
for await (const event of agent.stream('use get_weather {"town": "Atlantis"}')) {
  if (event.type === 'text-delta') process.stdout.write(event.text);
}
await agent.close();
