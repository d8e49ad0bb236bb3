// Owns the floors: the least code that calls the same handlers, with nothing checked, frozen, ordered or budgeted.
// oxlint-disable oxc/no-accumulating-spread -- that is how it is written by hand, and what is compared with
import { payload } from './points.mjs';

/** @typedef {import('./handlers.mjs').Handler} Handler */

/**
 * All started, settled together.
 * @param {readonly Handler[]} handlers
 */
export const allSettled = (handlers) => () => Promise.allSettled(handlers.map((handler) => handler(payload)));

/**
 * One after another; what they answer is dropped.
 * @param {readonly Handler[]} handlers
 */
export const forAwait = (handlers) => async () => {
  for (const handler of handlers) await handler(payload);
};

/**
 * One after another, each seeing what the ones before it set.
 * @param {readonly Handler[]} handlers
 */
export const forAwaitFeeding = (handlers) => async () => {
  /** @type {Record<string, unknown> | undefined} */
  let set;
  let seen = payload;
  for (const handler of handlers) {
    const amendment = await handler(seen);
    if (amendment === undefined) continue;
    set = { ...set, ...amendment };
    seen = { ...seen, ...amendment };
  }
  return set;
};

/**
 * One after another, each seeing the original; the first value of a key stays.
 * @param {readonly Handler[]} handlers
 */
export const forAwaitMerging = (handlers) => async () => {
  /** @type {Record<string, unknown>} */
  let set = {};
  for (const handler of handlers) set = { ...(await handler(payload)), ...set };
  return set;
};

/**
 * One after another until one claims.
 * @param {readonly Handler[]} handlers
 */
export const forAwaitClaiming = (handlers) => async () => {
  for (const handler of handlers) {
    const answer = await handler(payload);
    if (answer?.handled === true) return answer;
  }
  return undefined;
};

/**
 * One after another, each raced against a timer of its own.
 * @param {readonly Handler[]} handlers
 * @param {number} ms
 */
export const forAwaitTimed = (handlers, ms) => async () => {
  for (const handler of handlers) {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('over budget')), ms);
      handler(payload).then(
        (/** @type {unknown} */ answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        (/** @type {unknown} */ error) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }
};
