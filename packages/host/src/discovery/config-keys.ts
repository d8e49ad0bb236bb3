/** The keys of `treblehook.config`, and what a program may write there. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { ownFields, Setting, type Locate, type Plugin } from '@treblehook/types';
import { parsePersonality, type HostPersonality, type LoadedPersonality } from '../personality.js';
import { readUse, type PluginUse } from '../plugins/plugin-use.js';

/** A plugin by the name of its package, or by a path that begins with `./`. */
export interface NamedPluginUse {
  readonly use: string;
  /** What the plugin of a module alone is called, where its file is called otherwise. */
  readonly id?: string;
  /** Its settings. */
  readonly config?: unknown;
  /** It sits on the seat of the house order that has its name. */
  readonly seat?: boolean;
}

/** What a config file holds. Paths are from the folder of the file. */
export interface HostConfigFile {
  /** For editors. */
  readonly $schema?: string;
  /** In their order. Plugins themselves, and `{ plugin, config }`, can be written in TypeScript and JavaScript alone. */
  readonly plugins?: readonly (string | NamedPluginUse | Plugin | PluginUse)[];
  /** Paths of YAML or JSON files, or personalities themselves. */
  readonly personalities?: readonly (string | HostPersonality)[];
  /** The id of the personality to start as. Default: the first. */
  readonly personality?: string;
  readonly model?: string;
  /** Path of a YAML or JSON file. It is the folder's, and so it can only tighten the operator's. */
  readonly policy?: string;
  readonly strict?: boolean;
}

/** The same as it is: editors and the compiler know the keys. */
export const defineHostConfig = (config: HostConfigFile): HostConfigFile => config;

/** One entry of `plugins`. */
export type PluginEntry = NamedUse | { readonly inline: PluginUse };

/** One that is named. */
export interface NamedUse {
  /** The name. */
  readonly named: Setting;
  readonly id?: Setting;
  readonly config?: unknown;
  readonly seat: boolean;
  /** Where its settings stand. */
  readonly locate: Locate;
}

/** A config that was read. Paths are absolute. */
export interface ReadConfig {
  readonly plugins: readonly PluginEntry[];
  readonly personalities: readonly (string | LoadedPersonality)[];
  /** The id to start as. */
  readonly personality?: Setting;
  readonly model?: string;
  readonly policy?: string;
  readonly strict?: boolean;
}

const keys = [
  '$schema',
  'plugins',
  'personalities',
  'personality',
  'model',
  'policy',
  'strict',
] as const satisfies readonly (keyof HostConfigFile)[];
const useKeys = ['use', 'id', 'config', 'seat'] as const satisfies readonly (keyof NamedPluginUse)[];

/** Reads the content of the file. `isCode`: it came out of a module. Throws `TH_CONFIG_INVALID`. */
export function readConfigKeys(value: unknown, locate: Locate, file: string, isCode: boolean): ReadConfig {
  const fields = new Setting(value, locate).fields(keys);
  fields.$schema?.text();
  const { plugins, personalities, personality, model, policy, strict } = fields;
  const folder = dirname(file);
  if (personality !== undefined) personality.text();
  return Object.freeze({
    plugins: (plugins?.items() ?? []).map((item) => readEntry(item, isCode)),
    personalities: (personalities?.items() ?? []).map((item) => readOnePersonality(item, folder)),
    ...(personality && { personality }),
    ...(model && { model: model.text() }),
    ...(policy && { policy: pathIn(policy, folder) }),
    ...(strict && { strict: flag(strict) }),
  });
}

function readEntry(item: Setting, isCode: boolean): PluginEntry {
  const { value } = item;
  const locate: Locate = (path, part) => item.locate([...item.path, 'config', ...path], part);
  if (typeof value === 'string') return { named: item, seat: false, locate };
  const isMap = typeof value === 'object' && value !== null;
  if (isCode && isMap && !Object.hasOwn(value, 'use')) {
    try {
      return { inline: ownFields(asUse(value, item)) };
    } catch (error) {
      return item.refuse((error as Error).message);
    }
  }
  const { use, id, config, seat } = item.fields(useKeys);
  if (use === undefined) return item.lacks('use', "name the plugin: a package, or a path that begins with './'");
  use.text();
  id?.text();
  const settings = config === undefined ? undefined : isCode ? config.value : config.json();
  return {
    named: use,
    ...(id && { id }),
    ...(settings !== undefined && { config: settings }),
    seat: seat !== undefined && flag(seat),
    locate,
  };
}

/** What `createHost` takes, checked here so that the place is told. */
function asUse(value: object, item: Setting): PluginUse {
  readUse(value, item.name);
  return Object.hasOwn(value, 'plugin') ? (value as PluginUse) : { plugin: value as Plugin };
}

/** A file is a path; one that stands here knows its place, and its paths are from here. */
function readOnePersonality(item: Setting, folder: string): string | LoadedPersonality {
  if (typeof item.value === 'string') return pathIn(item, folder);
  const locate: Locate = (path, part) => item.locate([...item.path, ...path], part);
  const personality = parsePersonality(item.value, locate);
  const { policy } = personality;
  if (typeof policy !== 'string') return { personality, locate };
  return { personality: Object.freeze(ownFields({ ...personality, policy: resolve(folder, policy) })), locate };
}

function pathIn(field: Setting, folder: string): string {
  const path = field.text();
  if (/[*?]/.test(path)) field.refuse(`'${path}' is a glob, and files are named one by one here: write the path`);
  return isAbsolute(path) ? path : resolve(folder, path);
}

const flag = (field: Setting): boolean =>
  typeof field.value === 'boolean' ? field.value : field.refuse(`${field.name} is true or false, without quotes`);
