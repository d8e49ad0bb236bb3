/** An agent behind HTTP: a session per user, events as they come, an abort when the client leaves, 409 while a user's run goes on. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent } from '@treblehook/agent';
import { deferred, scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks } from '@treblehook/types';
import { chatHandler } from './handler.js';

const registry = createHookRegistry(agentHooks);
const over = deferred<string>();
const model = scriptedModel([
  { text: ['Good ', 'morning.'] },
  { text: ['Once upon ', 'a time'], hold: deferred().promise }, // an answer that goes on for ever
  'You are back.',
]);
const agent = createAgent({ model, registry, lockWaitMs: 50 });
registry.registerVoid('agentDone', ({ status }) => (status === 'aborted' ? over.resolve(status) : undefined));

// who asks: a real one looks at a cookie or a token
const handle = chatHandler(agent, ({ headers }) => headers['x-user']?.toString() || undefined);
const server = createServer((request, response) => void handle(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

// What follows is the other side: clients.
const chat = (user: string, body: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', headers: { 'x-user': user }, body, signal: signal ?? null });

console.log(await (await chat('ann', 'Good morning!')).text());

const leave = new AbortController();
const story = await chat('ann', 'Tell me a story.', leave.signal);
const busy = await chat('ann', 'Are you there?');
console.log(`while it is told: ${busy.status}, try again after ${busy.headers.get('retry-after')} s`);
await story.body?.getReader().read();
leave.abort();
console.log(`the client leaves: ${await over.promise}\n`);

console.log(await (await chat('ann', 'Hello again!')).text());
console.log(`without a word: ${(await chat('ann', '')).status}; without a name: ${(await chat('', 'Hello!')).status}`);

server.close();
server.closeAllConnections();
await agent.close();
