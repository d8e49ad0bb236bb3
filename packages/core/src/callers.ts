/** Callers: the promise facade over a fire, bound to lists and a signal. */
import { HookError, type HookCaller, type HookModel, type ScopeOptions } from '@treblehook/types';
import { disposed, type FireFrom } from './context.js';
import { fire } from './fire.js';
import type { Interned } from './lists.js';
import { formedPluginId } from './owners.js';
import { record } from './option.js';
import type { Point } from './point.js';
import { assertMayFire, assertModel } from './rights.js';
import type { Scope, Source } from './run.js';

/** Finds a point to fire; throws when it is unknown, of another model, or not the caller's to fire. */
export type FindPoint = (name: unknown, model?: HookModel) => Point;

export function makeCaller(source: Source, find: FindPoint): HookCaller<any> {
  const { lists } = source.scope;
  const firing =
    (model: HookModel) =>
    (name: unknown, payload: unknown): Promise<any> =>
      firePoint(source, find, model, name, payload);
  return Object.freeze({
    fireVoid: firing('void'),
    fireModifying: firing('modifying'),
    fireClaiming: firing('claiming'),
    hasHandlers: (name: unknown) => find(name).plan(lists).handlers.length > 0,
    generation: (name: unknown) => find(name).plan(lists).generation,
  });
}

export function firePoint(
  source: Source,
  find: FindPoint,
  model: HookModel,
  name: unknown,
  payload: unknown,
): Promise<any> {
  try {
    const result = fire(source, find(name, model), payload);
    return result instanceof Promise ? result : Promise.resolve(result);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** `ctx.fire`: open during the call, for the points that are the handler's own. */
export const fireFromWith =
  (pointOf: (name: unknown, owner?: string) => Point): FireFrom =>
  (registration, run, chain, isOpen) => {
    const { id, owner } = registration;
    const find: FindPoint = (name, model) => {
      if (!isOpen()) throw disposed(registration);
      const point = pointOf(name, owner);
      assertMayFire(point, id, owner, chain);
      if (model) assertModel(point, model, 'fire', owner);
      return point;
    };
    return makeCaller({ engine: run.engine, scope: run.scope, chain }, find);
  };

/** Reads the options of `scoped`. Throws `TH_OPTION_INVALID`. */
export function readScope(options: ScopeOptions, interned: Interned): Scope {
  // one that inherits nothing is read as it is: a loop makes two for each run
  const own = inheritsNothing(options) ? options : record('the options of scoped', options);
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what });
  };
  for (const name of Object.keys(own)) {
    if (scopeNames.has(name)) continue;
    refuse(`'${name}' is no option of scoped; options are ${[...scopeNames].join(', ')}`);
  }
  const { signal, callModel, plugins, guards, without } = own;
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') refuse("'signal' must be an AbortSignal");
  if (callModel !== undefined && typeof callModel !== 'function') refuse("'callModel' must be a function");
  const lists =
    guards === undefined && without === undefined ? interned.ofPlugins(plugins) : interned.of(plugins, guards, without);
  return { lists, signal, callModel };
}

/** Of a scope with an owner the points that are its own; else all. Throws `TH_OPTION_INVALID`. */
export function ownPoints(options: ScopeOptions, find: FindPoint): FindPoint {
  if (!Object.hasOwn(options, 'owner') || options.owner === undefined) return find;
  const owner = formedPluginId(options.owner);
  return (name, model) => {
    assertMayFire(find(name), owner, owner, undefined);
    return find(name, model);
  };
}

const inheritsNothing = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && Object.getPrototypeOf(options) === null;

const scopeNames: ReadonlySet<string> = new Set<keyof ScopeOptions>([
  'plugins',
  'guards',
  'without',
  'owner',
  'signal',
  'callModel',
]);
