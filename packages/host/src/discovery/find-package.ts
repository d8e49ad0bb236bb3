/** Where a named plugin stands: a package in node_modules, a folder with a package.json, or a module alone. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { HookError, isPluginId, type Setting } from '@treblehook/types';
import { readManifest, type PluginManifest } from './manifest.js';
import { isInstalled, moduleEndings } from './paths.js';

/** A plugin that was found; nothing of it has been imported. */
export interface FoundPlugin {
  /** Of a module alone: the name of its file, without the ending. */
  readonly id: string;
  readonly kind: 'package' | 'folder' | 'module';
  /** The folder of the package, or that of the module; a real path. */
  readonly root: string;
  /** The module that is imported; a real path. */
  readonly file: string;
  /** Every kind but a module alone has one. */
  readonly manifest?: PluginManifest;
  /** What the same version in another place is told by, `TH_PLUGIN_TWICE`. */
  readonly notices: readonly HookError[];
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Whether a name is that of a path: it begins with `.` or is absolute. */
export const isPath = (named: string): boolean => /^\.{1,2}(?:[\\/]|$)/.test(named) || isAbsolute(named);

/**
 * Finds what a setting names: a path from `folder`, or a package in the node_modules of `folder` or of a folder around it,
 * then of each of `roots` likewise; within one of them the nearest counts. Rejects with `TH_CONFIG_INVALID` (the place of
 * the name, or the manifest), and with `TH_PLUGIN_TAKEN` for a package of which two of them have different versions.
 */
export async function findPlugin(
  named: Setting,
  { folder, roots = [], id }: { readonly folder: string; readonly roots?: readonly string[]; readonly id?: Setting },
): Promise<FoundPlugin> {
  const name = named.text();
  if (isPath(name)) return atPath(named, resolve(folder, name), id);
  if (!packageName.test(name) || name.length > 214) {
    return named.refuse(
      `'${name}' is no name of a package: a path begins with './', a package is called 'acme' or '@acme/redact'`,
    );
  }
  const places = new Set<string>();
  for (const root of [folder, ...roots]) {
    const place = await nearest(name, root);
    if (place !== undefined) places.add(place);
  }
  const [first, ...others] = places;
  if (first === undefined) {
    return named.refuse(
      `there is no package '${name}' in node_modules from ${folder} upwards: install it there, or name its path`,
    );
  }
  const manifest = await packageManifest(first);
  const notices: HookError[] = [];
  for (const other of others) {
    const { id: otherId, version } = await packageManifest(other);
    notices.push(sameOrTaken(manifest, { root: other, id: otherId, ...(version !== undefined && { version }) }));
  }
  assertId(id, manifest.id);
  return { id: manifest.id, kind: 'package', root: manifest.root, file: manifest.plugin, manifest, notices };
}

interface Edition {
  readonly id: string;
  readonly root: string;
  readonly version?: string;
}

/** The notice of one plugin in two places. Throws `TH_PLUGIN_TAKEN` unless both are of one version. */
export function sameOrTaken(first: Edition, other: Edition): HookError {
  const isSame = first.root === other.root || (first.version !== undefined && first.version === other.version);
  const tell = ({ root, version }: Edition): string => `${root}${version === undefined ? '' : ` (${version})`}`;
  if (!isSame || first.id !== other.id) {
    const what = `${tell(first)} and ${tell(other)}: install one version, or name one of them`;
    throw new HookError('TH_PLUGIN_TAKEN', { plugin: first.id, what });
  }
  const what =
    first.root === other.root
      ? `${tell(first)} is named again: drop one name`
      : `${tell(first)} is taken, ${tell(other)} is the same version`;
  return new HookError('TH_PLUGIN_TWICE', { plugin: first.id, what });
}

/** The real path of the nearest folder of that package, from a folder upwards. */
async function nearest(name: string, from: string): Promise<string | undefined> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (basename(folder) !== 'node_modules' && (await kindOf(join(place, 'package.json'))) === 'file') {
      return realpath(place);
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Consent to a package is bound to its name and version. */
async function packageManifest(root: string): Promise<PluginManifest> {
  const manifest = await readManifest(root);
  if (manifest.name !== undefined && manifest.version !== undefined) return manifest;
  const what = 'name and version are missing: an installed package has both';
  throw new HookError('TH_CONFIG_INVALID', { file: manifest.file, at: ':1:1', what });
}

async function atPath(named: Setting, path: string, id: Setting | undefined): Promise<FoundPlugin> {
  const kind = await kindOf(path);
  if (kind === undefined) return named.refuse(`there is no file or folder ${path}: mend the path`);
  const real = await realpath(path);
  if (kind === 'folder') {
    if ((await kindOf(join(real, 'package.json'))) !== 'file') {
      named.refuse(`${path} has no package.json: name a plugin's package, or its module`);
    }
    const manifest = await readManifest(real);
    assertTyped(named, manifest.plugin);
    assertId(id, manifest.id);
    return { id: manifest.id, kind, root: manifest.root, file: manifest.plugin, manifest, notices: [] };
  }
  const ending = extname(real);
  if (kind !== 'file' || !moduleEndings.includes(ending)) {
    named.refuse(
      `${path} is no module: name a file that ends in ${moduleEndings.join(', ')}, or a folder with a package.json`,
    );
  }
  assertTyped(named, real);
  const stem = basename(real, ending);
  const own = id?.text() ?? (stem === 'index' ? basename(dirname(real)) : stem);
  if (!isPluginId(own)) {
    (id ?? named).refuse(
      `'${String(own)}' is no id of a plugin: call the file otherwise (a-z, 0-9 and '-', a letter first), or write { use, id }`,
    );
  }
  return { id: own, kind: 'module', root: dirname(real), file: real, notices: [] };
}

/** As Node does: what is installed is JavaScript. */
function assertTyped(named: Setting, file: string): void {
  if (!isInstalled(file) || !extname(file).endsWith('ts')) return;
  named.refuse(`${file} is TypeScript in node_modules, which is not run: name what it was compiled to`);
}

function assertId(id: Setting | undefined, own: string): void {
  if (id === undefined || id.text() === own) return;
  id.refuse(`its manifest calls it '${own}': leave the id out`);
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}
