// Owns the questions about claims and verdicts: the first claim ends a route, a guard keeps a record of everybody.
import assert from 'node:assert/strict';
import { contender, isLike, isNothing } from '../contender.mjs';
import { forAwaitClaiming } from '../floors.mjs';
import { passing, Tally } from '../handlers.mjs';
import { firing } from '../ours.mjs';
import { payload } from '../points.mjs';

/** @typedef {import('../handlers.mjs').Kind} Kind */
/** @typedef {import('../handlers.mjs').Handler} Handler */

/**
 * Ten handlers that pass.
 * @param {Kind} kind
 * @param {(handlers: Handler[]) => (() => unknown) | Promise<() => unknown>} make
 * @param {(result: any) => void} [judge]
 */
const around =
  (kind, make, judge = isNothing) =>
  async () => {
    const tally = new Tally();
    return contender(await make(passing(10, kind, tally)), tally, 10, judge);
  };

/** @param {'route' | 'guard'} name */
const ours = (name) => (/** @type {Handler[]} */ handlers) => {
  const fire = firing(name, handlers);
  return () => fire();
};

/** @param {Kind} kind */
const tapable = (kind) => async (/** @type {Handler[]} */ handlers) => {
  const { AsyncSeriesBailHook } = (await import('tapable')).default;
  const hook = new AsyncSeriesBailHook(['payload']);
  for (const handler of handlers) hook[kind === 'sync' ? 'tap' : 'tapPromise']('bench', handler);
  return () => hook.promise(payload);
};

/** @param {Kind} kind */
const never = (kind) => ({
  ours: around(kind, ours('route'), isLike({ handled: false })),
  'for await': around(kind, forAwaitClaiming),
  tapable: around(kind, tapable(kind)),
});

/**
 * The first of some async handlers claims.
 * @param {number} count
 */
const claimed = (count) => () => {
  const tally = new Tally();
  const claim = async () => {
    tally.calls++;
    return { handled: true, answer: 'mine' };
  };
  const fire = firing('route', [claim, ...passing(count - 1, 'async', tally)]);
  return contender(() => fire(), tally, 1, isLike({ handled: true, answer: 'mine' }));
};

/** @param {import('@treblehook/types').VerdictRecord} record */
const isRecord = ({ decision, verdicts }) => {
  assert.equal(decision, 'clear');
  assert.equal(verdicts.length, 10);
  assert.ok(verdicts.every(({ verdict, kind }) => verdict === 'pass' && kind === 'policy'));
};

/** @param {Kind} kind */
const guarded = (kind) => ({
  ours: around(kind, ours('guard'), isRecord),
  'for await': around(kind, forAwaitClaiming),
});

export const cases = {
  'route-never-sync': never('sync'),
  'route-never-async': never('async'),
  'route-first-of-200': { ours: claimed(200), 'one handler': claimed(1) },
  'guard-10-sync': guarded('sync'),
  'guard-10-async': guarded('async'),
};
