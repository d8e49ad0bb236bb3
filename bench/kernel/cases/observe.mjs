// Owns the questions about observers: all are started, and settle together.
import assert from 'node:assert/strict';
import { contender, isNothing } from '../contender.mjs';
import { allSettled } from '../floors.mjs';
import { oneFailing, passing, Tally } from '../handlers.mjs';
import { firing, makeRegistry, register, fireOf, owner } from '../ours.mjs';
import { payload } from '../points.mjs';

/** @typedef {import('../handlers.mjs').Kind} Kind */
/** @typedef {import('../handlers.mjs').Handler} Handler */

/**
 * A contender around the same handlers.
 * @param {number} count
 * @param {Kind} kind
 * @param {(handlers: Handler[]) => (() => unknown) | Promise<() => unknown>} make
 * @param {(result: any) => void} [judge]
 */
const around =
  (count, kind, make, judge = isNothing) =>
  async () => {
    const tally = new Tally();
    return contender(await make(passing(count, kind, tally)), tally, count, judge);
  };

/** @param {Handler[]} handlers */
const ours = (handlers) => {
  const fire = firing('observe', handlers);
  return () => fire();
};

/** @param {Kind} kind */
const tapable = (kind) => async (/** @type {Handler[]} */ handlers) => {
  const { AsyncParallelHook } = (await import('tapable')).default;
  const hook = new AsyncParallelHook(['payload']);
  for (const handler of handlers) hook[kind === 'sync' ? 'tap' : 'tapPromise']('bench', handler);
  return () => hook.promise(payload);
};

/** @param {Handler[]} handlers */
const hookable = async (handlers) => {
  const { createHooks } = await import('hookable');
  const hooks = createHooks();
  for (const handler of handlers) hooks.hook('observe', handler);
  return () => hooks.callHookParallel('observe', payload);
};

/** @param {Handler[]} handlers */
const emittery = async (handlers) => {
  const { default: Emittery } = await import('emittery');
  const emitter = new Emittery();
  for (const handler of handlers) emitter.on('observe', ({ data }) => handler(data));
  return () => emitter.emit('observe', payload);
};

/** @param {Handler[]} handlers */
const mitt = async (handlers) => {
  const make = /** @type {() => import('mitt').Emitter<{ observe: object }>} */ (
    /** @type {unknown} */ ((await import('mitt')).default)
  );
  const emitter = make();
  for (const handler of handlers) emitter.on('observe', handler);
  return () => emitter.emit('observe', payload);
};

/** @param {Handler[]} handlers */
const eventemitter3 = async (handlers) => {
  const { EventEmitter } = await import('eventemitter3');
  const emitter = new EventEmitter();
  for (const handler of handlers) emitter.on('observe', handler);
  return () => void emitter.emit('observe', payload);
};

/**
 * @param {number} count
 * @param {Kind} kind
 */
const question = (count, kind) => ({
  ours: around(count, kind, ours),
  allSettled: around(count, kind, allSettled, (results) => assert.equal(results.length, count)),
  tapable: around(count, kind, tapable(kind)),
  hookable: around(count, kind, hookable, () => {}),
  emittery: around(count, kind, emittery),
});

const failing = 4;
/**
 * One of ten throws, each time.
 * @param {(handlers: Handler[]) => () => unknown} make
 * @param {(result: any) => void} judge
 */
const faulty = (make, judge) => () => {
  const tally = new Tally();
  return contender(make(oneFailing(10, failing, tally)), tally, 10, judge);
};
const settled = faulty(allSettled, (results) => {
  const rejected = results.map((/** @type {PromiseSettledResult<unknown>} */ { status }) => status === 'rejected');
  assert.deepEqual(
    rejected,
    Array.from({ length: 10 }, (_, at) => at === failing),
  );
});

/** The fault is told to a listener, as a host does that logs. */
const heard = () => {
  const registry = makeRegistry();
  const tally = new Tally();
  register(registry, 'observe', oneFailing(10, failing, tally));
  registry.verify();
  let told = 0;
  registry.events.on('handlerFailed', ({ code, by }) => {
    if (code === 'TH_HANDLER_FAILED' && by.owner === owner) told++;
  });
  const fire = fireOf(registry.scoped({ plugins: [owner] }), 'observe');
  const judge = () => {
    assert.equal(told, 1);
    told = 0;
  };
  return contender(() => fire(), tally, 10, judge);
};

export const cases = {
  'observe-10-async': question(10, 'async'),
  'observe-200-async': question(200, 'async'),
  'observe-10-sync': {
    ...question(10, 'sync'),
    mitt: around(10, 'sync', mitt),
    eventemitter3: around(10, 'sync', eventemitter3),
  },
  'observe-1-of-10-throws': { ours: faulty(ours, isNothing), allSettled: settled },
  'observe-1-of-10-throws-heard': { ours: heard, allSettled: settled },
};
