// Owns the last step of the build: the modules that the compiler wrote become one file per entry point of a package.
// Alone it does so for the package it stands in, elsewhere for all.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';
import { pruneOrphans } from './prune.mjs';
import { compiled, members, readManifest, root } from './workspace.mjs';

/** @typedef {import('./workspace.mjs').Member} Member */

/**
 * Bundles one package, unless its bundle is the one of these very modules and nobody has touched it. The stamp that says
 * so covers what went in and what came out and is written last: a build that was interrupted leaves none that fits.
 * @param {Member} member
 * @returns {Promise<boolean>} whether there was anything to do
 */
export async function bundle(member) {
  const { dir } = member;
  pruneOrphans(dir);
  const stamp = join(dir, compiled, '.bundled');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(member)) return false;
  const files = await generate(member);
  // Until the new files are all there, a program that starts may read an old one, and what that imports.
  for (const [path, text] of files) replace(join(dir, path), text);
  for (const path of shipped(dir)) if (!files.has(path)) rmSync(join(dir, path));
  writeFileSync(stamp, fingerprint(member));
  return true;
}

/** Every package that is built, in a stable order. */
export function built() {
  return members().filter(({ dir }) => existsSync(join(dir, 'tsconfig.json')));
}

/**
 * Bundles some packages, one process at a time.
 * @param {Member[]} packages
 */
export async function bundleAll(packages) {
  await withLock(join(root, '.cache', 'bundle.lock'), async () => {
    for (const member of packages) await bundle(member);
  });
}

/**
 * The files that belong to a bundle, as text by their path in the package.
 * @param {Member} member
 * @returns {Promise<Map<string, string>>}
 */
async function generate(member) {
  const { rolldown } = await import('rolldown');
  const { dir } = member;
  const build = await rolldown({
    cwd: dir,
    input: entryModules(member),
    // Only a package's own modules are its bundle: a second copy of another's classes would be another class.
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    platform: 'node',
    tsconfig: false,
    plugins: [asCompiled],
    onLog: (_level, log) => {
      throw new Error(`bundling ${member.manifest.name}: ${log.message}`);
    },
  });
  try {
    const { output } = await build.generate({
      dir: join(dir, 'dist'),
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      sourcemap: true,
      sourcemapExcludeSources: true,
      keepNames: true,
      minify: false,
      minifyInternalExports: false,
    });
    return new Map(
      output.map((file) => [`dist/${file.fileName}`, file.type === 'chunk' ? file.code : String(file.source)]),
    );
  } finally {
    await build.close();
  }
}

/**
 * Hands each module over as the compiler left it: with its source map, so that the bundle's leads to `src`, and whole.
 * Whoever bundles a program shakes it; here nothing is thought unused or free of effects.
 */
const asCompiled = {
  name: 'as-compiled',
  /** @param {string} id */
  load(id) {
    const code = readFileSync(id, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
    return { code, map: readFileSync(`${id}.map`, 'utf8'), moduleSideEffects: 'no-treeshake' };
  },
};

/**
 * The compiled module behind each entry point, what `bin` names included, by its name in the bundle. Throws for one that
 * it could only pass over.
 * @param {Member} member
 */
function entryModules({ dir, manifest }) {
  const files = /** @type {const} */ (['exports', 'bin']).flatMap((field) => {
    const targets = manifest[field] ?? {};
    if (typeof targets !== 'object') throw new Error(`${field} of ${manifest.name} must be a map of names to files`);
    return Object.entries(targets).map(([name, target]) => {
      const file = typeof target === 'string' ? target : target?.default;
      if (typeof file !== 'string') throw new Error(`'${name}' in ${field} of ${manifest.name} has no 'default' file`);
      return file;
    });
  });
  return Object.fromEntries(
    files.flatMap((file) => {
      const name = /^\.\/dist\/(.+)\.js$/.exec(file)?.[1];
      return name === undefined ? [] : [[name, join(dir, compiled, `${name}.js`)]];
    }),
  );
}

/** @param {Member} member */
function fingerprint(member) {
  const hash = createHash('sha256').update(JSON.stringify(entryModules(member)));
  hash
    .update(readManifest(root).devDependencies?.['rolldown'] ?? '')
    .update(readFileSync(fileURLToPath(import.meta.url)));
  for (const path of [...modules(member.dir), ...shipped(member.dir)]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(member.dir, path)));
  }
  return hash.digest('hex');
}

/**
 * What the bundler reads.
 * @param {string} dir
 */
function modules(dir) {
  return filesBelow(dir, compiled).filter((path) => /\.js(\.map)?$/.test(path));
}

/**
 * What stands in `dist` beside the compiler's declarations and its own folder.
 * @param {string} dir
 */
function shipped(dir) {
  return filesBelow(dir, 'dist').filter((path) => !path.startsWith(`${compiled}/`) && !/\.d\.ts(\.map)?$/.test(path));
}

/**
 * @param {string} dir
 * @param {string} folder
 */
function filesBelow(dir, folder) {
  return readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .toSorted();
}

/**
 * Puts a file in its place in one step: a program that starts meanwhile reads the old one or the new one.
 * @param {string} file
 * @param {string} text
 */
function replace(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const own = built().filter(({ dir }) => dir === process.cwd());
  await bundleAll(own.length > 0 ? own : built());
}
