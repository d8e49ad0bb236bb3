/** All that runs when a module is imported, as bytes in hand: what is digested, what consent is for, what is loaded. */
import { readdir, realpath } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { HookError } from '@treblehook/types';
import { isInside, spelled } from '../discovery/paths.js';
import { localImports, runs } from './local-imports.js';
import { readBytes, sha256 } from './read-bytes.js';

/** One file of it. */
export interface TakenFile {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, hex. */
  readonly digest: string;
}
/** Files as they were at one time. Paths are real paths. */
export interface Snapshot {
  /** What the module may not leave. */
  readonly root: string;
  /** The module that is imported. */
  readonly entry: string;
  /** Every file that may be imported from here. */
  readonly files: ReadonlyMap<string, TakenFile>;
  /** Those that the module names, itself among them: by path from the root, the SHA-256. */
  readonly named: Readonly<Record<string, string>>;
  /** URLs that lead to a file under another name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** SHA-256 over the paths and digests of all files. */
  readonly digest: string;
}

/** What Node imports of an installed package. */
const installed: ReadonlySet<string> = new Set(runs.filter((ending) => !ending.endsWith('ts')));

/** A plugin is small; what is larger is not what was meant. */
const most = { files: 5000, bytes: 64 * 1024 * 1024 };

/**
 * Reads a module with all that it names of its own files, and the package.json files that say how they and their names are
 * read; `whole`: every file of the folder that could be imported, too;
 * `isData`: it imports nothing, and is taken alone. Imports nothing. Rejects with `TH_CONFIG_INVALID`.
 */
export async function takeSnapshot(given: {
  readonly root: string;
  readonly entry: string;
  readonly whole?: boolean;
  readonly isData?: boolean;
}): Promise<Snapshot> {
  const { root, entry } = given;
  const files = new Map<string, TakenFile>();
  const aliases = new Map<string, string>();
  let size = 0;
  const take = async (file: string): Promise<TakenFile> => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const bytes = await readBytes(file);
    const taken = { bytes, digest: sha256(bytes) };
    files.set(file, taken);
    size += bytes.length;
    if (files.size > most.files || size > most.bytes) {
      const what = `more than ${most.files} files, or ${most.bytes} bytes, could be imported from here: a plugin is smaller, bundle it`;
      throw new HookError('TH_CONFIG_INVALID', { file: root, at: '', what });
    }
    return taken;
  };

  const named = new Set([entry]);
  for (const file of named) {
    const { bytes } = await take(file);
    if (given.isData === true) break;
    if (['.json', '.node'].includes(extname(file))) continue;
    for (const manifest of await nearestManifest(file, root)) named.add(manifest);
    for (const { file: next, alias } of await localImports(file, bytes.toString('utf8'), root)) {
      named.add(next);
      if (alias !== undefined) aliases.set(alias, next);
    }
  }
  if (given.whole === true) for (const file of await importable(root)) await take(file);
  const digests = (paths: Iterable<string>): (readonly [string, string])[] =>
    [...paths]
      .map((path) => [spelled(root, path), files.get(path)!.digest] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.freeze({
    root,
    entry,
    files,
    aliases,
    named: Object.freeze(withoutHeirs(digests(named))),
    digest: sha256(JSON.stringify(digests(files.keys()))),
  });
}

/** The nearest package.json says whether a `.js` is a module, and of every module what its `#` names lead to. */
async function nearestManifest(file: string, root: string): Promise<readonly string[]> {
  for (let folder = dirname(file); isInside(root, folder); folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    const entry = (await readdir(folder, { withFileTypes: true })).find(({ name }) => name === 'package.json');
    if (entry?.isFile() === true) return [path];
    if (entry?.isSymbolicLink() !== true) continue;
    const real = await realpath(path).catch(() => undefined); // a link to nothing is none to Node either
    if (real === undefined) continue;
    if (isInside(root, real)) return [real];
    const what = `it is a link that leaves ${root}, and consent covers what is inside: put the file in its place`;
    throw new HookError('TH_CONFIG_INVALID', { file: path, at: '', what });
  }
  return [];
}

/** Files of a package that can be imported, without those of packages in it. Links are none of its files. */
async function importable(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') found.push(...(await importable(path)));
    if (entry.isFile() && installed.has(extname(entry.name))) found.push(path);
  }
  return found;
}

const withoutHeirs = <T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> => {
  const made: Record<string, T> = Object.create(null);
  for (const [key, value] of entries) made[key] = value;
  return made;
};
