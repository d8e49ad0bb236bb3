// Owns where a named plugin is found, and what one plugin at two places is.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHostConfig } from '../../src/index.js';
import { folderWith } from '../temp.js';
import { configText, installed, manifestText, pluginText, type Files } from './kit.js';

const report = async (dir: string, more: object = {}) => (await readHostConfig(dir, more)).report;
const yaml = (plugins: readonly unknown[], ids: readonly string[] = []): Files => ({
  'treblehook.config.yaml': configText(plugins, ids),
});
/** The fault of the only plugin, without the folder. */
const faultIn = async (files: Files): Promise<string> => {
  const dir = await folderWith(files);
  const [one] = (await report(dir)).plugins;
  expect(one?.state).toBe('broken');
  return one!.fault!.message.replaceAll(`${dir}/`, '').replaceAll(dir, '.');
};

describe('a plugin', () => {
  it('is found by the name of its package, in the folder or above it', async () => {
    const dir = await folderWith({
      ...installed('acme'),
      ...yaml(['acme']),
      'a/b/treblehook.config.yaml': configText(['acme'], []),
    });
    const root = join(dir, 'node_modules/acme');
    const expected = {
      named: 'acme',
      id: 'acme',
      kind: 'package',
      version: '1.0.0',
      root,
      file: join(root, 'index.js'),
      state: 'unlisted',
    };
    expect((await report(dir)).plugins).toMatchObject([expected]);
    expect((await report(join(dir, 'a/b'))).plugins).toMatchObject([expected]);
  });

  it('is found in a scope, and behind the links of a store', async () => {
    const dir = await folderWith({
      'store/acme/package.json': manifestText('redact', {}, { name: '@acme/redact' }),
      'store/acme/index.js': '',
      ...yaml(['@acme/redact']),
    });
    await mkdir(join(dir, 'node_modules/@acme'), { recursive: true });
    await symlink(join(dir, 'store/acme'), join(dir, 'node_modules/@acme/redact'));
    expect((await report(dir)).plugins).toMatchObject([
      { id: 'redact', kind: 'package', root: join(dir, 'store/acme') },
    ]);
  });

  it('is found by its manifest, whatever its package exports', async () => {
    const files = installed('acme', undefined, {}, { exports: { './other': './other.js' } });
    const dir = await folderWith({ ...files, ...yaml(['acme']) });
    expect((await report(dir)).plugins).toMatchObject([{ id: 'acme', state: 'unlisted' }]);
  });

  it('is found by the path of its folder or of its module, from the folder of the config', async () => {
    const dir = await folderWith({
      'p/acme/package.json': manifestText('acme'),
      'p/acme/index.js': '',
      'p/b.mjs': '',
      'p/c/index.ts': '',
      'p/D.cjs': '',
      ...yaml(['./p/acme', { use: './p/b.mjs' }, './p/c/index.ts', { use: './p/D.cjs', id: 'd' }]),
    });
    expect((await report(dir)).plugins.map(({ id, kind }) => [id, kind])).toEqual([
      ['acme', 'folder'],
      ['b', 'module'],
      ['c', 'module'],
      ['d', 'module'],
    ]);
  });

  it.each<[string, unknown, Files, RegExp]>([
    [
      'a package that is not installed',
      'acme',
      {},
      /^treblehook\.config\.yaml:3:5: there is no package 'acme' in node_modules from \. upwards: install it/,
    ],
    [
      'a package without a manifest',
      'acme',
      { 'node_modules/acme/package.json': '{\n "name": "acme"}' },
      /^node_modules\/acme\/package\.json:1:1: this package is no plugin/,
    ],
    ['a package without a version', 'acme', installed('acme', '', {}, { version: '' }), /name and version are missing/],
    [
      'a path that is not there',
      './no.mjs',
      {},
      /^treblehook\.config\.yaml:3:5: there is no file or folder no\.mjs: mend the path/,
    ],
    [
      'a folder without a package.json',
      './p',
      { 'p/x.js': '' },
      /p has no package\.json: name a plugin's package, or its module/,
    ],
    ['a file that is no module', './p.txt', { 'p.txt': '' }, /p\.txt is no module: name a file that ends in \.js/],
    [
      'a path without its dot',
      'p/x.js',
      { 'p/x.js': '' },
      /'p\/x\.js' is no name of a package: a path begins with '\.\/'/,
    ],
    ['a name with a detour', 'acme/../../x', {}, /is no name of a package/],
    ['a name on Object.prototype', '__proto__', {}, /'__proto__' is no name of a package/],
    [
      'a module whose name is no id',
      './My_Plugin.mjs',
      { 'My_Plugin.mjs': '' },
      /'My_Plugin' is no id of a plugin: call the file otherwise .*or write \{ use, id \}/,
    ],
    [
      'TypeScript that is installed',
      './node_modules/x/x.ts',
      { 'node_modules/x/x.ts': '' },
      /is TypeScript in node_modules/,
    ],
    [
      'an id that is not that of the manifest',
      { use: 'acme', id: 'other' },
      installed('acme'),
      /^treblehook\.config\.yaml:5:13: its manifest calls it 'acme': leave the id out/,
    ],
    [
      'a hook that nobody has',
      'acme',
      installed('acme', '', { hooks: ['afterTol'] }),
      /^node_modules\/acme\/package\.json:10:7: there is no hook point 'afterTol': did you mean 'afterTool'/,
    ],
  ])('that is %s is broken, with the place', async (_, named, files, message) => {
    expect(await faultIn({ ...files, ...yaml([named]) })).toMatch(message);
  });

  it('may register on the points of another that is named', async () => {
    const files = { ...installed('a', '', { points: ['aSeen'] }), ...installed('b', '', { hooks: ['aSeen'] }) };
    const dir = await folderWith({ ...files, ...yaml(['b', 'a']) });
    expect((await report(dir)).plugins.map(({ state }) => state)).toEqual(['unlisted', 'unlisted']);
  });
});

