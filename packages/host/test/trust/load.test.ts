// Owns the law that what was digested is what is loaded, whatever stands at its path by then.
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importSnapshot } from '../../src/trust/import-snapshot.js';
import { takeSnapshot, type Snapshot } from '../../src/trust/snapshot.js';
import { refusal } from '../discovery/kit.js';
import { folderWith } from '../temp.js';

type Texts = Readonly<Record<string, string>>;
const esm = { 'package.json': '{ "type": "module" }' };

async function taken(files: Texts, entry: string, whole = false): Promise<Snapshot> {
  const root = await folderWith(files);
  return takeSnapshot({ root, entry: join(root, entry), whole });
}
const run = async (snapshot: Snapshot, ms = 5000): Promise<unknown> => (await importSnapshot(snapshot, ms))['default'];
const loaded = async (files: Texts, entry: string, whole = false): Promise<unknown> =>
  run(await taken(files, entry, whole));

describe('files that change between the check and the import', () => {
  const files = {
    ...esm,
    'index.js':
      'import { a } from "./a.mjs"; import c from "./c.cjs"; import j from "./j.json" with { type: "json" };\n' +
      'const { d } = await import(`./sub/d.js`);\nexport default [a, c, d, j.v];',
    'a.mjs': 'export { a } from "./again.mjs";',
    'again.mjs': 'export const a = "old a";',
    'c.cjs': 'const e = require("./e"); module.exports = `old c ${e} ${require("./f.json").v}`;',
    'e.cjs': 'module.exports = "no require finds this one";',
    'e/index.json': '"old e"',
    'f.json': '{ "v": "old f" }',
    'j.json': '{ "v": "old j" }',
    'sub/d.js': 'export const d = "old d";',
  };
  const old = ['old a', 'old c old e old f', 'old d', 'old j'];

  it('run as they were checked, with every file that they name', async () => {
    const snapshot = await taken(files, 'index.js');
    for (const name of Object.keys(files)) {
      await writeFile(join(snapshot.root, name), name.endsWith('json') ? '{ "v": "NEW" }' : 'throw new Error("NEW")');
    }
    expect(await run(snapshot)).toEqual(old);
  });

  it('run as they were checked when the module itself changes them on its way', async () => {
    const snapshot = await taken(
      {
        'index.mjs':
          "import { writeFileSync as write } from 'node:fs';\nwrite(new URL('c.cjs', import.meta.url), 'throw 1');\n" +
          "export default (await import('./c.cjs')).default;",
        'c.cjs': "require('fs').writeFileSync(__dirname + '/sub.js', 'throw 2'); module.exports = require('./sub');",
        'sub.js': "module.exports = 'old sub';",
      },
      'index.mjs',
    );
    expect(await run(snapshot)).toBe('old sub');
  });

  it('run as they were checked when a link takes their place', async () => {
    const other = await folderWith({ 'evil.js': 'throw new Error("NEW")' });
    const snapshot = await taken(
      { ...esm, 'a.js': 'export { default } from "./b.js"', 'b.js': 'export default 1' },
      'a.js',
    );
    for (const name of ['a.js', 'b.js']) {
      await rm(join(snapshot.root, name));
      await symlink(join(other, 'evil.js'), join(snapshot.root, name));
    }
    expect(await run(snapshot)).toBe(1);
  });

  it('are another module when they are taken again, and the same when nothing changed', async () => {
    const first = await taken({ ...esm, 'a.js': 'export default { n: 1 }' }, 'a.js');
    const again = await takeSnapshot(first);
    expect(await run(again)).toBe(await run(first));
    await writeFile(join(first.root, 'a.js'), 'export default { n: 2 }');
    expect(await run(await takeSnapshot(first))).toEqual({ n: 2 });
    expect(await run(first)).toEqual({ n: 1 });
  });

  it('have another digest for each byte of each file', async () => {
    const snapshot = await taken(files, 'index.js');
    expect(Object.keys(snapshot.named)).toEqual([
      'a.mjs',
      'again.mjs',
      'c.cjs',
      'e/index.json',
      'f.json',
      'index.js',
      'j.json',
      'package.json',
      'sub/d.js',
    ]);
    for (const name of Object.keys(snapshot.named)) {
      await writeFile(join(snapshot.root, name), `${files[name as keyof typeof files]} `);
      const next = await takeSnapshot(snapshot);
      expect(next.digest).not.toBe(snapshot.digest);
      expect(next.named[name]).not.toBe(snapshot.named[name]);
      await writeFile(join(snapshot.root, name), files[name as keyof typeof files]);
    }
  });
});

