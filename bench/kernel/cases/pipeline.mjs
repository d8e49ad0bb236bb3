// Owns the questions about pipelines: each stage sees the payload as amended so far.
import assert from 'node:assert/strict';
import { contender, isLike, isNothing } from '../contender.mjs';
import { forAwait, forAwaitFeeding, forAwaitTimed } from '../floors.mjs';
import { passing, rewriting, Tally } from '../handlers.mjs';
import { firing } from '../ours.mjs';
import { payload, plainPayload } from '../points.mjs';
import { frozen, adopt } from '@treblehook/core';

/** @typedef {import('../handlers.mjs').Kind} Kind */
/** @typedef {import('../handlers.mjs').Handler} Handler */

/** @param {Handler[]} handlers */
const ours = (handlers) => {
  const fire = firing('pipeline', handlers);
  return () => fire();
};

/** @param {Handler[]} handlers */
const hookable = async (handlers) => {
  const { createHooks } = await import('hookable');
  const hooks = createHooks();
  for (const handler of handlers) hooks.hook('pipeline', handler);
  return () => hooks.callHook('pipeline', payload);
};

/** @param {Kind} kind */
const tapable = (kind) => async (/** @type {Handler[]} */ handlers) => {
  const { AsyncSeriesWaterfallHook } = (await import('tapable')).default;
  const hook = new AsyncSeriesWaterfallHook(['payload']);
  for (const handler of handlers) hook[kind === 'sync' ? 'tap' : 'tapPromise']('bench', handler);
  return () => hook.promise(payload);
};

/** @param {Kind} kind */
const koa = (kind) => async (/** @type {Handler[]} */ handlers) => {
  const { default: compose } = await import('koa-compose');
  const composed = compose(
    handlers.map((handler) =>
      kind === 'sync'
        ? (/** @type {object} */ given, /** @type {() => Promise<unknown>} */ next) => {
            handler(given);
            return next();
          }
        : async (/** @type {object} */ given, /** @type {() => Promise<unknown>} */ next) => {
            await handler(given);
            return next();
          },
    ),
  );
  return () => composed(payload);
};

/**
 * A contender around the same handlers, of which some amend.
 * @param {number} count
 * @param {number} amending
 * @param {Kind} kind
 * @param {(handlers: Handler[]) => (() => unknown) | Promise<() => unknown>} make
 * @param {(result: any) => void} [judge]
 */
const around =
  (count, amending, kind, make, judge = () => {}) =>
  async () => {
    const tally = new Tally();
    return contender(await make(rewriting(count, amending, kind, tally)), tally, count, judge);
  };

/**
 * @param {number} count
 * @param {number} amending
 * @param {Kind} kind
 */
const question = (count, amending, kind) => {
  const last = Math.floor(((amending - 1) * count) / amending);
  const judge = amending === 0 ? isNothing : isLike({ text: `rewritten by ${last}` });
  return {
    ours: around(count, amending, kind, ours, judge),
    'for await': around(count, amending, kind, forAwait, isNothing),
    ...(amending === 0 ? {} : { 'for await + spread': around(count, amending, kind, forAwaitFeeding, judge) }),
  };
};

/** @param {Kind} kind */
const peers = (kind) => ({
  'koa-compose': around(10, 0, kind, koa(kind), isNothing),
  tapable: around(10, 0, kind, tapable(kind), (result) => assert.equal(result, payload)),
  hookable: around(10, 0, kind, hookable),
});

/**
 * A fire whose payload comes as it is given by `give`.
 * @param {() => unknown} give
 */
const door = (give) => () => {
  const tally = new Tally();
  const fire = firing('pipeline', passing(10, 'sync', tally));
  return contender(() => fire(give()), tally, 10, isNothing);
};

/** Fifty messages as a history has them. */
const messages = () =>
  Array.from({ length: 50 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `message ${at}` }],
  }));
const wide = { ...plainPayload(), messages: messages() };
/** The history as a loop keeps it: each message frozen when it was appended, the list adopted. */
const history = () => {
  const kept = adopt(messages().map(frozen));
  return () => ({ ...payload, messages: kept });
};

export const cases = {
  'pipeline-10-sync-0': { ...question(10, 0, 'sync'), ...peers('sync') },
  'pipeline-10-sync-2': question(10, 2, 'sync'),
  'pipeline-10-sync-10': question(10, 10, 'sync'),
  'pipeline-10-async-0': {
    ...question(10, 0, 'async'),
    ...peers('async'),
    'a timer per handler': around(10, 0, 'async', (handlers) => forAwaitTimed(handlers, 10_000), isNothing),
  },
  'pipeline-10-async-2': question(10, 2, 'async'),
  'pipeline-10-async-10': question(10, 10, 'async'),
  'pipeline-200-async-0': question(200, 0, 'async'),
  'door-plain': { ours: door(plainPayload), 'a marked payload': door(() => payload) },
  'door-50-messages': { ours: door(() => wide), 'an adopted history': door(history()) },
};
