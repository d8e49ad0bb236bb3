/** Hooks of a whole program and hooks of one agent: the agent's replace the program's; who wants both chains them. */
import { chainHooks, createAgent, type Agent, type Hooks } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const runtimeHooks: Hooks = {
  beforeTool: ({ name, args }) => console.log(`  the program sees ${name} ${JSON.stringify(args)}`),
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
const agentWith = (hooks: Hooks | undefined): Agent =>
  createAgent({
    model: scriptedModel([{ calls: [{ name: 'book', args: { room: 'A' } }] }, 'Booked.']),
    registry: createHookRegistry(agentHooks),
    tools: [book],
    unguarded: 'a room can be given back',
    ...(hooks && { hooks }),
  });

const levels = {
  "the program's": runtimeHooks,
  "the agent's": definitionHooks,
  both: chainHooks(runtimeHooks, definitionHooks), // in this order: the program sees what the model asked for
};
for (const [whose, hooks] of Object.entries(levels)) {
  console.log(`${whose}:`);
  const agent = agentWith(hooks);
  const { toolCalls } = await agent.run('Book room A.');
  await agent.close();
  console.log(`  ${toolCalls[0]?.output}`);
}
