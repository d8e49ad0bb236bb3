/** Plain hooks that amend: `beforeTool` mends the arguments, `afterTool` hides a number before anybody has seen it. */
import { createAgent, memoryStore, type AgentEvent, type Hooks } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';
import { twoReplies } from '../two-replies.js';

let requests = 0;
const hooks: Hooks = {
  beforeLLM: () => void requests++,
  beforeTool: ({ args }) => ({ args: { ...(args as object), city: 'Chennai' } }),
  afterTool: ({ result }) => ({ result: { ...result, output: result.output.replace(/\d{10}/, '[redacted]') } }),
};

const asked: string[] = [];
const office = defineTool({
  name: 'office',
  description: 'Says how an office is reached.',
  input: z.object({ city: z.string() }),
  execute({ city }) {
    asked.push(city);
    return `the office in ${city}: 9876543210`;
  },
});
const stub = await twoReplies({ name: 'office', args: { city: 'chennai' } }, 'I have found it.');
const store = memoryStore();
const agent = createAgent({
  model: stub.model,
  registry: createHookRegistry(agentHooks),
  tools: [office],
  unguarded: 'the tool changes nothing',
  hooks,
  store,
});

const session = agent.session('calls');
const events: AgentEvent[] = [];
for await (const event of session.stream('How do I reach chennai?')) events.push(event);
const end = events.at(-1);
const seen = {
  result: end?.type === 'done' ? end.result.toolCalls : [],
  transcript: session.messages(),
  stream: events,
  log: await store.read('calls'),
  wire: stub.requests,
};
await agent.close();
await stub.close();

console.log(`the tool was asked for ${asked.join(', ')}; beforeLLM was asked ${requests} times`);
for (const [where, what] of Object.entries(seen)) {
  const text = JSON.stringify(what);
  console.log(`${where}: ${text.match(/the office in [^"\\]*/)?.[0]}, the number: ${text.includes('9876543210')}`);
}
