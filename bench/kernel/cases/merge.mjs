// Owns the question about merges: each handler sees the original, the first value of a key stays.
import assert from 'node:assert/strict';
import { contender, isLike } from '../contender.mjs';
import { forAwaitMerging } from '../floors.mjs';
import { filling, Tally } from '../handlers.mjs';
import { firing } from '../ours.mjs';
import { payload } from '../points.mjs';

/** @typedef {import('../handlers.mjs').Handler} Handler */

const merged = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`k${at}`, at]));

/**
 * @param {(handlers: Handler[]) => (() => unknown) | Promise<() => unknown>} make
 * @param {(result: any) => void} judge
 */
const around =
  (make, judge = isLike(merged)) =>
  async () => {
    const tally = new Tally();
    return contender(await make(filling(10, tally)), tally, 10, judge);
  };

/** @param {Handler[]} handlers */
const ours = (handlers) => {
  const fire = firing('merge', handlers);
  return () => fire();
};

/** @param {Handler[]} handlers */
const tapable = async (handlers) => {
  const { AsyncSeriesWaterfallHook } = (await import('tapable')).default;
  const hook = new AsyncSeriesWaterfallHook(['set']);
  for (const handler of handlers) {
    hook.tapPromise('bench', async (set) => ({
      .../** @type {object} */ (await handler(payload)),
      .../** @type {object} */ (set),
    }));
  }
  return () => hook.promise({});
};

export const cases = {
  'merge-10-async': {
    ours: around(ours, (result) => {
      isLike(merged)(result);
      assert.ok(Object.isFrozen(result));
    }),
    'for await + spread': around(forAwaitMerging),
    'tapable + spread': around(tapable),
  },
};
