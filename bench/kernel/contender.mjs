// Owns what a contender is, and the checks it must pass before it is timed.
import assert from 'node:assert/strict';

/**
 * @typedef {object} Contender
 * One way to do what a question asks.
 * @property {() => unknown} run one operation; what it returns is awaited when it is a promise
 * @property {() => unknown} check runs the operation once and throws unless it did the work and gave the right result
 * @property {boolean} [waits] false: the promise is made and not awaited
 */

/**
 * @typedef {object} Whole
 * Something that is done as a whole, such as an import; not repeated in a loop.
 * @property {() => number | Promise<number>} value one value, in the unit of the question; throws when it went wrong
 * @property {number} [repeats] how often at least; absent: once, for a second time in one process would not be the same
 */

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