describe('a plugin at two roots', () => {
  const two = async (version: string) => {
    const dir = await folderWith({ ...installed('acme'), ...yaml(['acme']) });
    const other = await folderWith(installed('acme', pluginText('acme'), {}, { version }));
    return { dir, other, told: await report(dir, { roots: [other] }) };
  };

  it('of one version is one plugin and one notice', async () => {
    const { dir, other, told } = await two('1.0.0');
    expect(told.plugins).toMatchObject([{ id: 'acme', root: join(dir, 'node_modules/acme'), state: 'unlisted' }]);
    expect(told.notices.map(({ code, message }) => [code, message])).toEqual([
      [
        'TH_PLUGIN_TWICE',
        `the plugin 'acme' is found twice, and is taken once: ${dir}/node_modules/acme (1.0.0) is taken, ${other}/node_modules/acme (1.0.0) is the same version`,
      ],
    ]);
  });

  it('of two versions is refused with both', async () => {
    const { dir, other, told } = await two('2.0.0');
    expect(told.plugins).toMatchObject([{ state: 'broken' }]);
    const { code, message } = told.plugins[0]!.fault!;
    expect(code).toBe('TH_PLUGIN_TAKEN');
    expect(message).toContain(
      `${dir}/node_modules/acme (1.0.0) and ${other}/node_modules/acme (2.0.0): install one version`,
    );
  });

  it.each([
    ['of one version is one plugin', '1.0.0', 'unlisted', ['TH_PLUGIN_TWICE']],
    ['of two versions is refused', '1.1.0', 'broken', []],
  ])('that are named one by one, %s', async (_, version, state, notices) => {
    const vendor = { 'vendor/acme/package.json': manifestText('acme', {}, { version }), 'vendor/acme/index.js': '' };
    const dir = await folderWith({ ...installed('acme'), ...vendor, ...yaml(['acme', './vendor/acme']) });
    const told = await report(dir);
    expect(told.plugins.map((one) => [one.named, one.state])).toEqual([['acme', state]]);
    expect(told.notices.map(({ code }) => code)).toEqual(notices);
    if (state === 'broken') expect(told.plugins[0]!.fault!.code).toBe('TH_PLUGIN_TAKEN');
  });

  it('that are two modules of one id are refused: nobody can tell that they are the same', async () => {
    const dir = await folderWith({ 'a/x.mjs': '', 'b/x.mjs': '', ...yaml(['./a/x.mjs', './b/x.mjs']) });
    expect((await report(dir)).plugins).toMatchObject([
      { id: 'x', state: 'broken', fault: { code: 'TH_PLUGIN_TAKEN' } },
    ]);
  });
});
