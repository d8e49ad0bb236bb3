/** Plain hooks that veto: a `result` of `beforeTool` answers a call in place of the tool, which never runs. */
import { createAgent, type Hooks } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';
import { twoReplies } from '../two-replies.js';

const noDeletes: Hooks = {
  beforeTool: ({ name }) =>
    name === 'delete_file' ? { result: { output: `vetoed: ${name} is switched off`, isError: true } } : undefined,
};

const deleted: string[] = [];
const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Deletes a file.',
  input: z.object({ path: z.string() }),
  execute: ({ path }) => `deleted as number ${deleted.push(path)}`,
});
const stub = await twoReplies({ name: 'delete_file', args: { path: 'notes.txt' } }, 'It is gone.');
const agent = createAgent({
  model: stub.model,
  registry: createHookRegistry(agentHooks),
  tools: [deleteFile],
  unguarded: 'the hook lets no call of the only tool through',
  hooks: noDeletes,
  limits: { steps: 1 }, // one model call; the answer to the vetoed call is not asked for
});
const { status, limit, toolCalls } = await agent.run('Delete my notes.');
await agent.close();
await stub.close();

const { output, isError } = toolCalls[0] ?? {};
console.log(`${status}: ${limit}, after ${stub.requests.length} request`);
console.log(`the call: ${JSON.stringify({ output, isError })}`);
console.log(`deleted: ${JSON.stringify(deleted)}`);
