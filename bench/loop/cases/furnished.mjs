// Owns the questions of what house tenants and plugins cost a run.
import assert from 'node:assert/strict';
import { install as installCompaction } from '@treblehook/plugin-compaction';
import { install as installRouteGate } from '@treblehook/plugin-route-gate';
import { install as installToolPolicy } from '@treblehook/plugin-tool-policy';
import { contender, Seen } from '../model.mjs';
import { bare, conversation, makeAgent, makeRegistry } from '../ours.mjs';
import { langchain } from '../peers.mjs';

/** @typedef {import('../../measuring/contender.mjs').Contender} Contender */

const plugin = 'bench';
const personality = { id: 'bench', plugins: [plugin] };

/** How often each point is fired in a run of two model calls and one tool call. */
const fires = /** @type {const} */ ({ beforeLLM: 2, afterLLM: 2, beforeTool: 1, toolPolicy: 1, toolEnd: 1 });

/** The three tenants as a host installs them, and four handlers on each of five points, every other one async. */
const furnished = () => {
  const seen = new Seen();
  const registry = makeRegistry();
  installCompaction(registry, { maxTokens: 24_000, prune: true });
  installRouteGate(registry, { routes: { instant: { tier: 'standard' } } });
  installToolPolicy(registry, {
    rules: [{ id: 'no-shell', tools: 'shell*', decision: 'deny', reason: 'there is no shell here' }],
  });
  let calls = 0;
  const handlers = [
    () => void calls++,
    async () => {
      calls++;
    },
  ];
  const registrar = registry.forPlugin(plugin);
  for (let at = 0; at < 4; at++) {
    const handler = /** @type {() => void} */ (handlers[at % 2]);
    registrar.registerModifying('beforeLLM', handler);
    registrar.registerVoid('afterLLM', handler);
    registrar.registerModifying('beforeTool', handler);
    registrar.registerClaiming('toolPolicy', handler);
    registrar.registerVoid('toolEnd', handler);
  }
  const agent = makeAgent(seen, { registry, personality });
  const { run, check } = contender(seen, conversation(agent));
  return {
    run,
    check: async () => {
      await check();
      calls = 0;
      await run();
      const wanted = 4 * Object.values(fires).reduce((sum, count) => sum + count, 0);
      assert.equal(calls, wanted, 'handlers called in a run');
    },
  };
};

/** @param {number} count of async handlers that do nothing */
const idle = (count) => () => {
  const seen = new Seen();
  const registry = makeRegistry();
  const registrar = registry.forPlugin(plugin);
  let calls = 0;
  for (let at = 0; at < count; at++) {
    registrar.registerModifying('beforeLLM', async () => {
      calls++;
    });
  }
  const { run, check } = contender(seen, conversation(makeAgent(seen, { registry, personality })));
  return {
    run,
    check: async () => {
      await check();
      calls = 0;
      await run();
      assert.equal(calls, count * fires.beforeLLM, 'handlers called in a run');
    },
  };
};

export const cases = {
  furnished: { ours: furnished, bare: bare(), 'langchain, 20 middlewares': langchain(20) },
  'idle-100': { ours: idle(100), 'none of them': idle(0) },
};
