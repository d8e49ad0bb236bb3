// Owns the questions of what a run costs with nothing registered.
import assert from 'node:assert/strict';
import { floor } from '../floor.mjs';
import { contender, readBoth, Seen } from '../model.mjs';
import { bare, conversation, makeAgent, streamed } from '../ours.mjs';
import { aiGenerate, aiStream, langchain, openaiAgents, pi } from '../peers.mjs';

/** @typedef {import('../../measuring/contender.mjs').Contender} Contender */
/** @typedef {import('../../measuring/contender.mjs').Whole} Whole */

const hand = () => {
  const seen = new Seen();
  return contender(seen, floor(seen));
};

/**
 * Bytes of one run.
 * @param {() => Contender | Promise<Contender>} make
 */
const allocating = (make) => async () => {
  const { run, check } = await make();
  const runs = 200;
  /** @type {Whole & { check: Contender['check'] }} */
  const whole = {
    check,
    repeats: 10,
    value: async () => {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
      const before = process.memoryUsage().heapUsed;
      for (let at = 0; at < runs; at++) await run();
      return (process.memoryUsage().heapUsed - before) / runs;
    },
  };
  return whole;
};

/** Two streams are made and read, as in one run. */
const reading = () => ({
  run: readBoth,
  check: async () => assert.equal(await readBoth(), 25, 'parts that were read'),
});

/** @param {number} steps */
const stepping = (steps) => () => {
  const seen = new Seen();
  const agent = makeAgent(seen, { limits: { steps: steps + 1 } }, { steps });
  return contender(seen, conversation(agent), { calls: steps });
};

export const cases = {
  bare: {
    ours: bare(),
    floor: hand,
    pi,
    'AI SDK': aiGenerate,
    'openai-agents': openaiAgents,
    langchain: langchain(0),
  },
  'bare-bytes': { ours: allocating(bare()), floor: allocating(hand), pi: allocating(pi) },
  streamed: { ours: streamed, pi, 'AI SDK, streamText': aiStream },
  readable: { ours: bare({ as: 'readable' }), 'reading them': reading },
  'steps-200': { ours: stepping(200), '50 of them': stepping(50) },
};
