// Owns the laws of a plugin's manifest: whatever is wrong with it is told with file, line and mend, and nothing is imported.
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { checkManifestConfig, checkManifestHooks, readManifest } from '../../src/index.js';
import { manifestKeys } from '../../src/discovery/manifest.js';
import { folderWith } from '../temp.js';
import { manifestText, refusal } from './kit.js';

const good = { plugin: './index.js', id: 'acme', apiVersion: 1, hooks: ['afterTool'], tools: ['look'] };
const folder = (manifest: unknown, more: Readonly<Record<string, string>> = {}) =>
  folderWith({
    'package.json': JSON.stringify({ name: 'acme', version: '1.2.3', treblehook: manifest }, null, 1),
    'index.js': 'throw new Error("imported")',
    ...more,
  });
const refused = async (manifest: unknown): Promise<string> => {
  const dir = await folder(manifest);
  const { code, text } = await refusal(() => readManifest(dir), dir);
  expect(code).toBe('TH_CONFIG_INVALID');
  return text;
};
const raw = async (text: string): Promise<string> => {
  const dir = await folderWith({ 'package.json': text, 'index.js': '' });
  return (await refusal(() => readManifest(dir), dir)).text;
};

describe('a manifest', () => {
  it('is read with what its package says', async () => {
    const dir = await folder({ ...good, points: ['acmeSeen'], config: { type: 'object' } });
    expect(await readManifest(dir)).toMatchObject({
      ...good,
      plugin: join(dir, 'index.js'),
      root: dir,
      name: 'acme',
      version: '1.2.3',
      points: ['acmeSeen'],
      config: { type: 'object' },
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['no map', 7, /^package\.json:4:\d+: 'treblehook' is a number: write a map$/],
    [
      'without an id',
      { ...good, id: undefined },
      /^package\.json:4:\d+: 'id' is missing in 'treblehook': name the plugin/,
    ],
    ['without a module', { ...good, plugin: undefined }, /'plugin' is missing in 'treblehook'/],
    ['without an apiVersion', { ...good, apiVersion: undefined }, /'apiVersion' is missing in 'treblehook': write 1/],
    [
      'with a bad id',
      { ...good, id: 'Acme Redact' },
      /^package\.json:6:\d+: 'Acme Redact' is no id of a plugin: use a-z/,
    ],
    ['with a reserved id', { ...good, id: 'host' }, /'host' is no id of a plugin/],
    ['with a name on Object.prototype', { ...good, id: 'toString' }, /'toString' is no id of a plugin/],
    [
      'of another apiVersion',
      { ...good, apiVersion: 2 },
      /^package\.json:7:\d+: this host takes plugins of apiVersion 1: write the number 1, or update/,
    ],
    ['with an apiVersion in quotes', { ...good, apiVersion: '1' }, /write the number 1/],
    [
      'with an unknown key',
      { ...good, hook: [] },
      /^package\.json:\d+:\d+: there is no 'hook' here: did you mean 'hooks'\?$/,
    ],
    ['with hooks that are no list', { ...good, hooks: 'afterTool' }, /'treblehook\.hooks' is a text: write a list/],
    ['with a hook twice', { ...good, hooks: ['a', 'a'] }, /^package\.json:10:\d+: 'a' stands here twice: drop one/],
    ['with a tool that is no text', { ...good, tools: [7] }, /'treblehook\.tools\[0\]' is a number: write a text/],
    ['with a point of the loop', { ...good, points: ['beforeLLM'] }, /'beforeLLM' is a point of the loop's/],
    ['with a schema that is none', { ...good, config: [] }, /'treblehook\.config' is a list: write a map/],
    [
      'whose module is missing',
      { ...good, plugin: './dist/index.js' },
      /^package\.json:5:\d+: there is no file '\.\/dist\/index\.js' in the package: build it/,
    ],
    [
      'whose module is a bare name',
      { ...good, plugin: 'index.js' },
      /'index\.js' is no path in the package: begin it with '\.\/'/,
    ],
    ['whose module is absolute', { ...good, plugin: '/etc/passwd' }, /is no path in the package/],
    ['whose module leaves the package', { ...good, plugin: './../out.js' }, /'\.\/\.\.\/out\.js' leaves the package/],
    ['whose module leaves it by a detour', { ...good, plugin: './a/../../out.js' }, /leaves the package/],
    ['whose module is no module', { ...good, plugin: './package.json' }, /is no module: name a file that ends in \.js/],
  ])('%s is refused', async (_, manifest, message) => {
    expect(await refused(manifest)).toMatch(message);
  });

  it.each<[string, string, RegExp]>([
    [
      'without the key',
      '{ "name": "x" }',
      /^package\.json:1:1: this package is no plugin: it has no 'treblehook'; add/,
    ],
    ['that is no map', '[]', /^package\.json:1:1: the whole is a list: write a map$/],
    ['that is no JSON', '{ "treblehook": {', /^package\.json:1:\d+: this is no valid YAML or JSON/],
    [
      'with the key twice',
      '{ "treblehook": {},\n "treblehook": {} }',
      /^package\.json:2:2: this key stands here twice/,
    ],
    [
      'with a __proto__',
      '{ "treblehook": { "id": "a",\n "__proto__": { "plugin": "./index.js" } } }',
      /^package\.json:2:2: there is no '__proto__' here/,
    ],
    ['whose __proto__ has the key', '{ "__proto__": { "treblehook": { "id": "a" } } }', /it has no 'treblehook'/],
    ['that nests without end', `{ "treblehook": ${'['.repeat(200_000)}`, /^package\.json/],
    ['that is too long', `{ "x": "${'x'.repeat(1_048_577)}" }`, /^package\.json: 1048588 bytes are too many/],
  ])('in a package.json %s is refused', async (_, text, message) => {
    expect(await raw(text)).toMatch(message);
  });

  it('of a megabyte is read', async () => {
    const dir = await folderWith({
      'package.json': manifestText('acme', {}, { x: 'x'.repeat(1_040_000) }),
      'index.js': '',
    });
    expect((await readManifest(dir)).id).toBe('acme');
  });

  it('may not name a link that leaves the package, nor a folder', async () => {
    const dir = await folder({ ...good, plugin: './link.js' });
    const out = await folderWith({ 'x.js': '' });
    await symlink(join(out, 'x.js'), join(dir, 'link.js'));
    expect((await refusal(() => readManifest(dir))).message).toMatch(
      /package\.json:5:\d+: '\.\/link\.js' leaves the package/,
    );
    const other = await folder({ ...good, plugin: './folder.js' });
    await mkdir(join(other, 'folder.js'));
    expect((await refusal(() => readManifest(other))).message).toMatch(/'\.\/folder\.js' is no file/);
  });
});

describe('the hooks of a manifest', () => {
  it.each([
    [['afterTol'], [], /^package\.json:9:\d+: there is no hook point 'afterTol': did you mean 'afterTool'\?$/],
    [['acmeSen'], ['acmeSeen'], /did you mean 'acmeSeen'\?/],
    [['constructor'], [], /there is no hook point 'constructor'/],
    [['entirely other'], [], /docs\/reference\/hooks\.md lists those of the loop/],
  ])('%j, with points %j of others, are refused with the nearest name', async (hooks, others, message) => {
    const dir = await folder({ ...good, hooks });
    const manifest = await readManifest(dir);
    expect((await refusal(() => checkManifestHooks(manifest, others), dir)).text).toMatch(message);
  });

  it('may be of the loop, its own and of others', async () => {
    const manifest = await readManifest(
      await folder({ ...good, hooks: ['afterTool', 'mine', 'yours'], points: ['mine'] }),
    );
    expect(() => checkManifestHooks(manifest, ['yours'])).not.toThrow();
  });
});

describe('settings by the schema of a manifest', () => {
  const config = {
    type: 'object',
    additionalProperties: false,
    required: ['depth'],
    properties: {
      depth: { type: 'integer', minimum: 1 },
      apiKey: { type: 'string', pattern: '^sk-' },
      mode: { enum: ['a', 'b'] },
      list: { type: 'array', items: { type: 'string' } },
    },
  };
  const said = async (settings: unknown, schema: object = config): Promise<string> => {
    const manifest = await readManifest(await folder({ ...good, config: schema }));
    const given = {
      config: settings,
      locate: (path: readonly unknown[]) => ({ file: 'c.yaml', at: ` at ${path.join('/')}` }),
    };
    return (await refusal(() => checkManifestConfig(manifest, given))).message;
  };

  it.each<[unknown, RegExp]>([
    [{ depth: 0 }, /^c\.yaml at depth: 'depth' of the plugin 'acme' is 0: must be >= 1$/],
    [{ depth: 1, list: ['a', 7] }, /^c\.yaml at list\/1: 'list\.1' of the plugin 'acme' is 7: must be string$/],
    [
      { depth: 1, mode: 'c' },
      /'mode' of the plugin 'acme' is "c": must be equal to one of the allowed values: \["a","b"\]$/,
    ],
    [{ depth: 1, dept: 2 }, /^c\.yaml at dept: 'dept' of the plugin 'acme' is 2: there is no such key$/],
    [undefined, /^c\.yaml at : the config of the plugin 'acme' is a map: must have required property 'depth'$/],
    [
      { depth: 1, apiKey: 'hunter2' },
      /^c\.yaml at apiKey: 'apiKey' of the plugin 'acme' is a value that is not shown: must match/,
    ],
  ])('%j are refused by path and value, without a secret', async (settings, message) => {
    expect(await said(settings)).toMatch(message);
    expect(await said(settings)).not.toContain('hunter2');
  });

  it('pass when they fit', async () => {
    const manifest = await readManifest(await folder({ ...good, config }));
    const locate = () => ({ file: '', at: '' });
    await expect(checkManifestConfig(manifest, { config: { depth: 1, mode: 'a' }, locate })).resolves.toBeUndefined();
  });

  it.each([{ type: 'objekt' }, { $ref: 'https://example.org/x.json' }, { properties: { a: { pattern: '(' } } }])(
    'are not judged by %j, which is no schema',
    async (schema) => {
      expect(await said({}, schema)).toMatch(/package\.json:\d+:\d+: this is no JSON Schema of draft 2020-12: /);
    },
  );
});

describe('the published schema', () => {
  const schema = JSON.parse(readFileSync(new URL('../../manifest.schema.json', import.meta.url), 'utf8'));
  it('has the keys that are read', () => {
    expect(Object.keys(schema.properties)).toEqual([...manifestKeys]);
  });

  it.each<[boolean, unknown]>([
    [true, { ...good, points: ['acmeSeen'], config: { type: 'object' } }],
    [true, { plugin: './x.mjs', id: 'a', apiVersion: 1 }],
    [false, { ...good, id: 'A' }],
    [false, { ...good, id: 'all' }],
    [false, { ...good, apiVersion: 2 }],
    [false, { ...good, hook: [] }],
    [false, { ...good, plugin: 'index.js' }],
    [false, { ...good, hooks: ['a', 'a'] }],
    [false, { plugin: './x.js', id: 'a' }],
  ])('takes (%s) what the reader takes: %j', async (isGood, manifest) => {
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(validate(manifest)).toBe(isGood);
    const dir = await folder(manifest, { 'x.mjs': '', 'x.js': '' });
    const isRead = await readManifest(dir).then(
      () => true,
      () => false,
    );
    expect(isRead).toBe(isGood);
  });
});
