/** What can be told of a plugin's package without its code: its manifest, its files, what it imports, its README. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { extname, join } from 'node:path';
import { checkManifestHooks, type ConsentItem, type PluginManifest } from '@treblehook/host';

/** One thing that was looked at. */
export interface Check {
  readonly id:
    | 'manifest'
    | 'entries'
    | 'types'
    | 'imports'
    | 'readme'
    | 'loads'
    | 'declares'
    | 'runs'
    | 'leaves'
    | 'beside';
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong, and the mend. */
  readonly fault?: string;
  /** What is no fault, and worth knowing. */
  readonly note?: string;
}

interface Package {
  readonly exports?: unknown;
  readonly main?: unknown;
  readonly types?: unknown;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly optionalDependencies?: Readonly<Record<string, unknown>>;
}

/** What a plugin may import of this project at run time. */
const mayImport = '@treblehook/types';
const section = 'What it may change';

export const check = (id: Check['id'], name: string, fault?: string, note?: string): Check => ({
  id,
  name,
  ok: fault === undefined,
  ...(fault !== undefined && { fault }),
  ...(note !== undefined && { note }),
});

/** `item`: its files as they were digested. */
export async function packageChecks(manifest: PluginManifest, item: ConsentItem): Promise<readonly Check[]> {
  const { root } = manifest;
  const pack = JSON.parse(await readFile(manifest.file, 'utf8')) as Package;
  return [
    hooksCheck(manifest),
    await entriesCheck(root, pack),
    await typesCheck(manifest, pack),
    await importsCheck(root, pack, item),
    await readmeCheck(root),
  ];
}

function hooksCheck(manifest: PluginManifest): Check {
  try {
    checkManifestHooks(manifest, []);
    return check('manifest', 'its manifest is right');
  } catch (error) {
    return check('manifest', 'its manifest is right', (error as Error).message);
  }
}

const isThere = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

async function entriesCheck(root: string, { exports, main }: Package): Promise<Check> {
  const name = 'the files that the package names are there';
  const all = [...targetsOf(exports), ...(typeof main === 'string' ? [main] : [])].filter(
    (path) => !path.includes('*'),
  );
  for (const path of all) {
    if (!(await isThere(join(root, path))))
      return check('entries', name, `there is no file '${path}': build it, or mend package.json`);
  }
  return check('entries', name);
}

/** Every file of `exports`, whatever its conditions. */
function targetsOf(exports: unknown): readonly string[] {
  if (typeof exports === 'string') return [exports];
  if (typeof exports !== 'object' || exports === null) return [];
  return Object.values(exports).flatMap(targetsOf);
}

async function typesCheck({ root, plugin }: PluginManifest, { exports, types }: Package): Promise<Check> {
  const name = 'its types are there';
  if (extname(plugin).endsWith('ts')) return check('types', name, undefined, 'its module is TypeScript itself');
  const named = [...targetsOf(exports), ...(typeof types === 'string' ? [types] : [])].filter((path) =>
    /\.d\.[cm]?ts$/.test(path),
  );
  const beside = plugin.replace(/\.([cm]?)js$/, '.d.$1ts');
  if (named.length === 0 && (await isThere(beside))) return check('types', name);
  if (named[0] !== undefined && (await isThere(join(root, named[0])))) return check('types', name);
  const mend = `"types": "./dist/index.d.ts" in exports, and the compiler's declaration: true`;
  return check(
    'types',
    name,
    named[0] === undefined ? `package.json names none: ${mend}` : `there is no file '${named[0]}': ${mend}`,
  );
}

/** A name that is imported or required; a type alone is erased. */
const imported =
  /(?:\b(?:import|export)\s+(?!type\b)[^'"`;]{0,2000}?\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'`])([^"'`\n$]{1,214})\1/g;

async function importsCheck(
  root: string,
  { dependencies, optionalDependencies }: Package,
  { files }: ConsentItem,
): Promise<Check> {
  const name = `of this project it imports ${mayImport} alone`;
  const found = new Map<string, string>();
  for (const file of Object.keys(files)) {
    if (!/\.[cm]?[jt]s$/.test(file)) continue;
    const text = await readFile(join(root, file), 'utf8');
    for (const [, , specifier = ''] of text.matchAll(imported)) {
      const id = packageOf(specifier);
      if (id !== undefined && !found.has(id)) found.set(id, file);
    }
  }
  const own = [...found].find(([id]) => isForeign(id));
  if (own !== undefined)
    return check(
      'imports',
      name,
      `${own[1]} imports ${own[0]}: import ${mayImport}, and take the rest as a development dependency`,
    );
  const listed = Object.keys({ ...dependencies, ...optionalDependencies }).find(isForeign);
  if (listed !== undefined)
    return check('imports', name, `package.json lists ${listed} under dependencies: move it to devDependencies`);
  const others = [...found.keys()].filter((id) => id !== mayImport);
  return check(
    'imports',
    name,
    undefined,
    others.length === 0 ? undefined : `it imports ${others.join(', ')}, which consent does not cover`,
  );
}

const isForeign = (id: string): boolean => id.startsWith('@treblehook/') && id !== mayImport;

function packageOf(specifier: string): string | undefined {
  if (/^[./#]|^[a-z]+:/i.test(specifier) || builtinModules.includes(specifier.split('/')[0]!)) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

async function readmeCheck(root: string): Promise<Check> {
  const name = `its README has the section '${section}'`;
  const file = (await readdir(root)).find((one) => /^readme\.md$/i.test(one));
  if (file === undefined) return check('readme', name, 'there is no README.md');
  const text = await readFile(join(root, file), 'utf8');
  const has = new RegExp(`^#{1,6}\\s+${section}\\s*#*\\s*$`, 'im').test(text);
  return check(
    'readme',
    name,
    has ? undefined : `${file} has no such heading: say there which hooks, tools and results it touches`,
  );
}
