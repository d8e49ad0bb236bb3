// Owns what consent is bound to: these bytes, of this thing, in this place, with these settings.
import { cp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consentFor, grant, readHostConfig, readTrustFile, revoke } from '../../src/index.js';
import { configText, installed, manifestText, marks, place, pluginText, type Place } from '../discovery/kit.js';
import { folderWith } from '../temp.js';

const stateIn = async (dir: string, trust: string): Promise<readonly (string | undefined)[]> => {
  const [one] = (await readHostConfig(dir, { trust })).report.plugins;
  return [one!.state, one!.fault?.code, /consented to \((.*)\), and nothing/.exec(one!.fault?.message ?? '')?.[1]];
};
const local = {
  'p/acme.mjs': `import './dep.mjs';\n${pluginText('acme')}`,
  'p/dep.mjs': '',
  'treblehook.config.yaml': configText([{ use: './p/acme.mjs', config: { a: 1 } }], ['acme']),
};
const packaged = {
  ...installed('acme', `import './lib/x.js';\n${pluginText('acme')}`),
  'node_modules/acme/lib/x.js': '',
  'node_modules/acme/lib/other.cjs': '',
  'node_modules/acme/README.md': '',
  'treblehook.config.yaml': configText(['acme'], ['acme']),
};
const consented = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<Place> => {
  const one = await place(files);
  await one.consent();
  return one;
};

