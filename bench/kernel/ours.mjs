// Owns how the kernel enters a bench: a real registry, handlers of a plugin, a caller bound to an allowlist.
import { createHookRegistry } from '@treblehook/core';
import { payload, points } from './points.mjs';

/** @typedef {import('./handlers.mjs').Handler} Handler */
/** @typedef {keyof typeof points} Name */

/** The owner of the handlers, and the allowlist that lets them run. */
export const owner = 'bench';

export const makeRegistry = () => createHookRegistry(points);

const verbs = /** @type {const} */ ({
  void: 'registerVoid',
  modifying: 'registerModifying',
  claiming: 'registerClaiming',
});

/**
 * @param {import('@treblehook/types').HookRegistry<typeof points>} registry
 * @param {Name} name
 * @param {readonly Handler[]} handlers
 * @param {string} [pluginId]
 */
export function register(registry, name, handlers, pluginId = owner) {
  const registrar = /** @type {Record<string, (name: string, handler: Handler) => () => void>} */ (
    /** @type {unknown} */ (registry.forPlugin(pluginId))
  );
  return handlers.map((handler) => registrar[verbs[points[name].model]]?.(name, handler));
}

/**
 * A fire of one point under an allowlist: what a loop holds.
 * @param {Name} name
 * @param {readonly Handler[]} handlers
 * @param {import('@treblehook/types').PluginList} [plugins]
 * @returns {(given?: unknown) => Promise<any>}
 */
export function firing(name, handlers, plugins = [owner]) {
  const registry = makeRegistry();
  register(registry, name, handlers);
  registry.verify();
  return fireOf(registry.scoped({ plugins }), name);
}

/**
 * @param {import('@treblehook/types').HookCaller<typeof points>} caller
 * @param {Name} name
 * @returns {(given?: any) => Promise<any>} fires the payload of all benches, or another
 */
export function fireOf(caller, name) {
  switch (name) {
    case 'observe':
      return (given = payload) => caller.fireVoid('observe', given);
    case 'pipeline':
      return (given = payload) => caller.fireModifying('pipeline', given);
    case 'merge':
      return (given = payload) => caller.fireModifying('merge', given);
    case 'route':
      return (given = payload) => caller.fireClaiming('route', given);
    case 'guard':
      return (given = payload) => caller.fireClaiming('guard', given);
  }
}
