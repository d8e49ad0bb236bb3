// A program whose store does not answer any more: its runtime is shut down, and the process ends by itself.
import { createRuntime, memoryStore } from '@treblehook/agent';
import { deferred, scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks } from '@treblehook/types';

const store = memoryStore();
const reached = deferred();
const runtime = createRuntime({
  registry: createHookRegistry(agentHooks),
  agents: { lead: { model: scriptedModel(['x']) } },
  graceMs: 1,
  store: {
    ...store,
    append: (lease, records) =>
      records[0]?.type === 'answer' ? (reached.resolve(), new Promise(() => {})) : store.append(lease, records),
  },
});
void runtime.agent('lead').session('s').run('go');
await reached.promise;
const { stuck } = await runtime.shutdown({ graceMs: 1, settleMs: 1 });
console.log(stuck.map(({ what }) => what).join());
// It holds nothing itself, and fires only in a process that something else holds.
setTimeout(() => {
  console.log(`held by ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(3);
}, 1_000).unref();
