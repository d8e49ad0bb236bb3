// Owns the checks that a contender of the kernel must pass before it is timed.
import assert from 'node:assert/strict';

/** @typedef {import('../measuring/contender.mjs').Contender} Contender */

/**
 * @param {() => unknown} run
 * @param {import('./handlers.mjs').Tally} tally
 * @param {number} calls how many handlers one operation calls
 * @param {(result: any) => void} [judge] throws when the result is wrong
 * @returns {Contender}
 */
export function contender(run, tally, calls, judge = () => {}) {
  return {
    run,
    check: async () => {
      for (const nth of ['first', 'second']) {
        tally.calls = 0;
        judge(await run());
        assert.equal(tally.calls, calls, `handlers called by the ${nth} operation`);
      }
    },
  };
}

/** @param {unknown} result */
export const isNothing = (result) => assert.equal(result, undefined);

/** @param {unknown} expected */
export const isLike = (expected) => (/** @type {unknown} */ result) =>
  assert.deepEqual({ .../** @type {object} */ (result) }, expected);
