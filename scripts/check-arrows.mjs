// Owns the arrows between packages: who may import whom, in manifests and in real import statements.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript6';
import { members, readManifest, root } from './workspace.mjs';

/** @typedef {import('./workspace.mjs').Member} Member */

const scope = '@treblehook/';

const dependencyFields = /** @type {const} */ ([
  'dependencies',
  'peerDependencies',
  'optionalDependencies',
  'devDependencies',
]);

/**
 * Who may see whom. `run` holds for `dependencies` and `src`, `dev` is added for `devDependencies` and tests;
 * `*` stands for every plugin. Each `run` list is closed: it holds what its members see, too.
 * That nothing below `testing` uses it follows from these lists and from the ban on cycles.
 * @type {Record<string, { run: string[], dev?: string[] }>}
 */
const arrows = {
  types: { run: [] },
  core: { run: ['types'] },
  agent: { run: ['types', 'core'] },
  providers: { run: ['types'] },
  tools: { run: ['types'], dev: ['core', 'agent'] },
  mcp: { run: ['types'], dev: ['core', 'agent', 'plugin-*', 'host'] },
  'plugin-*': { run: ['types'], dev: ['core', 'agent', 'testing', 'providers'] },
  host: { run: ['types', 'core', 'agent', 'providers', 'plugin-*'], dev: ['tools'] },
  cli: { run: ['types', 'core', 'agent', 'providers', 'mcp', 'plugin-*', 'tools', 'host'], dev: ['testing'] },
  testing: { run: ['types', 'core', 'agent', 'providers', 'plugin-*', 'host'] },
  examples: { run: ['types', 'core', 'agent', 'providers', 'mcp', 'plugin-*', 'tools', 'host', 'cli', 'testing'] },
  bench: { run: ['types', 'core', 'agent', 'providers', 'mcp', 'plugin-*', 'tools', 'host', 'cli', 'testing'] },
};

/** @param {string} name a package name, scope included */
const kind = (name) => name.replace(scope, '').replace(/^plugin-.+/, 'plugin-*');

/**
 * Every arrow that is not allowed, one line each, `path:line` first where there is one.
 * @param {string} [base]
 * @returns {{ problems: string[], imports: number, members: number }}
 */
export function checkArrows(base = root) {
  const all = members(base);
  const byName = new Map(all.map((member) => [member.manifest.name, member]));
  const rootManifest = readManifest(base);
  /** @type {string[]} */
  const problems = [];
  let imports = 0;

  for (const { dir, manifest } of [...all, { dir: base, manifest: rootManifest }]) {
    const where = relative(base, join(dir, 'package.json'));
    for (const [field, name, range] of declared(manifest)) {
      const member = byName.get(name);
      if (member !== undefined && !range.startsWith('workspace:')) {
        problems.push(`${where}: ${field} ${name} must use the workspace protocol`);
      }
      if (member === undefined && field !== 'peerDependencies' && !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(range)) {
        problems.push(`${where}: ${field} ${name} must name one exact version, not ${range}`);
      }
    }
  }

  const seats = [
    ...all.map((member) => ({ member, rule: arrows[kind(member.manifest.name)], files: sources(member.dir) })),
    { member: { dir: base, manifest: rootManifest }, rule: arrows['bench'], files: rootSources(base) },
  ];
  for (const { member, rule, files } of seats) {
    const { dir, manifest } = member;
    const where = relative(base, join(dir, 'package.json'));
    if (rule === undefined) {
      problems.push(`${where}: no arrows are written for ${manifest.name}`);
      continue;
    }
    /** @type {(name: string, dev: boolean) => boolean} */
    const allowed = (name, dev) => [...rule.run, ...(dev ? (rule.dev ?? []) : [])].includes(kind(name));
    const runtime = new Set();
    const any = new Set(Object.keys(rootManifest.devDependencies ?? {}).filter((name) => !byName.has(name)));
    for (const [field, name] of declared(manifest)) {
      const dev = field === 'devDependencies';
      any.add(name);
      if (!dev) runtime.add(name);
      if (byName.has(name) && !allowed(name, dev)) problems.push(`${where}: ${field} ${name} is no allowed arrow`);
    }
    if (dir !== base) problems.push(...referenceProblems(base, member, byName));

    // Only what is published has a wall around its sources; examples, benches and scripts may reach each other.
    const loose = manifest.private === true || dir === base;
    for (const file of files) {
      const inSource = !loose && file.startsWith(join(dir, 'src') + sep);
      const home = inSource ? join(dir, 'src') : dir;
      for (const { specifier, line } of importsOf(file)) {
        imports += 1;
        const at = `${relative(base, file)}:${line}`;
        if (specifier.startsWith('.') || specifier.startsWith('/')) {
          const target = resolve(dirname(file), specifier);
          const inside = loose ? !insidePublic(target, all) : target === home || target.startsWith(home + sep);
          if (!inside)
            problems.push(`${at}: '${specifier}' ${loose ? 'enters a package' : `leaves ${relative(base, home)}`}`);
          continue;
        }
        const name = packageOf(specifier);
        if (specifier.startsWith('node:') || builtinModules.includes(name)) continue;
        const target = byName.get(name);
        if (name === manifest.name) {
          if (inSource) problems.push(`${at}: '${specifier}' imports its own package by name`);
        } else if (target !== undefined && !allowed(name, !inSource)) {
          problems.push(`${at}: '${specifier}' is no allowed arrow from ${manifest.name}`);
        } else if (!(inSource ? runtime : any).has(name)) {
          problems.push(`${at}: '${specifier}' is not declared in ${where}`);
        }
        if (target !== undefined && !Object.hasOwn(target.manifest.exports ?? {}, `.${specifier.slice(name.length)}`)) {
          problems.push(`${at}: '${specifier}' is not exported by ${name}`);
        }
      }
    }
  }
  const cycle = findCycle(all, byName);
  if (cycle !== undefined) problems.push(`package.json: the packages form a cycle: ${cycle.join(' → ')}`);
  return { problems, imports, members: all.length };
}