describe('what consent is asked for', () => {
  it('is each file that will run, by its digest, with origin, source and place', async () => {
    const { dir, trust } = await place({
      ...local,
      ...packaged,
      'treblehook.config.yaml': configText(['./p/acme.mjs'], ['acme']),
    });
    const { items, isWhole, folder } = await consentFor(dir, { trust });
    expect({ isWhole, folder }).toEqual({ isWhole: true, folder: dir });
    expect(items).toMatchObject([
      {
        state: 'untrusted',
        item: {
          kind: 'plugin',
          id: 'acme',
          origin: 'local-author',
          source: './p/acme.mjs',
          place: join(dir, 'p/acme.mjs'),
          folder: dir,
        },
      },
    ]);
    expect(Object.keys(items[0]!.item.files)).toEqual(['p/acme.mjs', 'p/dep.mjs']);
    expect(items[0]!.item.files['p/dep.mjs']).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('is of a package its name and version, too, and of another folder external', async () => {
    const { dir, trust } = await place({
      ...packaged,
      'treblehook.config.yaml': configText(['acme', '../out.mjs'], ['acme', 'out']),
    });
    await writeFile(join(dir, '../out.mjs'), pluginText('out'));
    try {
      const { items } = await consentFor(dir, { trust });
      expect(items.map(({ item }) => [item.origin, item.package])).toEqual([
        ['external', { name: 'acme', version: '1.0.0' }],
        ['external', undefined],
      ]);
      expect(Object.keys(items[0]!.item.files)).toEqual(['index.js', 'lib/x.js', 'package.json']);
    } finally {
      await rm(join(dir, '../out.mjs'));
    }
  });

  it('is nothing that no personality lists, and tells what is broken; nothing is imported', async () => {
    const { dir, trust, has } = await place({
      'a.mjs': marks('a', pluginText('a')),
      'b.mjs': marks('b', pluginText('b')),
      'treblehook.config.yaml': configText(['./a.mjs', './b.mjs', 'missing'], ['a']),
    });
    const { items, faults, unlisted } = await consentFor(dir, { trust });
    expect(items.map(({ item }) => item.id)).toEqual(['a']);
    expect(unlisted).toEqual(['b']);
    expect(faults).toMatchObject([{ code: 'TH_CONFIG_INVALID' }]);
    expect([has('ran-a'), has('ran-b')]).toEqual([false, false]);
  });

  it('is of a config module first itself alone', async () => {
    const { dir, trust, consent, has } = await place({
      'a.mjs': pluginText('a'),
      'treblehook.config.mjs': marks(
        'config',
        "export default { plugins: ['./a.mjs'], personalities: [{ id: 'p', plugins: ['a'] }] };",
      ),
    });
    const first = await consentFor(dir, { trust });
    expect(first).toMatchObject({ isWhole: false, items: [{ item: { kind: 'config', id: 'treblehook.config.mjs' } }] });
    expect(has('ran-config')).toBe(false);
    await consent();
    const { items, isWhole } = await consentFor(dir, { trust });
    expect([isWhole, items.map(({ item, state }) => [item.kind, state])]).toEqual([
      true,
      [
        ['config', 'trusted'],
        ['plugin', 'trusted'],
      ],
    ]);
  });
});

describe('consent ends', () => {
  it.each<[string, string, string | undefined, string]>([
    ['the module changes', 'p/acme.mjs', pluginText('acme'), 'p/acme.mjs changed'],
    ['a file that it imports changes', 'p/dep.mjs', ' ', 'p/dep.mjs changed'],
    ['it imports another file', 'p/dep.mjs', "import './more.mjs';", 'p/dep.mjs changed'],
    [
      'its settings change',
      'treblehook.config.yaml',
      configText([{ use: './p/acme.mjs', config: { a: 2 } }], ['acme']),
      'its settings changed',
    ],
    [
      'it is given a seat',
      'treblehook.config.yaml',
      configText([{ use: './p/acme.mjs', config: { a: 1 }, seat: true }], ['acme']),
      'its settings changed',
    ],
  ])('when %s', async (_, file, text, changed) => {
    const { dir, trust } = await consented({ ...local, 'p/more.mjs': '' });
    await writeFile(join(dir, file), text!);
    expect(await stateIn(dir, trust)).toEqual(['stale', 'TH_STALE', changed]);
  });

  it.each<[string, string, string, string]>([
    ['a file that could be imported changes', 'lib/other.cjs', '1', 'another file of the package changed'],
    ['a file that could be imported appears', 'lib/new.js', '', 'another file of the package changed'],
    [
      'its version changes',
      'package.json',
      manifestText('acme', {}, { version: '1.0.1' }),
      'version 1.0.0 is 1.0.1 now',
    ],
    [
      'its manifest declares more',
      'package.json',
      manifestText('acme', { hooks: ['afterTool'] }),
      'package.json changed',
    ],
  ])('of a package when %s', async (_, file, text, changed) => {
    const { dir, trust } = await consented(packaged);
    await writeFile(join(dir, 'node_modules/acme', file), text);
    expect(await stateIn(dir, trust)).toEqual(['stale', 'TH_STALE', changed]);
  });

  it.each(['mjs', 'cjs', 'mts', 'js'])(
    'of a module in .%s when the package.json that resolves its names changes',
    async (ending) => {
      const isCommon = ending === 'cjs';
      const { dir, trust, has } = await consented({
        'package.json': '{ "imports": { "#x": "./own.cjs" } }',
        'own.cjs': '',
        'node_modules/evil/package.json': '{ "name": "evil", "main": "./i.cjs" }',
        'node_modules/evil/i.cjs': "require('node:fs').writeFileSync(__dirname + '/ran', '')",
        [`acme.${ending}`]: isCommon
          ? "require('#x'); module.exports = { id: 'acme', setup() {} };"
          : `import '#x';\n${pluginText('acme')}`,
        'treblehook.config.yaml': configText([`./acme.${ending}`], ['acme']),
      });
      expect(await stateIn(dir, trust)).toEqual(['trusted', undefined, undefined]);
      await writeFile(join(dir, 'package.json'), '{ "imports": { "#x": "./own.cjs" }, "name": "other" }');
      expect(await stateIn(dir, trust)).toEqual(['stale', 'TH_STALE', 'package.json changed']);
      await writeFile(join(dir, 'package.json'), '{ "imports": { "#x": "evil" } }');
      expect(await stateIn(dir, trust)).not.toContain('trusted');
      expect(has('node_modules/evil/ran')).toBe(false);
    },
  );

  it('of a package with no change of what cannot be imported, nor of the list of a personality', async () => {
    const { dir, trust } = await consented(packaged);
    await writeFile(join(dir, 'node_modules/acme/README.md'), 'new');
    await writeFile(join(dir, 'treblehook.config.yaml'), configText(['acme'], ['acme'], { strict: false }));
    expect((await stateIn(dir, trust))[0]).toBe('trusted');
  });

  it('when it is revoked', async () => {
    const { dir, trust } = await consented(local);
    expect((await stateIn(dir, trust))[0]).not.toBe('untrusted');
    expect((await revoke(trust, ({ folder }) => folder === dir)).map(({ id, by }) => [id, by])).toEqual([
      ['acme', 'somebody'],
    ]);
    expect(await stateIn(dir, trust)).toEqual(['untrusted', 'TH_UNTRUSTED', undefined]);
    expect(await readTrustFile(trust)).toEqual([]);
  });
});

describe('consent is none for', () => {
  it('the same bytes in another folder', async () => {
    for (const files of [local, packaged]) {
      const { dir, trust } = await consented(files);
      const other = join(await folderWith(), 'copy');
      await cp(dir, other, { recursive: true });
      expect(await stateIn(other, trust)).toEqual(['untrusted', 'TH_UNTRUSTED', undefined]);
    }
  });

  it('the same bytes under another id or at another path', async () => {
    const { dir, trust } = await consented({
      'a.mjs': pluginText('a'),
      'treblehook.config.yaml': configText(['./a.mjs'], ['a']),
    });
    await rename(join(dir, 'a.mjs'), join(dir, 'b.mjs'));
    for (const id of ['a', 'b']) {
      await writeFile(join(dir, 'treblehook.config.yaml'), configText([{ use: './b.mjs', id }], [id]));
      expect((await stateIn(dir, trust))[0]).toBe('untrusted');
    }
  });

  it('a package that takes the place of a path, and the other way round', async () => {
    const { dir, trust } = await consented({ ...packaged, 'acme.mjs': pluginText('acme') });
    await writeFile(join(dir, 'treblehook.config.yaml'), configText(['./acme.mjs'], ['acme']));
    expect((await stateIn(dir, trust))[0]).toBe('untrusted');
  });

  it('bytes that were not shown: what is granted is what was asked', async () => {
    const { dir, trust } = await place(local);
    const { items } = await consentFor(dir, { trust });
    await writeFile(join(dir, 'p/dep.mjs'), 'throw new Error("NEW")');
    await grant(
      trust,
      items.map(({ item }) => item),
      { by: 'x' },
    );
    expect(await stateIn(dir, trust)).toEqual(['stale', 'TH_STALE', 'p/dep.mjs changed']);
  });
});

describe('consent stands for', () => {
  it('a package that is installed elsewhere with the same name, version and bytes', async () => {
    const { dir, trust } = await consented(packaged);
    await rename(join(dir, 'node_modules/acme'), join(dir, 'store'));
    await symlink(join(dir, 'store'), join(dir, 'node_modules/acme'));
    expect((await stateIn(dir, trust))[0]).toBe('trusted');
  });

  it('a folder by its real path', async () => {
    const { dir, trust } = await consented(packaged);
    const link = join(await folderWith(), 'link');
    await symlink(dir, link);
    expect((await stateIn(link, trust))[0]).toBe('trusted');
  });
});
