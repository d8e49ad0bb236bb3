/** The manifest of a plugin, the key `treblehook` of a package.json: read and checked before any code is imported. */
import { realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import {
  agentHooks,
  didYouMean,
  HookError,
  isHookError,
  isPluginId,
  reservedIds,
  Setting,
  type JsonObject,
  type Locate,
} from '@treblehook/types';
import { readConfigFile } from '../config-file.js';
import { isInside, moduleEndings } from './paths.js';

/** What the package of a plugin says of it. */
export interface PluginManifest {
  /** The package.json. */
  readonly file: string;
  /** The folder of the package, its real path. */
  readonly root: string;
  /** Name and version of the package, where it has them. */
  readonly name?: string;
  readonly version?: string;
  /** The module that is imported, its real path. */
  readonly plugin: string;
  readonly id: string;
  readonly apiVersion: 1;
  /** Names of hook points that it registers on; its own need not be listed. */
  readonly hooks: readonly string[];
  readonly tools: readonly string[];
  /** Names of its own hook points. */
  readonly points: readonly string[];
  /** JSON Schema of its settings. */
  readonly config?: JsonObject;
  readonly locate: Locate;
}

/** The keys of a manifest. */
export const manifestKeys = ['plugin', 'id', 'apiVersion', 'hooks', 'tools', 'points', 'config'] as const;

/** The only edition of the plugin contract. */
const apiVersion = 1;

/**
 * Reads the manifest in the package.json of a folder. Imports nothing. Rejects with `TH_CONFIG_INVALID` (file, line and
 * mend). Names of hook points are looked at by `checkManifestHooks`, once all manifests are in hand.
 */
export async function readManifest(folder: string): Promise<PluginManifest> {
  const file = join(folder, 'package.json');
  const { value, locate } = await readConfigFile(file);
  const whole = new Setting(value, locate);
  whole.entries(); // a package.json that is no map is refused
  const found = whole.child('treblehook');
  if (found.value === undefined) {
    return whole.refuse(
      `this package is no plugin: it has no 'treblehook'; add "treblehook": { "plugin": "./dist/index.js", "id": "…", "apiVersion": 1 }`,
    );
  }
  try {
    return await manifestIn(found, {
      file,
      root: await realpath(folder),
      ...textIn(whole, 'name'),
      ...textIn(whole, 'version'),
    });
  } catch (error) {
    const { value: id } = isMap(found.value) ? found.child('id') : found;
    if (!isHookError(error) || !isPluginId(id)) throw error;
    // whose manifest it is, for whoever has to leave the plugin out
    throw new HookError(error.code, { ...error.details, plugin: id });
  }
}

async function manifestIn(
  found: Setting,
  place: Pick<PluginManifest, 'file' | 'root' | 'name' | 'version'>,
): Promise<PluginManifest> {
  const { plugin, id, apiVersion: version, hooks, tools, points, config } = found.fields(manifestKeys);
  if (id === undefined) return found.lacks('id', "name the plugin, such as 'acme-redact'");
  if (version === undefined) return found.lacks('apiVersion', `write ${apiVersion}`);
  if (plugin === undefined) return found.lacks('plugin', "name its module, such as './dist/index.js'");
  if (version.value !== apiVersion) {
    version.refuse(
      `this host takes plugins of apiVersion ${apiVersion}: write the number ${apiVersion}, or update the host`,
    );
  }
  const names = (field: Setting | undefined): readonly string[] => (field === undefined ? [] : textsOf(field));
  const own = names(points);
  for (const [at, name] of own.entries()) {
    if (!Object.hasOwn(agentHooks, name)) continue;
    points!.child(at).refuse(`'${name}' is a point of the loop's: call a point of the plugin's own otherwise`);
  }
  const manifest: PluginManifest = {
    ...place,
    id: idIn(id),
    plugin: await entryIn(plugin, place.root),
    apiVersion,
    hooks: names(hooks),
    tools: names(tools),
    points: own,
    ...(config && { config: schemaIn(config) }),
    locate: (path, part) => found.locate([...found.path, ...path], part),
  };
  return Object.freeze(manifest);
}

/**
 * Refuses a hook that is no point of the loop's and of none of the others in hand, with the nearest name. Throws
 * `TH_CONFIG_INVALID`. `others`: the names of their points.
 */
export function checkManifestHooks({ hooks, points, locate }: PluginManifest, others: readonly string[]): void {
  const known = [...Object.keys(agentHooks), ...points, ...others];
  for (const [at, hook] of hooks.entries()) {
    if (known.includes(hook)) continue;
    const mend = didYouMean(hook, known) ?? 'docs/reference/hooks.md lists those of the loop; its own go to points';
    new Setting(hook, locate, ['hooks', at]).refuse(`there is no hook point '${hook}': ${mend}`);
  }
}

function idIn(field: Setting): string {
  const id = field.text();
  if (isPluginId(id)) return id;
  return field.refuse(
    `'${String(id)}' is no id of a plugin: use a-z, 0-9 and '-', a letter first, and none of ${reservedIds.join(', ')}`,
  );
}

function textsOf(field: Setting): readonly string[] {
  const seen = new Set<string>();
  for (const item of field.items()) {
    const name = item.text();
    if (seen.has(name)) item.refuse(`'${name}' stands here twice: drop one`);
    seen.add(name);
  }
  return Object.freeze([...seen]);
}

function schemaIn(field: Setting): JsonObject {
  field.entries(); // a list, or `true`, is no schema of settings
  return field.json() as JsonObject;
}

/** The module that a manifest names: a file of the package, links followed. */
async function entryIn(field: Setting, root: string): Promise<string> {
  const text = field.text();
  if (!text.startsWith('./')) field.refuse(`'${text}' is no path in the package: begin it with './'`);
  const leaves = (): never =>
    field.refuse(`'${text}' leaves the package: name a file inside of it, which is no link to another place`);
  const path = resolve(root, text);
  if (!isInside(root, path)) leaves();
  if (!moduleEndings.includes(extname(path))) {
    field.refuse(`'${text}' is no module: name a file that ends in ${moduleEndings.join(', ')}`);
  }
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return field.refuse(`there is no file '${text}' in the package: build it, or mend the path`);
  if (!isInside(root, real)) leaves();
  if (!(await stat(real)).isFile()) field.refuse(`'${text}' is no file: name the module itself`);
  return real;
}

function textIn(whole: Setting, key: 'name' | 'version'): { readonly name?: string; readonly version?: string } {
  const { value } = whole.child(key);
  return typeof value === 'string' && value !== '' ? { [key]: value } : {};
}

const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null;
