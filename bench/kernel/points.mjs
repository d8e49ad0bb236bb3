// Owns the hook points that the kernel's benches fire, and the payload that goes into all of them.
import { frozen } from '@treblehook/core';
import { claimingHook, defineHooks, modifyingHook, voidHook } from '@treblehook/types';

/**
 * @typedef {object} Payload
 * @property {string} text
 * @property {number} turn
 * @property {readonly string[]} tags
 * @property {{ readonly run: string, readonly session: string }} origin
 */
/** @typedef {import('@treblehook/types').HookPoint<'void', 'observe', Payload, void>} ObservePoint */
/**
 * @template R
 * @typedef {import('@treblehook/types').HookPoint<'modifying', 'pipeline', Payload, R>} PipelinePoint
 */
/**
 * @template R
 * @typedef {import('@treblehook/types').HookPoint<'modifying', 'merge', Payload, R>} MergePoint
 */
/**
 * @template R
 * @typedef {import('@treblehook/types').HookPoint<'claiming', 'route', Payload, R>} RoutePoint
 */
/** @typedef {import('@treblehook/types').HookPoint<'claiming', 'guard', Payload, {}>} GuardPoint */

/** Every check of the kernel is on: fields and keys are declared, so each fire and each answer is compared with them. */
const fields = { text: 'string', turn: 'number', tags: 'array', origin: 'object' };

/** The builders as untyped callers see them: the types of payload and answer are given below. */
const build = /** @type {Record<'voidHook' | 'modifyingHook' | 'claimingHook', (meta: object) => any>} */ (
  /** @type {unknown} */ ({ voidHook, modifyingHook, claimingHook })
);

/** @type {ObservePoint} */
const observe = build.voidHook({ summary: 'Something has happened.', fields });
/** @type {PipelinePoint<{ text: string, tags: readonly string[] }>} */
const pipeline = build.modifyingHook({
  discipline: 'pipeline',
  summary: 'Something can be rewritten.',
  fields,
  keys: { text: 'string', tags: 'array' },
});
/** @type {MergePoint<Record<`k${number}`, number>>} */
const merge = build.modifyingHook({
  discipline: 'merge',
  summary: 'Something can be filled in.',
  fields,
  keys: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`k${at}`, 'number'])),
});
/** @type {RoutePoint<{ answer: string }>} */
const route = build.claimingHook({
  discipline: 'route',
  summary: 'Something can be taken over.',
  fields,
  keys: { answer: 'string' },
});
/** @type {GuardPoint} */
const guard = build.claimingHook({ discipline: 'guard', summary: 'Something can be denied.', fields });

export const points = defineHooks({ observe, pipeline, merge, route, guard });

/** @returns {Payload} plain data that the kernel has not seen */
export const plainPayload = () => ({
  text: 'Which files of this folder mention a budget?',
  turn: 3,
  tags: ['files', 'budget'],
  origin: { run: 'run-1', session: 'session-1' },
});

/** The payload as a loop hands it in: frozen and marked once, fired often. */
export const payload = frozen(plainPayload());
