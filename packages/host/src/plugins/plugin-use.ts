/** The plugins that a host is given: each a value, alone or with its settings and what its package says of it. */
import {
  agentHooks,
  didYouMean,
  givenInline,
  HookError,
  isPluginId,
  ownFields,
  reservedIds,
  type AgentHooks,
  type HookPoint,
  type Locate,
  type Plugin,
  type RegistryOptions,
} from '@treblehook/types';

/** A plugin and what goes with it. */
export interface PluginUse {
  readonly plugin: Plugin;
  /** Its settings, as its schema takes them. */
  readonly config?: unknown;
  /** Where the settings stand, for errors. Default: they were given in code. */
  readonly locate?: Locate;
  /**
   * It sits on the seat of the house order that has its name, such as `redact`, which some stand behind the gate: without
   * this a plugin of such a name is refused.
   */
  readonly seat?: boolean;
  /** What its package says that it registers: no more and no less may be registered. */
  readonly declared?: Declared;
}

/** What a manifest declares. The plugin's own points need not be listed. */
export interface Declared {
  /** Names of hook points. Left out: none. */
  readonly hooks?: readonly string[];
  /** Names of tools. Left out: none. */
  readonly tools?: readonly string[];
}

/** A plugin that was read: it has points, though it may have none. */
export type ReadPlugin = Plugin & Required<Pick<Plugin, 'hooks'>>;

/** One that was read: every field is there. */
export interface ReadUse {
  readonly id: string;
  readonly plugin: ReadPlugin;
  readonly config: unknown;
  readonly locate: Locate;
  readonly hasSeat: boolean;
  readonly declared: Required<Declared> | undefined;
}

const useKeys: Readonly<Record<keyof PluginUse, true>> = {
  plugin: true,
  config: true,
  locate: true,
  seat: true,
  declared: true,
};

/** Throws `TH_OPTION_INVALID` for what is no plugin, and `TH_ID_TAKEN` for an id that two of them have. */
export function readUses(given: readonly (Plugin | PluginUse)[]): readonly ReadUse[] {
  if (!Array.isArray(given)) throw invalid('plugins must be a list of plugins: make each with definePlugin');
  const ids = new Set<string>();
  return (given as readonly unknown[]).map((one, at) => {
    const use = readUse(one, `plugins[${at}]`);
    if (ids.has(use.id)) throw new HookError('TH_ID_TAKEN', { id: use.id, what: 'two plugins have it, rename one' });
    ids.add(use.id);
    return use;
  });
}

/** One of them; `where` is its place in words. */
export function readUse(given: unknown, where: string): ReadUse {
  const isUse = typeof given === 'object' && given !== null && Object.hasOwn(given, 'plugin');
  const use = isUse ? ownFields(given as PluginUse) : ownFields({ plugin: given as Plugin });
  for (const key of Object.keys(use)) {
    if (Object.hasOwn(useKeys, key)) continue;
    const keys = Object.keys(useKeys);
    throw invalid(`'${key}' is no key of ${where}: ${didYouMean(key, keys) ?? `keys are ${keys.join(', ')}`}`);
  }
  const plugin = readPlugin(use.plugin, isUse ? `${where}.plugin` : where);
  const { config, locate = givenInline(`the config of '${plugin.id}'`), seat = false, declared } = use as PluginUse;
  const all = declared && { hooks: declared.hooks ?? [], tools: declared.tools ?? [] };
  return { id: plugin.id, plugin, config, locate, hasSeat: seat, declared: all };
}

/** Another edition of a plugin in hand: what is not given with it stays as it was. */
export function readNextUse(given: unknown, where: string, before: (id: string) => ReadUse | undefined): ReadUse {
  const next = readUse(given, where);
  const old = before(next.id);
  if (old === undefined) return next;
  const isGiven = (key: keyof PluginUse): boolean =>
    Object.hasOwn(given as object, 'plugin') && Object.hasOwn(given as object, key);
  return {
    ...next,
    ...(isGiven('config') ? {} : { config: old.config, locate: old.locate }),
    ...(isGiven('seat') ? {} : { hasSeat: old.hasSeat }),
    ...(isGiven('declared') ? {} : { declared: old.declared }),
  };
}

/** What a module or a program gave for a plugin. Throws `TH_OPTION_INVALID`. */
export function readPlugin(given: unknown, where: string): ReadPlugin {
  if (typeof given !== 'object' || given === null) {
    throw invalid(`${where} is ${wordFor(given)}, and no plugin: give what definePlugin makes`);
  }
  const { id, hooks = {}, config, setup } = ownFields(given as Partial<Plugin>);
  if (id === undefined) {
    throw invalid(`${where} has no id: give what definePlugin makes, with id and setup(api)`);
  }
  if (!isPluginId(id)) {
    throw invalid(
      `${where}: ${JSON.stringify(id)} is no id of a plugin: use a-z, 0-9 and '-', a letter first, and none of ${reservedIds.join(', ')}`,
    );
  }
  if (typeof setup !== 'function') throw invalid(`the plugin '${id}' has no function setup(api)`);
  if (typeof hooks !== 'object' || hooks === null) throw invalid(`hooks of the plugin '${id}' is no catalogue`);
  for (const [hook, point] of Object.entries<HookPoint | undefined>(hooks)) {
    if (point?.owner === id) continue;
    throw invalid(`the point '${hook}' of the plugin '${id}' does not say that it is its own: use definePlugin`);
  }
  if (config !== undefined && typeof config?.['~standard']?.validate !== 'function') {
    throw invalid(`config of the plugin '${id}' is no Standard Schema, such as one of zod, valibot or arktype`);
  }
  // what is called is the setup of the object that was given: it may be a method; its points are those that were looked at
  return ownFields({
    id,
    hooks: Object.freeze({ ...hooks }),
    config,
    setup: (api) => Reflect.apply(setup, given, [api]) as void,
  });
}

/** What a value is, when it is no object that could be a plugin. */
export function wordFor(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'function') return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'a class' : 'a function';
}

/**
 * A name in a house order is a seat, and the seat is the host's to give: some of them stand behind the gate. Throws
 * `TH_ID_TAKEN` for a plugin that is called so, unless the host has an order of its own for each point with that seat.
 */
export function assertSeats(uses: readonly ReadUse[], order: RegistryOptions<AgentHooks>['order'] = {}): void {
  for (const [hook, point] of Object.entries(agentHooks)) {
    if (Object.hasOwn(order, hook)) continue;
    const seats = new Set((point.order ?? []).map((entry) => entry.replace(/\?$/, '')));
    for (const { id, hasSeat } of uses) {
      if (hasSeat || !seats.has(id)) continue;
      const what = `it is a seat in the house order of ${hook}: call the plugin otherwise, or give it the seat, { plugin, seat: true }, or another one by an order of yours, order: { ${hook}: [...] }`;
      throw new HookError('TH_ID_TAKEN', { id, what });
    }
  }
}

const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
