// Owns the question of what it costs to come and go: many registrations, removed in any order.
import assert from 'node:assert/strict';
import { Tally } from '../handlers.mjs';
import { processorTime } from '../../measuring/measure.mjs';
import { fireOf, makeRegistry, owner } from '../ours.mjs';
import { payload } from '../points.mjs';

/** @typedef {() => void} Step */

/**
 * Removal in the order of registration, backwards, and shuffled.
 * @type {Record<string, <T>(items: readonly T[]) => T[]>}
 */
const orders = {
  forwards: (items) => [...items],
  backwards: (items) => items.toReversed(),
  shuffled: (items) => {
    const out = [...items];
    // a fixed seed: every contender and every round removes in the same order
    for (let at = out.length - 1, state = 42; at > 0; at--) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const other = state % (at + 1);
      [out[at], out[other]] = [/** @type {any} */ (out[other]), /** @type {any} */ (out[at])];
    }
    return out;
  },
};

/**
 * The milliseconds of registering and removing, in the worst of the orders.
 * @param {number} count
 * @param {(tally: Tally) => { add: (at: number) => Step, fire: () => unknown }} make
 */
function worst(count, make) {
  /** @param {string} order */
  const once = async (order) => {
    const tally = new Tally();
    const { add, fire } = make(tally);
    /** @type {Step[]} */
    const removals = [];
    const began = processorTime();
    for (let at = 0; at < count; at++) removals.push(add(at));
    const registered = processorTime() - began;

    await fire();
    assert.equal(tally.calls, count, 'handlers called before the removal');
    const shuffled = orders[order]?.(removals) ?? [];

    const again = processorTime();
    for (const remove of shuffled) remove();
    const removed = processorTime() - again;

    await fire();
    assert.equal(tally.calls, count, 'handlers called after the removal');
    return (registered + removed) / 1e6;
  };
  return {
    repeats: 3,
    value: async () => {
      const times = [];
      for (const order of Object.keys(orders)) {
        times.push(await once(order));
      }
      return Math.max(...times);
    },
  };
}

/** @param {Tally} tally */
const ours = (tally) => {
  const registry = makeRegistry();
  const registrar = registry.forPlugin(owner);
  const fire = fireOf(registry.scoped({ plugins: [owner] }), 'observe');
  const add = (/** @type {number} */ at) =>
    registrar.registerVoid(
      'observe',
      () => {
        tally.calls++;
      },
      { id: `handler-${at}` },
    );
  return { add, fire };
};

const eventemitter3 = async () => {
  const { EventEmitter } = await import('eventemitter3');
  return worst(10_000, (tally) => {
    const emitter = new EventEmitter();
    const add = () => {
      const handler = () => {
        tally.calls++;
      };
      emitter.on('observe', handler);
      return () => void emitter.off('observe', handler);
    };
    return { add, fire: () => emitter.emit('observe', payload) };
  });
};

export const cases = {
  'register-10k': { ours: () => worst(10_000, ours), eventemitter3 },
  'register-20k': { ours: () => worst(20_000, ours), '10,000': () => worst(10_000, ours) },
};
