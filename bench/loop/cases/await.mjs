// Owns the question of what a loop does to every `await` of its process.
import { processorTime } from '../../measuring/measure.mjs';
import { bare } from '../ours.mjs';
import { aiGenerate, langchain, openaiAgents, pi } from '../peers.mjs';

/** @typedef {import('../../measuring/contender.mjs').Contender} Contender */

const awaits = 100_000;
const settled = Promise.resolve();

/**
 * @param {() => Contender | Promise<Contender>} [make] what has run before
 * @param {number} [runs]
 */
const calibrated =
  (make, runs = 1_000) =>
  async () => {
    if (make !== undefined) {
      const { check, run } = await make();
      await check();
      for (let at = 0; at < runs; at++) await run();
    }
    return {
      repeats: 5,
      value: async () => {
        globalThis.gc?.();
        const began = processorTime();
        for (let at = 0; at < awaits; at++) await settled;
        return (processorTime() - began) / awaits;
      },
    };
  };

export const cases = {
  await: {
    ours: calibrated(bare()),
    'a fresh process': calibrated(),
    'pi, after its runs': calibrated(pi),
    'AI SDK, after its runs': calibrated(aiGenerate),
    'openai-agents, after its runs': calibrated(openaiAgents),
    'langchain, after its runs': calibrated(langchain(0)),
  },
};
