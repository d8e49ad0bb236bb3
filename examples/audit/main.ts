/** Plain hooks that observe: `afterLLM` sees each model call, `afterTool` each result. They return nothing, and nothing changes. */
import { createAgent, type Hooks } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';
import { twoReplies } from '../two-replies.js';

const turns: number[] = [];
const tools: string[] = [];
const audit: Hooks = {
  afterLLM: ({ turn }) => void turns.push(turn),
  afterTool: ({ name }) => void tools.push(name),
};

const ping = defineTool({ name: 'ping', description: 'Pings.', input: z.object({}), execute: () => 'pong' });
const stub = await twoReplies({ name: 'ping', args: {} }, 'It answers.');
const agent = createAgent({
  model: stub.model,
  registry: createHookRegistry(agentHooks),
  tools: [ping],
  unguarded: 'ping changes nothing',
  hooks: audit,
});
const { status, text } = await agent.run('Is it there?');
await agent.close();
await stub.close();

console.log(`${status}: ${text}`);
console.log(`turns: ${JSON.stringify(turns)}`);
console.log(`tools: ${JSON.stringify(tools)}`);