describe('what was not digested', () => {
  const hidden = { ...esm, 'hidden.js': 'export default "ran"', 'hidden.cjs': 'module.exports = "ran"' };
  it.each([
    ['a computed import', 'index.js', 'export default (await import("./hid" + "den.js")).default'],
    ['a whole URL', 'index.js', 'export default (await import(new URL("hidden.js", import.meta.url))).default'],
    ['an escaped name', 'index.js', 'import x from "\\x2e/hidden.js"; export default x;'],
    ['a computed require', 'index.cjs', 'module.exports = require("./hid" + "den.cjs")'],
  ])('is not loaded by %s', async (_, entry, text) => {
    await expect(loaded({ ...hidden, [entry]: text }, entry)).rejects.toThrow(
      /was not there when consent was looked at/,
    );
  });

  it('is not loaded from outside of the root by CommonJS either', async () => {
    const outside = await folderWith({ 'x.cjs': 'module.exports = "ran"' });
    const text = `module.exports = require(${JSON.stringify(outside)} + "/x" + ".cjs")`;
    await expect(loaded({ 'index.cjs': text }, 'index.cjs')).rejects.toThrow(/was not there when consent/);
  });

  it('of a package taken whole there is nothing', async () => {
    const self = {
      'package.json':
        '{ "name": "me", "type": "module", "exports": { "./x": "./lib/x.js" }, "imports": { "#y": "./lib/y.js" } }',
    };
    const text =
      'import x from "me/x"; import y from "#y"; export default [x, y, (await import("./lib/" + "z.js")).default]';
    const lib = (name: string): Texts => ({ [`lib/${name}.js`]: `export default "${name}"` });
    const snapshot = await taken(
      { ...self, ...lib('x'), ...lib('y'), ...lib('z'), 'index.js': text },
      'index.js',
      true,
    );
    for (const name of ['x', 'y', 'z']) await writeFile(join(snapshot.root, `lib/${name}.js`), 'export default "NEW"');
    expect(await run(snapshot)).toEqual(['x', 'y', 'z']);
  });

  it('is no file of a package inside of the package', async () => {
    const dep = {
      'node_modules/dep/package.json': '{ "name": "dep", "main": "./i.js" }',
      'node_modules/dep/i.js': 'module.exports = "dep"',
    };
    const esmText = 'import dep from "dep"; import { sep } from "node:path"; export default dep + sep.length;';
    const snapshot = await taken({ ...esm, ...dep, 'index.js': esmText }, 'index.js', true);
    expect([...snapshot.files.keys()].filter((path) => path.includes('node_modules'))).toEqual([]);
    expect(await run(snapshot)).toBe('dep1');
    expect(
      await loaded(
        { ...dep, 'index.cjs': 'module.exports = require("dep") + require("path").sep.length' },
        'index.cjs',
      ),
    ).toBe('dep1');
  });
});

describe('what is outside of the root', () => {
  const url = (path: string): string => new URL(`file://${path}`).href;
  it.each<[string, (path: string) => string]>([
    ['an absolute path', (path) => `import ${JSON.stringify(path)};`],
    ['a file: URL', (path) => `import ${JSON.stringify(url(path))};`],
    ['a dynamic import', (path) => `await import('${path}');`],
  ])('is refused with its line when %s names it', async (_, text) => {
    const outside = await folderWith({ 'x.mjs': 'export default "ran"' });
    const { message } = await refusal(() =>
      taken({ 'index.mjs': `\n${text(join(outside, 'x.mjs'))}\nexport default 1` }, 'index.mjs'),
    );
    expect(message).toMatch(/index\.mjs:2: '(?:file:\/\/)?\/.*x\.mjs' leaves .*: move the file there/);
  });

  it.each<[string, (path: string) => string]>([
    ['a computed path', (path) => `await import('' + '${path}')`],
    ['a computed URL', (path) => `await import('' + '${url(path)}')`],
    ['a URL in capitals', (path) => `import 'FILE://${path}'`],
    ['a URL behind a blank', (path) => `import ' file://${path}'`],
    ['an escaped path', (path) => `import '\\x2f${path.slice(1)}'`],
    ['a data: URL', (path) => `import 'data:text/javascript,${encodeURIComponent(`import "${url(path)}"`)}'`],
    [
      'a data: URL in a data: URL',
      (path) =>
        `import 'data:text/javascript,${encodeURIComponent(`import "data:text/javascript,${encodeURIComponent(`import "${url(path)}"`)}"`)}'`,
    ],
  ])('is not loaded by %s', async (_, text) => {
    const outside = await folderWith({ 'x.mjs': 'export {}' });
    await expect(
      loaded({ 'index.mjs': `${text(join(outside, 'x.mjs'))};\nexport default 1` }, 'index.mjs'),
    ).rejects.toThrow(/was not there when consent/);
  });

  it('is not loaded by the path of a package, nor by a name of package.json that leads there', async () => {
    const dep = { 'package.json': '{ "imports": { "#x": "dep" } }', 'node_modules/dep/i.cjs': '1' };
    const more = { ...dep, 'node_modules/dep/package.json': '{ "name": "dep", "main": "./i.cjs" }' };
    await expect(loaded({ ...more, 'index.mjs': 'await import("#" + "x")' }, 'index.mjs')).rejects.toThrow(
      /'#x' leads to .*: if that is a package, import it by its own name/,
    );
    const { message } = await refusal(() => taken({ ...more, 'index.mjs': 'import "#x"' }, 'index.mjs'));
    expect(message).toMatch(/index\.mjs:1: '#x' leads to .*: if that is a package, import it by its own name/);
    const outside = await folderWith({ 'node_modules/x.cjs': 'module.exports = "ran"' });
    const text = `module.exports = require('' + ${JSON.stringify(join(outside, 'node_modules/x.cjs'))})`;
    await expect(loaded({ 'index.cjs': text }, 'index.cjs')).rejects.toThrow(/was not there when consent/);
  });

  it('is no matter for an absolute name of its own file, a data: URL and what Node brings', async () => {
    const root = await folderWith({ 'own.mjs': 'export default 1' });
    const text = `import own from '${url(join(root, 'own.mjs'))}'; import { sep } from 'node:path';
      import two from 'data:text/javascript,import "node:fs"; export default 2'; export default [own, two, sep.length];`;
    await writeFile(join(root, 'index.mjs'), text);
    expect(await run(await takeSnapshot({ root, entry: join(root, 'index.mjs') }))).toEqual([1, 2, 1]);
  });
});