/**
 * @param {import('./workspace.mjs').Manifest} manifest
 * @returns {[field: string, name: string, range: string][]}
 */
function declared(manifest) {
  return dependencyFields.flatMap((field) =>
    Object.entries(manifest[field] ?? {}).map(
      ([name, range]) => /** @type {[string, string, string]} */ ([field, name, range]),
    ),
  );
}

/**
 * The build order is written in `tsconfig.json` once more: it must say what the manifest says.
 * @param {string} base
 * @param {Member} member
 * @param {Map<string, Member>} byName
 */
function referenceProblems(base, { dir, manifest }, byName) {
  const file = join(dir, 'tsconfig.json');
  if (!existsSync(file)) return [];
  const where = relative(base, file);
  /** @param {string} config */
  const references = (config) =>
    /** @type {{ references?: { path: string }[] }} */ (JSON.parse(readFileSync(config, 'utf8'))).references?.map(
      ({ path }) => resolve(dirname(config), path),
    ) ?? [];
  const wanted = declared(manifest)
    .filter(([field]) => field !== 'devDependencies')
    .flatMap(([, name]) => byName.get(name)?.dir ?? []);
  const found = references(file);
  return [
    ...wanted
      .filter((path) => !found.includes(path))
      .map((path) => `${where}: references lack ${relative(dir, path)}, a dependency`),
    ...found
      .filter((path) => !wanted.includes(path))
      .map((path) => `${where}: references name ${relative(dir, path)}, no dependency`),
    ...(references(join(base, 'tsconfig.build.json')).includes(dir)
      ? []
      : [`tsconfig.build.json: references lack ${relative(base, dir)}`]),
  ];
}

/**
 * @param {string} target
 * @param {Member[]} all
 */
function insidePublic(target, all) {
  return all.some(
    ({ dir, manifest }) =>
      manifest.private !== true && target.startsWith(dir + sep) && !target.startsWith(join(dir, 'test') + sep),
  );
}

/**
 * The files of the root itself: its configuration, scripts and tests.
 * @param {string} base
 * @returns {string[]}
 */
function rootSources(base) {
  const folders = ['scripts', 'test'].map((name) => join(base, name)).filter((folder) => existsSync(folder));
  const own = readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isFile() && isCode(entry.name));
  return [...own.map(({ name }) => join(base, name)), ...folders.flatMap(sources)];
}

/** @param {string} name */
const isCode = (name) => /\.[cm]?[jt]sx?$/.test(name);

/**
 * Every TypeScript and JavaScript file of a member, build output and installed packages left out.
 * @param {string} dir
 * @returns {string[]}
 */
function sources(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist', 'coverage'].includes(entry.name) ? [] : sources(path);
    return isCode(entry.name) ? [path] : [];
  });
}

/**
 * Static, dynamic, type-only and re-exporting imports of one file.
 * @param {string} file
 */
function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    specifier: fileName,
    line: text.slice(0, pos).split('\n').length,
  }));
}

/** @param {string} specifier */
function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * The first cycle through dependencies of every kind, as the names along it.
 * @param {Member[]} all
 * @param {Map<string, Member>} byName
 * @returns {string[] | undefined}
 */
function findCycle(all, byName) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {(name: string, path: string[]) => string[] | undefined} */
  const visit = (name, path) => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const [, next] of declared(/** @type {Member} */ (byName.get(name)).manifest)) {
      const cycle = byName.has(next) ? visit(next, [...path, name]) : undefined;
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const { manifest } of all) {
    const cycle = visit(manifest.name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { problems, imports, members: count } = checkArrows();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`arrows: ${count} packages, ${imports} imports, ${problems.length} problems\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
