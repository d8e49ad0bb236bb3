// A program that embeds the loop: every kind of ending, then nothing that would keep the process.
import { createAgent, memoryStore } from '@treblehook/agent';
import { deferred, scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, pending } from '@treblehook/types';
import { z } from 'zod';

process.stdout.write(''); // its pipe is open from here on
const turn = () => new Promise((resolve) => setImmediate(resolve));
// the loader's files are closed first
while (process.getActiveResourcesInfo().some((name) => /^(CloseReq|FSReq)/.test(name))) await turn();
const state = () => ({
  resources: process.getActiveResourcesInfo().toSorted(),
  globals: Object.getOwnPropertyNames(globalThis).toSorted(),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
});
const before = state();

/** @type {(name: string, execute: import('@treblehook/types').Tool['execute']) => import('@treblehook/types').Tool} */
const tool = (name, execute) => defineTool({ name, description: name, input: z.object({}).loose(), execute });
/** @param {string} name */
const call = (name) => ({ calls: [{ name }] });
const down = Object.assign(new Error('down'), { status: 503, retryable: true });
const agent = createAgent({
  model: scriptedModel([
    call('fails'),
    'done',
    { text: ['a', 'b'], hold: deferred().promise },
    call('stuck'),
    down,
    down,
    call('waits'),
  ]),
  registry: createHookRegistry(agentHooks),
  tools: [
    tool('fails', () => Promise.reject(new Error('the tool is broken'))),
    tool('stuck', () => new Promise(() => {})),
    tool('waits', () => pending({ kind: 'input', prompt: 'which one?' })),
  ],
  unguarded: 'the tools do nothing',
  store: memoryStore(), // one that others may have too: its leases are renewed by a timer
  graceMs: 1,
  retry: { attempts: 2, baseMs: 1 },
});

/** @type {unknown[]} */
const seen = [];
/** @param {{ status: string }} result */
const told = ({ status }) => seen.push(status);
/** @param {{ code: string }} error */
const refused = ({ code }) => seen.push(code);
await agent.run('call a tool that fails').then(told);
for await (const event of agent.stream('break off')) if (event.type === 'text-delta') break;
const leave = new AbortController();
for await (const event of agent.stream('abort a body that does not listen', { signal: leave.signal })) {
  if (event.type === 'tool-call') setImmediate(() => leave.abort());
  if (event.type === 'done') told(event.result);
}
await agent.run('a model that is down').then(told);
const session = agent.session('asks');
await session.run('wait').then(told);
await session.run('').catch(refused);
await session.resume({ id: 'none', ok: true }).catch(refused);
agent.stream('nobody reads this'); // never begins
await agent.close();
await session.run('closed').catch(refused);

await turn();
const after = state();
console.log(JSON.stringify({ seen, before, after }));
// It holds nothing itself, and fires only in a process that something else holds.
setTimeout(() => {
  console.log(`held by ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(3);
}, 1_000).unref();
