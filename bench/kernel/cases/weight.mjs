// Owns the questions of what it costs to have the kernel at all: milliseconds to import, megabytes on disk.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importing } from '../../measuring/importing.mjs';

/**
 * The real folder of an installed package, as seen from another.
 * @param {string} name
 * @param {string} from a folder
 */
function folderOf(name, from) {
  for (const path of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    if (existsSync(join(path, name, 'package.json'))) return realpathSync(join(path, name));
  }
  throw new Error(`${name} is not installed below ${from}`);
}

/** @param {string} dir */
const sizeOnDisk = (dir) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.path.includes('node_modules', dir.length))
    .reduce((sum, entry) => sum + statSync(join(entry.path, entry.name)).size, 0);

/**
 * Bytes of a package of this workspace as npm would unpack it.
 * @param {string} dir
 */
function packedSize(dir) {
  const [file = '', ...args] = process.env['npm_execpath']?.endsWith('npm-cli.js')
    ? [process.execPath, process.env['npm_execpath']]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  const told = execFileSync(file, [...args, 'pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: file.endsWith('.cmd'),
  });
  return Number(JSON.parse(told)[0].unpackedSize);
}

/**
 * Bytes of a package and of everything it depends on, each counted once.
 * @param {string} name
 * @param {string} from
 * @param {Map<string, number>} seen
 */
function installed(name, from, seen) {
  const dir = folderOf(name, from);
  const { version, dependencies = {} } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  if (seen.has(`${name}@${version}`)) return;
  seen.set(`${name}@${version}`, name.startsWith('@treblehook/') ? packedSize(dir) : sizeOnDisk(dir));
  for (const dependency of Object.keys(dependencies)) installed(dependency, dir, seen);
}

/** @param {string} name */
const installing = (name) => () => ({
  value: () => {
    const seen = new Map();
    installed(name, dirname(fileURLToPath(import.meta.url)), seen);
    const bytes = [...seen.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 0);
    return bytes / 1e6;
  },
});

export const cases = {
  import: {
    ours: importing(
      () => import('@treblehook/core'),
      (core) => core.createHookRegistry,
    ),
    tapable: importing(
      () => import('tapable'),
      (tapable) => tapable.default.AsyncParallelHook,
    ),
    hookable: importing(
      () => import('hookable'),
      (hookable) => hookable.createHooks,
    ),
    emittery: importing(
      () => import('emittery'),
      (emittery) => emittery.default,
    ),
  },
  installed: { ours: installing('@treblehook/core'), tapable: installing('tapable') },
};