describe('a file that leaves the folder', () => {
  it('is refused with its line when an import names it', async () => {
    const root = await folderWith({ 'p/index.js': '\n\nimport x from "../out.js";', 'out.js': '' });
    const { text } = await refusal(
      () => takeSnapshot({ root: join(root, 'p'), entry: join(root, 'p/index.js') }),
      root,
    );
    expect(text).toMatch(/^p\/index\.js:3: '\.\.\/out\.js' leaves .*: move the file there, or make a package of it$/);
  });

  it('is refused behind a link, too', async () => {
    const root = await folderWith({ 'p/index.js': 'import x from "./link.js";', 'out.js': '' });
    await symlink(join(root, 'out.js'), join(root, 'p/link.js'));
    const { text } = await refusal(
      () => takeSnapshot({ root: join(root, 'p'), entry: join(root, 'p/index.js') }),
      root,
    );
    expect(text).toMatch(/^p\/index\.js:1: '\.\/link\.js' leaves /);
  });

  it('is followed by a link inside of the folder, to the bytes that were digested', async () => {
    const root = await folderWith({
      ...esm,
      'index.js': 'export { default } from "./link.js";',
      'real.js': 'export default 1',
    });
    await symlink(join(root, 'real.js'), join(root, 'link.js'));
    const snapshot = await takeSnapshot({ root, entry: join(root, 'index.js') });
    await writeFile(join(root, 'real.js'), 'export default 2');
    expect(await run(snapshot)).toBe(1);
  });
});

describe('TypeScript', () => {
  it('runs without its types, also under the name of what it would be compiled to', async () => {
    const files = {
      'index.ts':
        'import type { A } from "./no.js";\nimport { b } from "./b.js"; import { c } from "./c";\nconst a: A = 1 as const satisfies number;\nexport default [a, b, c];',
      'b.ts': 'export type B = string;\nexport const b: B = "b";',
      'c.mts': 'export const c = <T,>(x: T): T => x;',
    };
    const [a, b, c] = (await loaded(
      { ...esm, ...files, 'c.ts': 'export const c: number = 3' },
      'index.ts',
    )) as unknown[];
    expect([a, b, c]).toEqual([1, 'b', 3]);
  });

  it('that does not erase is refused with the file', async () => {
    const error = await refusal(() => loaded({ ...esm, 'index.ts': 'export enum A { x }' }, 'index.ts'));
    expect(error.code).toBe('TH_CONFIG_INVALID');
    expect(error.message).toMatch(/index\.ts: its types cannot be left out: .*enum.*; write what erases/);
  });
});

describe('a format', () => {
  it.each([
    ['a .js without a type that exports', 'index.js', 'export default 1', {}],
    [
      'a .js without a type that requires',
      'index.js',
      'const { sep } = require("path"); module.exports = sep.length',
      {},
    ],
    ['a .js of a module', 'index.js', 'export default 1', esm],
    ['a .js of CommonJS', 'index.js', 'module.exports = 1', { 'package.json': '{ "type": "commonjs" }' }],
    ['an .mjs of CommonJS', 'index.mjs', 'export default 1', { 'package.json': '{ "type": "commonjs" }' }],
    ['a .cjs of a module', 'index.cjs', 'module.exports = 1', esm],
  ])('of %s is as Node has it', async (_, entry, text, more) => {
    expect(await loaded({ ...more, [entry]: text }, entry)).toBe(1);
  });
});

it('a module that waits for ever is left to itself', async () => {
  const error = await refusal(() =>
    taken({ 'a.mjs': 'await new Promise(() => {});' }, 'a.mjs').then((one) => run(one, 30)),
  );
  expect(error.message).toMatch(/its import did not end within 30 ms/);
});
