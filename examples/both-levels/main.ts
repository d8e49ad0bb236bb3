/** Hooks of a runtime and hooks of one agent: the agent's replace the runtime's; who wants both chains them. */
import { chainHooks, createRuntime, type AgentDefinition, type Hooks } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const runtimeHooks: Hooks = {
  beforeTool: ({ name, args }) => console.log(`  the runtime sees ${name} ${JSON.stringify(args)}`),
};
const definitionHooks: Hooks = {
  beforeTool: ({ args }) => ({ args: { ...(args as object), room: 'B' } }),
};

const book = defineTool({
  name: 'book',
  description: 'Books a room.',
  input: z.object({ room: z.string() }),
  execute: ({ room }) => `room ${room} is booked`,
});
const booking = (hooks?: Hooks): AgentDefinition => ({
  model: scriptedModel([{ calls: [{ name: 'book', args: { room: 'A' } }] }, 'Booked.']),
  tools: [book],
  unguarded: 'a room can be given back',
  hooks, // `undefined` inherits
});

const runtime = createRuntime({
  registry: createHookRegistry(agentHooks),
  hooks: runtimeHooks,
  agents: {
    inherits: booking(),
    replaces: booking(definitionHooks),
    chains: booking(chainHooks(runtimeHooks, definitionHooks)), // in this order: the runtime sees what the model asked for
  },
});
for (const name of runtime.names) {
  console.log(`${name}:`);
  const { toolCalls } = await runtime.agent(name).run('Book room A.');
  console.log(`  ${toolCalls[0]?.output}`);
}
await runtime.shutdown();
