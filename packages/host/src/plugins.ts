/** Inline plugins: each registers under its own id, whole or not at all. */
import { isPromised } from '@treblehook/core';
import {
  agentHooks,
  HookError,
  isHookError,
  textOf,
  type AgentHooks,
  type HookRegistrar,
  type HookRegistry,
  type RegistryOptions,
} from '@treblehook/types';

/** A plugin that is given as a value. */
export interface InlinePlugin {
  /** `[a-z][a-z0-9-]*`. */
  readonly id: string;
  /** Synchronous. What it registers belongs to the plugin; it runs for personalities whose list has the id. */
  readonly register: (registrar: HookRegistrar<AgentHooks>) => void;
}

/** A plugin whose `register` failed: nothing of it is registered. */
export interface FailedPlugin {
  readonly id: string;
  readonly error: unknown;
}

/**
 * Registers the plugins in order. One that fails is rolled back and does not stop the others. Throws
 * `TH_OPTION_INVALID` for what is no plugin, `TH_ID_TAKEN` for an id that another plugin or a host handler has.
 */
export function registerPlugins(
  registry: HookRegistry<AgentHooks>,
  plugins: readonly InlinePlugin[],
): readonly FailedPlugin[] {
  const failed: FailedPlugin[] = [];
  for (const { id, register } of plugins) {
    const registrar = registry.forPlugin(id);
    try {
      if (isPromised(register(registrar))) {
        throw new Error('register is asynchronous: do what must be awaited before createHost');
      }
    } catch (error) {
      registry.unregisterPlugin(id);
      failed.push(Object.freeze({ id, error }));
    }
  }
  return Object.freeze(failed);
}

/** Refuses a list that no plugin can be read from, before anything is registered. */
export function assertPlugins(plugins: readonly InlinePlugin[]): void {
  if (!Array.isArray(plugins)) throw invalid('plugins must be a list of { id, register(registrar) }');
  const ids = new Set<string>();
  for (const [at, plugin] of (plugins as readonly unknown[]).entries()) {
    const { id, register } = Object(plugin) as Partial<InlinePlugin>;
    const who = typeof id === 'string' ? `the plugin '${id}'` : `plugins[${at}]`;
    if (typeof id !== 'string')
      throw invalid(
        `${who} is ${plugin === null ? 'null' : typeof plugin} without an id: give { id, register(registrar) }`,
      );
    if (typeof register !== 'function') throw invalid(`${who} has no function register(registrar)`);
    if (ids.has(id)) {
      throw new HookError('TH_ID_TAKEN', { id, what: 'two plugins have it, rename one' });
    }
    ids.add(id);
  }
}

/**
 * A name in a house order is a seat, and the seat is the host's to give: some of them stand behind the gate. Throws
 * `TH_ID_TAKEN` for a plugin that is called so, unless the host has an order of its own for each point with that seat.
 */
export function assertSeats(plugins: readonly InlinePlugin[], order: RegistryOptions<AgentHooks>['order'] = {}): void {
  for (const [hook, point] of Object.entries(agentHooks)) {
    if (Object.hasOwn(order, hook)) continue;
    const seats = new Set((point.order ?? []).map((entry) => entry.replace(/\?$/, '')));
    for (const { id } of plugins) {
      if (!seats.has(id)) continue;
      const what = `it is a seat in the house order of ${hook}: call the plugin otherwise, or give the seat to it by an order of yours, order: { ${hook}: [...] }`;
      throw new HookError('TH_ID_TAKEN', { id, what });
    }
  }
}

/**
 * Throws what no later registration is meant to mend: a cycle, and an order list that names a plugin which has registered
 * nothing on that point. Another name may be that of a host handler that is still to come; the first run looks again, and
 * after the failure of a plugin, which is a warning, it is the run that says so.
 */
export function assertOrder(
  registry: HookRegistry<AgentHooks>,
  plugins: readonly string[],
  failed: readonly FailedPlugin[],
): void {
  const registered = new Set(plugins.filter((plugin) => !failed.some(({ id }) => id === plugin)));
  const isFinal = ({ code, details }: HookError): boolean => {
    const [name = ''] = String(details['id']).split('/');
    return code !== 'TH_ORDER_UNKNOWN' || registered.has(name);
  };
  try {
    registry.verify();
  } catch (error) {
    if (!isHookError(error)) throw error;
    const fault = (error.faults ?? [error]).find(isFinal);
    if (fault !== undefined) throw fault;
  }
}

/** Plugins that a personality does not list have nothing to say, which is seldom meant. */
export const silentPlugins = (
  plugins: readonly string[],
  failed: readonly FailedPlugin[],
  personality: string,
  listed: readonly string[],
): readonly HookError[] =>
  plugins
    .filter((id) => !listed.includes(id) && !failed.some((one) => one.id === id))
    .map((plugin) => new HookError('TH_PLUGIN_SILENT', { plugin, personality }));

export const failureOf = ({ id, error }: FailedPlugin): HookError =>
  new HookError('TH_PLUGIN_FAILED', { plugin: id, what: textOf(error), cause: error });

const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
