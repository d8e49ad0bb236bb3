/** Plugins that a personality lists and that are nowhere: most often a misspelt id, and the plugin would be silent. */
import { closeClass } from '@treblehook/core';
import {
  didYouMean,
  HookError,
  reservedIds,
  type AgentHooks,
  type HookRegistry,
  type PointDescription,
} from '@treblehook/types';
import type { Config, ReadPersonality } from '../config.js';

export class AbsentPlugins {
  readonly #registry: HookRegistry<AgentHooks>;
  readonly #seen = new WeakSet<ReadPersonality>();
  /** Agent, personality and plugin that were looked at: the personality of a child is made anew for each. */
  readonly #looked = new Set<string>();

  constructor(registry: HookRegistry<AgentHooks>) {
    this.#registry = registry;
  }

  /** Warns the process, once for each plugin of a personality. Called as a run of it begins: plugins may come until then. */
  look({ name: agent, personality, toolPlugins }: Config): void {
    if (this.#seen.has(personality)) return;
    this.#seen.add(personality);
    const { id, plugins } = personality;
    const listed = plugins.filter((plugin) => {
      const key = JSON.stringify([agent, id, plugin]);
      return !this.#looked.has(key) && this.#looked.add(key);
    });
    if (listed.length === 0) return;
    const { hooks } = this.#registry.describe();
    const there = pluginsOf(hooks);
    for (const plugin of toolPlugins) there.add(plugin);
    const house = houseOf(hooks);
    for (const plugin of listed) {
      if (there.has(plugin) || house.has(plugin)) continue;
      const mend =
        didYouMean(plugin, there) ?? `register it by registry.forPlugin('${plugin}'), or take it out of the list`;
      const { message, code } = new HookError('TH_PLUGIN_ABSENT', { agent, personality: id, plugin, mend });
      process.emitWarning(message, { type: 'TreblehookWarning', code });
    }
  }
}
closeClass(AbsentPlugins);

/** Ids of the plugins that have a handler. */
function pluginsOf(hooks: readonly PointDescription[]): Set<string> {
  const owners = hooks.flatMap(({ plan }) => plan.map(({ owner }) => owner));
  return new Set(owners.filter((owner) => owner !== 'host'));
}

/** Ids that are the host's: its handlers, and the seats that it may leave empty. */
function houseOf(hooks: readonly PointDescription[]): ReadonlySet<string> {
  const house = new Set(reservedIds);
  for (const { order, locks, firedBy, plan } of hooks) {
    for (const entry of [...order, ...Object.keys(locks)]) house.add(entry.replace(/[?/].*$/, ''));
    if (firedBy !== undefined) house.add(firedBy);
    for (const { id, owner } of plan) if (owner === 'host') house.add(id);
  }
  return house;
}
