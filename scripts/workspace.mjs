// Owns the reading of the workspace: which packages there are and what each one exports, from source.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Where the compiler puts the modules of a package, from which its bundle is made; never published. */
export const compiled = 'dist/.compiled';

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {boolean} [private]
 * @property {string} [packageManager]
 * @property {Record<string, string | { types?: string, default: string }>} [exports]
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/**
 * @typedef {object} Member
 * @property {string} dir  absolute folder
 * @property {Manifest} manifest
 */

/** The folders whose sub-folders are members, and the members that stand alone. */
const parents = ['packages', 'packages/plugins'];
const singles = ['examples', 'bench'];

/**
 * Every member of the workspace below `base`, in a stable order.
 * @param {string} [base]
 * @returns {Member[]}
 */
export function members(base = root) {
  const dirs = [
    ...parents.flatMap((parent) => {
      const folder = join(base, parent);
      return existsSync(folder)
        ? readdirSync(folder)
            .toSorted()
            .map((name) => join(folder, name))
        : [];
    }),
    ...singles.map((name) => join(base, name)),
  ];
  return dirs
    .filter((dir) => existsSync(join(dir, 'package.json')))
    .map((dir) => ({ dir, manifest: readManifest(dir) }));
}

/**
 * @param {string} dir
 * @returns {Manifest}
 */
export function readManifest(dir) {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
}

/**
 * The source file behind each import specifier that a member offers, `./package.json` left out.
 * @param {Member} member
 * @returns {{ specifier: string, source: string }[]}
 */
export function entries({ dir, manifest }) {
  return Object.entries(manifest.exports ?? {}).flatMap(([key, target]) => {
    const file = typeof target === 'string' ? target : target.default;
    if (!file.startsWith('./dist/')) return [];
    const source = join(dir, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));
    return [{ specifier: manifest.name + key.slice(1), source }];
  });
}
