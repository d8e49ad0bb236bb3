// Owns the proof that each public package works as others get it: packed, installed elsewhere, imported, type-checked.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { compilers } from './compilers.mjs';
import { proveOutside } from './outside.mjs';
import { npm, ownEnvironment, pnpm } from './package-manager.mjs';
import { inParallel, run } from './run.mjs';
import { compiled, entries, members, readManifest, root } from './workspace.mjs';

/** @typedef {import('./workspace.mjs').Member} Member */

const publics = members().filter(({ manifest }) => manifest.private !== true);
const specifiers = publics.flatMap(entries).map(({ specifier }) => specifier);
const work = mkdtempSync(join(tmpdir(), 'treblehook-packages-'));
const tarballs = join(work, 'tarballs');
const consumer = join(work, 'consumer');
/** Beside the consumer's own files, with what only the type tests need, so that the consumer itself stays bare. */
const typeTests = join(consumer, 'type-tests');
let failures = 0;

try {
  await pack();
  await inParallel(publics, 2, lint);
  await install(consumer, consumerManifest());
  for (const member of publics) contents(member);
  await inParallel(specifiers, 2, importOne);
  await inParallel(publics, 2, runBinaries);
  writeFileSync(
    join(consumer, 'index.mts'),
    specifiers.map((name, at) => `import * as m${at} from '${name}';\nexport type M${at} = typeof m${at};\n`).join(''),
  );
  await typecheck('the packed declarations', consumer, ['index.mts']);
  const count = copyTypeTests();
  await install(typeTests, { dependencies: typeTestTools() });
  if (count > 0) await typecheck('the type tests against them', typeTests, ['**/*.test-d.ts']);
  await proveOutside({ folder: consumer, withTools: typeTests, tell });
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

/**
 * One line per step; what a step said is shown when it failed.
 * @param {string} what
 * @param {{ ok: boolean, output: string }} result
 */
function tell(what, { ok, output }) {
  if (!ok) failures += 1;
  process.stdout.write(`${ok ? '' : output}packages: ${what}: ${ok ? 'ok' : 'failed'}\n`);
}

/** @param {import('./workspace.mjs').Manifest} manifest */
function tarballOf({ name, version }) {
  return join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

async function pack() {
  mkdirSync(tarballs, { recursive: true });
  const args = ['-r', '--filter', './packages/**', 'pack', '--pack-destination', tarballs];
  const result = await run(pnpm(...args), { cwd: root, env: ownEnvironment() });
  const missing = publics.map(({ manifest }) => tarballOf(manifest)).filter((file) => !existsSync(file));
  tell(`${publics.length} packed`, {
    ok: result.ok && missing.length === 0,
    output: result.output + missing.map((file) => `there is no ${file}\n`).join(''),
  });
}

/** @param {Member} member */
async function lint({ manifest }) {
  const { name } = manifest;
  const tool = (/** @type {string[]} */ ...path) => [process.execPath, join(root, 'node_modules', ...path)];
  const attw = '@arethetypeswrong/cli/dist/index.js';
  tell(`${name} by publint`, await run([...tool('publint/src/cli.js'), 'run', tarballOf(manifest), '--strict']));
  tell(`${name} by attw`, await run([...tool(attw), tarballOf(manifest), '--profile', 'esm-only', '--no-color']));
}

/** Every tarball at once, each one also where another names it: nothing of ours is asked of a registry. */
function consumerManifest() {
  const files = publics.map(({ manifest }) => [manifest.name, `file:${tarballOf(manifest)}`]);
  return {
    dependencies: Object.fromEntries(files),
    devDependencies: { '@types/node': rootVersion('@types/node') },
    overrides: Object.fromEntries(files.map(([name]) => [name, `$${name}`])),
  };
}

/** What type tests may import beside the packages: the development dependencies of the packages, and the runner. */
function typeTestTools() {
  const tools = Object.assign({}, ...publics.map(({ manifest }) => manifest.devDependencies));
  const ours = new Set(publics.map(({ manifest }) => manifest.name));
  const others = Object.entries(tools).filter(([name]) => !ours.has(name));
  return { ...Object.fromEntries(others), vitest: rootVersion('vitest') };
}

/** @param {string} name a development dependency of the root */
function rootVersion(name) {
  return readManifest(root).devDependencies?.[name] ?? 'unknown';
}

/**
 * @param {string} dir
 * @param {object} manifest
 */
async function install(dir, manifest) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }, null, 2));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--no-workspaces'];
  tell(
    `installed by npm in ${relative(work, dir)}`,
    await run(npm('install', ...flags), { cwd: dir, env: ownEnvironment() }),
  );
}

/**
 * A package ships its bundle, not the modules that it was made of.
 * @param {Member} member
 */
function contents({ manifest: { name } }) {
  const ok = !existsSync(join(consumer, 'node_modules', name, compiled));
  tell(`${name} without ${compiled}`, { ok, output: `the "files" of ${name} let ${compiled} through\n` });
}

/** @param {string} specifier */
async function importOne(specifier) {
  const code = `await import(${JSON.stringify(specifier)})`;
  const argv = [process.execPath, '--input-type=module', '--eval', code];
  tell(`import '${specifier}'`, await run(argv, { cwd: consumer }));
}

/** @param {Member} member */
async function runBinaries({ manifest: { name, bin = {} } }) {
  for (const [command, file] of Object.entries(bin)) {
    const path = join(consumer, 'node_modules', name, file);
    tell(`${command} --help`, await run([process.execPath, path, '--help'], { cwd: consumer }));
  }
}

/**
 * @param {string} what
 * @param {string} dir
 * @param {string[]} include
 */
async function typecheck(what, dir, include) {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'));
  const own = { composite: false, declaration: false, declarationMap: false, sourceMap: false, noEmit: true };
  const typeRoots = [join(consumer, 'node_modules', '@types')];
  const config = { compilerOptions: { ...compilerOptions, ...own, typeRoots, skipLibCheck: false }, include };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
  await inParallel(compilers, 2, async ({ name, argv }) =>
    tell(`${what} by ${name}`, await run([...argv, '--pretty', 'false', '-p', dir], { cwd: consumer })),
  );
}

/**
 * Copies the type tests of every package, pointed at the packages by name instead of at their sources.
 * @returns {number} how many there are
 */
function copyTypeTests() {
  let count = 0;
  for (const { dir, manifest } of publics) {
    const from = join(dir, 'test');
    if (!existsSync(from)) continue;
    const to = join(typeTests, basename(dir));
    cpSync(from, to, { recursive: true });
    for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const file = join(entry.parentPath, entry.name);
      const original = join(from, relative(to, file));
      let text = readFileSync(file, 'utf8');
      for (const { specifier, source } of entries({ dir, manifest })) {
        const path = relative(dirname(original), source).split(sep).join('/').replace(/\.ts$/, '.js');
        text = text.replaceAll(`'${path}'`, `'${specifier}'`);
      }
      writeFileSync(file, text);
      if (entry.name.endsWith('.test-d.ts')) count += 1;
    }
  }
  return count;
}
