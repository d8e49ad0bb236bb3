// Owns the laws of the bundles: what goes into one, and that none is ever stale.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundle } from '../bundle.mjs';
import type { Member } from '../workspace.mjs';

let dir = '';
let member: Member;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bundle-'));
  member = {
    dir,
    manifest: {
      name: '@treblehook/some',
      version: '0.0.0',
      exports: { '.': './dist/index.js', './extra': './dist/extra/index.js', './package.json': './package.json' },
      bin: { some: './dist/bin.js' },
    },
  };
  compile('bin', "#!/usr/bin/env node\nimport { Shared } from './shared.js';\nnew Shared();");
  compile(
    'index',
    "import 'node:fs';\nexport { Shared } from './shared.js';\nexport const late = () => import('./late.js');",
  );
  compile('extra/index', "export { Shared } from '../shared.js';\nexport { Shared as Other } from '../other.js';");
  compile('shared', 'export class Shared extends Error {}');
  compile('other', 'export class Shared extends Error {}');
  compile('late', "import lib from 'some-lib';\nexport const late = () => lib;");
});
afterEach(() => rmSync(dir, { recursive: true }));

/** The modules in `dist`, maps left out. */
const out = () =>
  readdirSync(join(dir, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !path.startsWith('.compiled'))
    .toSorted();
const read = (path: string) => readFileSync(join(dir, 'dist', path), 'utf8');

describe('a bundle', () => {
  test('has one file per entry point, and what they share or load on use stands beside them once', async () => {
    await bundle(member);
    expect(out().filter((path) => /^(bin|index|extra)\b/.test(path))).toEqual(['bin.js', 'extra/index.js', 'index.js']);
    const all = out().map(read);
    expect(all.filter((text) => text.includes('// dist/.compiled/shared.js'))).toHaveLength(1);
    expect(all.filter((text) => text.includes('// dist/.compiled/late.js'))).toHaveLength(1);
    expect(read('index.js')).toContain('import("./late.js")');
    expect(read('index.js')).not.toContain('some-lib');
    const [index, extra] = await Promise.all([load('index.js'), load('extra/index.js')]);
    expect(index['Shared']).toBe(extra['Shared']);
  });

  test('leaves what is not its own an import', async () => {
    await bundle(member);
    expect(read('late.js')).toContain('from "some-lib"');
  });

  test('keeps the names of classes, those that two modules chose alike too', async () => {
    compile('twin', 'export class Shared extends Error {}');
    compile('extra/index', "export { Shared as A } from '../other.js';\nexport { Shared as B } from '../twin.js';");
    await bundle(member);
    const { A, B } = await load('extra/index.js');
    expect([A?.name, B?.name]).toEqual(['Shared', 'Shared']);
    expect(A).not.toBe(B);
  });

  test('keeps what a module does when it is loaded, whatever the manifest says', async () => {
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module', sideEffects: false }));
    compile('effect', "globalThis['bundle-effect'] = 1;");
    compile('index', "import './effect.js';\nexport {};");
    await bundle(member);
    expect(read('index.js')).toContain('bundle-effect');
  });

  test('keeps the first line of a command', async () => {
    await bundle(member);
    expect(read('bin.js')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('leads through its map to the source', async () => {
    await bundle(member);
    const { sources } = JSON.parse(read('extra/index.js.map')) as { sources: string[] };
    expect(sources).toEqual(['../../src/other.ts']);
  });
});

describe('of a build', () => {
  test('a second one finds nothing to do', async () => {
    expect(await bundle(member)).toBe(true);
    expect(await bundle(member)).toBe(false);
  });

  test('a changed module is in the next bundle', async () => {
    await bundle(member);
    compile('shared', "export class Shared extends Error { more = 'new'; }");
    expect(await bundle(member)).toBe(true);
    expect(out().map(read).join('')).toContain('new');
  });

  test('a module that is gone leaves nothing behind', async () => {
    await bundle(member);
    compile('index', "export { Shared } from './shared.js';");
    rmSync(join(dir, 'src/late.ts'));
    expect(await bundle(member)).toBe(true);
    expect(out()).not.toContain('late.js');
    expect(existsSync(join(dir, 'dist/late.js.map'))).toBe(false);
    expect(existsSync(join(dir, 'dist/.compiled/late.js'))).toBe(false);
  });

  test.each([
    ['a file that is cut off', () => writeFileSync(join(dir, 'dist/index.js'), 'export')],
    ['a file that is missing', () => rmSync(join(dir, 'dist/index.js'))],
    ['a file that was left half-way', () => writeFileSync(join(dir, 'dist/index.js.123'), 'export')],
    ['no stamp', () => rmSync(join(dir, 'dist/.compiled/.bundled'))],
  ])('%s is mended', async (_, harm) => {
    await bundle(member);
    const before = out().map((path) => [path, read(path)]);
    harm();
    expect(await bundle(member)).toBe(true);
    expect(out().map((path) => [path, read(path)])).toEqual(before);
    expect(existsSync(join(dir, 'dist/index.js.123'))).toBe(false);
  });

  test('what the old files import stays until the new ones are written', async () => {
    await bundle(member);
    compile('index', "export const fresh = () => import('./fresh.js');");
    compile('fresh', 'export const fresh = 1;');
    put('dist/fresh.js/in-the-way', '');
    await expect(bundle(member)).rejects.toThrow();
    expect(out()).toContain('late.js');
    rmSync(join(dir, 'dist/fresh.js'), { recursive: true });
    expect(await bundle(member)).toBe(true);
    expect(out()).not.toContain('late.js');
  });

  test.each<readonly [string, object, string]>([
    ['exports that are one file', { exports: './dist/index.js' }, 'exports of @treblehook/some'],
    ['a bin that is one file', { bin: './dist/bin.js' }, 'bin of @treblehook/some'],
    ['an export without a default', { exports: { '.': { types: './dist/index.d.ts' } } }, "'.' in exports"],
    ['an export that is closed', { exports: { './inner': null } }, "'./inner' in exports"],
  ])('%s: refused, and not passed over', async (_, wrong, why) => {
    Object.assign(member.manifest, wrong);
    await expect(bundle(member)).rejects.toThrow(why);
  });

  test('a module that cannot be found fails it, and the next one starts over', async () => {
    await bundle(member);
    compile('index', "export { Shared } from './nowhere.js';");
    await expect(bundle(member)).rejects.toThrow('./nowhere.js');
    await expect(bundle(member)).rejects.toThrow('./nowhere.js');
  });
});

/** Writes a source and what the compiler makes of it. */
function compile(name: string, code: string) {
  const source = `${'../'.repeat(name.split('/').length + 1)}src/${name}.ts`;
  const map = { version: 3, file: `${name}.js`, sources: [source], names: [], mappings: 'AAAA' };
  put(`src/${name}.ts`, code);
  put(`dist/.compiled/${name}.js`, `${code}\n//# sourceMappingURL=${name}.js.map`);
  put(`dist/.compiled/${name}.js.map`, JSON.stringify(map));
}

function put(path: string, content: string) {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function load(path: string) {
  put('package.json', '{ "type": "module" }');
  return (await import(/* @vite-ignore */ pathToFileURL(join(dir, 'dist', path)).href)) as Record<
    string,
    { name: string }
  >;
}
