// Owns the handlers that all contenders call: the same functions for the kernel, the floor and the peers.

/** Counts the calls of handlers, so that a contender that skips some is found out before it is timed. */
export class Tally {
  calls = 0;
}

/** @typedef {(payload: any, ctx?: any) => any} Handler */
/** @typedef {'sync' | 'async'} Kind */

/**
 * Handlers that look and say nothing.
 * @param {number} count
 * @param {Kind} kind
 * @param {Tally} tally
 * @returns {Handler[]}
 */
export const passing = (count, kind, tally) =>
  Array.from({ length: count }, () =>
    kind === 'sync'
      ? () => {
          tally.calls++;
        }
      : async () => {
          tally.calls++;
        },
  );

/**
 * Handlers of which the first `amending`, spread evenly, give the text anew; the others say nothing.
 * @param {number} count
 * @param {number} amending
 * @param {Kind} kind
 * @param {Tally} tally
 * @returns {Handler[]}
 */
export function rewriting(count, amending, kind, tally) {
  const handlers = passing(count, kind, tally);
  for (let nth = 0; nth < amending; nth++) {
    const at = Math.floor((nth * count) / amending);
    const text = `rewritten by ${at}`;
    handlers[at] =
      kind === 'sync'
        ? () => {
            tally.calls++;
            return { text };
          }
        : async () => {
            tally.calls++;
            return { text };
          };
  }
  return handlers;
}

/**
 * Async handlers, each of which sets a key of its own.
 * @param {number} count
 * @param {Tally} tally
 * @returns {Handler[]}
 */
export const filling = (count, tally) =>
  Array.from({ length: count }, (_, at) => {
    const key = `k${at}`;
    return async () => {
      tally.calls++;
      return { [key]: at };
    };
  });

/**
 * Async handlers of which one throws a new error each time.
 * @param {number} count
 * @param {number} failing its place
 * @param {Tally} tally
 * @returns {Handler[]}
 */
export function oneFailing(count, failing, tally) {
  const handlers = passing(count, 'async', tally);
  handlers[failing] = async () => {
    tally.calls++;
    throw new Error('it failed');
  };
  return handlers;
}
