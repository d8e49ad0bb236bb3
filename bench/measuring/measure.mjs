// Owns the three ways to measure: time per operation, bytes per operation, and a value taken as a whole.
import { do_not_optimize, measure } from 'mitata';

/** @typedef {import('./contender.mjs').Contender} Contender */
/** @typedef {import('./contender.mjs').Whole} Whole */

/** Processor time of this process, ns: a machine that does something else meanwhile is not measured with it. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1_000;
}

/** How long one timed batch should take, ms: long enough that the collector's pauses fall into most of them. */
const batchMs = 10;

/**
 * Nanoseconds per operation: the median over batches, after as much warming up as measuring.
 * @param {Contender} contender
 * @param {number} ms
 */
export async function nanoseconds({ run, waits = true }, ms) {
  const op = waits ? run : () => do_not_optimize(run());
  const perOp = await warmUp(op, ms);
  const batch = Math.max(4, Math.min(2 ** 20, Math.round((batchMs * 1e6) / perOp / 4) * 4));
  const { p50 } = await measure(op, {
    now: processorTime,
    gc: false,
    min_cpu_time: ms * 1e6,
    batch_samples: batch,
    // warmed up already: always in batches, whatever a single operation takes
    batch_threshold: Infinity,
    warmup_threshold: Infinity,
  });
  return p50;
}

/**
 * @param {() => unknown} op
 * @param {number} ms
 * @returns {Promise<number>} a first idea of the nanoseconds per operation
 */
async function warmUp(op, ms) {
  const end = processorTime() + ms * 1e6;
  let perOp = Infinity;
  for (let count = 1; ; count = Math.min(count * 2, 10_000)) {
    const began = processorTime();
    for (let at = 0; at < count; at++) {
      const result = op();
      if (result instanceof Promise) await result;
    }
    const now = processorTime();
    if (now > began) perOp = (now - began) / count;
    if (now >= end) return perOp;
  }
}

/**
 * Bytes allocated per operation. Needs a young generation so large that nothing is collected meanwhile; what the
 * compiler allocates beside the loop is kept out by taking the least of several rounds.
 * @param {Contender} contender its operation is not awaited
 * @param {number} count operations per round
 */
export async function bytes({ run }, count) {
  const loop = () => {
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < count; at++) do_not_optimize(run());
    return (process.memoryUsage().heapUsed - before) / count;
  };
  let least = Infinity;
  for (let round = 0; round < 7; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, Math.abs(loop()));
  }
  return least;
}

/**
 * The median of as many values as the time allows, and at least of `repeats`; with more than one, the first only warms up.
 * @param {Whole} whole
 * @param {number} ms
 */
export async function whole({ value, repeats = 1 }, ms) {
  if (repeats > 1) await value();
  const values = [];
  const end = processorTime() + (repeats > 1 ? ms * 1e6 : 0);
  do values.push(await value());
  while (values.length < repeats || processorTime() < end);
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
