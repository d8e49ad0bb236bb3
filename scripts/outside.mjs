// Owns the proof from outside: a plugin of somebody else, and a new one of the command line, by the installed packages alone.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilers } from './compilers.mjs';
import { inParallel, run } from './run.mjs';
import { root } from './workspace.mjs';

/**
 * @typedef {object} Outside
 * @property {string} folder    where the packages are installed
 * @property {string} withTools a folder in it that has the test runner, too
 * @property {(what: string, result: { ok: boolean, output: string }) => void} tell
 */

/** @param {Outside} outside */
export async function proveOutside(outside) {
  await program(outside);
  await newPlugin(outside);
}

/**
 * Two plugins with hook points of their own: the compilers take them, and they run in a host.
 * @param {Outside} outside
 */
async function program({ folder, tell }) {
  const dir = join(folder, 'outside');
  const example = join(root, 'examples', 'notes-plugin');
  cpSync(example, dir, { recursive: true });
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    outDir: 'dist',
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await inParallel(compilers, 2, async (one) => {
    const only = one === compilers[0] ? [] : ['--noEmit'];
    const result = await run([...one.argv, '--pretty', 'false', ...only, '-p', dir], { cwd: dir });
    tell(`a plugin of somebody else by ${one.name}`, result);
  });
  const { ok, output } = await run([process.execPath, join(dir, 'dist', 'main.js')], { cwd: dir });
  const isAsWritten = output === readFileSync(join(example, 'output.txt'), 'utf8');
  tell('it runs in a host', { ok: ok && isAsWritten, output });
}

/**
 * What `treblehook plugin new` writes: the compilers take it, it builds, its own tests pass.
 * @param {Outside} outside
 */
async function newPlugin({ folder, withTools, tell }) {
  const dir = join(withTools, 'acme-notes');
  mkdirSync(withTools, { recursive: true });
  const bin = join(folder, 'node_modules', '@treblehook', 'cli', 'dist', 'bin.js');
  tell(
    'treblehook plugin new',
    await run([process.execPath, bin, 'plugin', 'new', 'acme-notes', '--dir', dir], { cwd: folder }),
  );
  await inParallel(compilers, 2, async ({ name, argv }) =>
    tell(
      `the new plugin by ${name}`,
      await run([...argv, '--pretty', 'false', '--skipLibCheck', 'false', '-p', dir], { cwd: dir }),
    ),
  );
  const [{ argv }] = /** @type {[{ argv: string[] }]} */ (/** @type {unknown} */ (compilers));
  tell('the new plugin builds', await run([...argv, '-p', join(dir, 'tsconfig.build.json')], { cwd: dir }));
  const vitest = join(withTools, 'node_modules', 'vitest', 'vitest.mjs');
  tell('the tests of the new plugin', await run([process.execPath, vitest, 'run', '--root', dir], { cwd: dir }));
}
