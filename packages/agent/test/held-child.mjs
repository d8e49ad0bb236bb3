// A program with a handler that has no budget and never answers: what waits for it has an end, and so has the process.
import { createRuntime } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, channelHooks, defineHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

const [, , mode = ''] = process.argv;
let reached = false;
/** @returns {Promise<never>} */
const never = () => new Promise(() => void (reached = true));
/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** @param {() => boolean} holds */
const until = async (holds) => {
  for (let waited = 0; !holds() && waited < 10_000; waited += 5) await sleep(5);
};
const registry = createHookRegistry(defineHooks(agentHooks, channelHooks));
registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
const options = /** @type {const} */ ({ id: 'endless', timeoutMs: 'caller' });
if (mode === 'afterTool' || mode === 'personalitySwitched') registry.registerModifying(mode, never, options);
else registry.registerVoid(/** @type {'toolEnd'} */ (mode), never, options);

const echo = defineTool({ name: 'echo', description: 'echo', input: z.object({}), execute: () => 'said' });
const runtime = createRuntime({
  registry,
  graceMs: 1,
  lockWaitMs: mode === 'personalitySwitched' ? 10_000 : 50, // what ends a switch by itself comes behind the shutdown
  agents: {
    lead: {
      model: scriptedModel([{ calls: [{ name: 'task', args: { agent: 'helper', prompt: 'go' } }] }, 'x']),
      tools: [echo],
      agents: ['helper'],
    },
    helper: {
      model: scriptedModel([{ calls: [{ name: 'echo' }] }, 'h']),
      tools: [echo],
      personality: { id: 'one' },
      personalities: [{ id: 'two' }],
    },
  },
  channels: [{ platform: 'wire', send: () => undefined }],
  route: () => 'helper',
});
/** @type {unknown} */
let outcome;
/** @param {{ status?: unknown, outcome?: unknown, code?: unknown }} end */
const told = ({ status, outcome: of, code }) => void (outcome = status ?? of ?? code);
if (mode === 'messageSent') void runtime.receive({ platform: 'wire', chatId: 'c', text: 'go' }).then(told, told);
else if (mode === 'personalitySwitched')
  void runtime
    .agent('helper')
    .session('s')
    .switchPersonality('two')
    .then(() => {}, told);
else if (mode === 'sessionEnd' || mode === 'subagentEnded')
  void runtime.agent('lead').session('s').run('go').then(told, told);
else void runtime.agent('helper').session('s').run('go').then(told, told);
await until(() => (mode === 'sessionEnd' ? outcome !== undefined : reached));
await sleep(100);
const { stuck } = await runtime.shutdown({ graceMs: 1, settleMs: 100 });
await until(() => outcome !== undefined);
console.log(JSON.stringify([outcome, stuck.length]));
// It holds nothing itself, and fires only in a process that something else holds.
setTimeout(() => {
  console.log(`held by ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(3);
}, 1_000).unref();
