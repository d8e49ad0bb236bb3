// Owns the laws of the config file: what is named, listed and consented to is loaded, nothing else, and the rest says why.
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedModel } from '@treblehook/agent/testing';
import { describe, expect, it } from 'vitest';
import { consentFor, createHost, grant, readHostConfig, type HostConfig } from '../../src/index.js';
import { folderWith } from '../temp.js';
import { configText, installed, marks, pluginText, place, refusal, type Files } from './kit.js';

const states = ({ report }: HostConfig) => report.plugins.map(({ id, state }) => [id, state]);
const hostOf = ({ options }: HostConfig, strict = false) =>
  createHost({ model: scriptedModel(['done']), strict, onWarning: () => {}, ...options });
const refusedIn = async (files: Files): Promise<string> => {
  const { read, dir } = await place(files);
  return (await refusal(read, dir)).text;
};

describe('a config file', () => {
  it('that is not there gives no options and names nothing', async () => {
    const { read, dir } = await place({});
    expect(await read()).toEqual({ options: {}, report: { folder: dir, plugins: [], notices: [] } });
  });

  it('gives the options of a host, its paths from its folder', async () => {
    const { read, dir } = await place({
      'treblehook.config.yaml':
        'personalities: [people/a.yaml, { id: b, policy: b.yaml }]\npersonality: b\nmodel: offline\npolicy: p.yaml\nstrict: true\n',
      'people/a.yaml': 'id: a\n',
      'b.yaml': 'rules: []',
    });
    const { options } = await read();
    expect(options).toMatchObject({
      personality: { personality: { id: 'b', policy: join(dir, 'b.yaml') } },
      personalities: [{ personality: { id: 'a' }, file: join(dir, 'people/a.yaml') }],
      model: 'offline',
      projectPolicy: join(dir, 'p.yaml'),
      strict: true,
    });
  });

  it.each<[string, string, RegExp]>([
    [
      'an unknown key',
      'plugin: []',
      /^treblehook\.config\.yaml:1:1: there is no 'plugin' here: did you mean 'plugins'\?$/,
    ],
    [
      'an unknown key of a plugin',
      'plugins:\n  - { use: a, cnfig: {} }',
      /^treblehook\.config\.yaml:2:15: there is no 'cnfig' here: did you mean 'config'\?/,
    ],
    [
      'a plugin without a name',
      'plugins:\n  - { config: {} }',
      /^treblehook\.config\.yaml:2:5: 'use' is missing in 'plugins\[0\]'/,
    ],
    ['an inline plugin', 'plugins: [{ id: a, setup: x }]', /there is no 'setup' here/],
    ['a seat in quotes', 'plugins: [{ use: a, seat: "yes" }]', /'plugins\[0\]\.seat' is true or false, without quotes/],
    ['a glob', 'personalities: ["*.yaml"]', /'\*\.yaml' is a glob, and files are named one by one here/],
    [
      'a personality that is not there',
      'personalities: [{ id: reader }]\npersonality: raeder',
      /^treblehook\.config\.yaml:2:14: there is no personality 'raeder' in personalities: did you mean 'reader'\?/,
    ],
    ['a personality that is wrong', 'personalities:\n  - { id: A }', /^treblehook\.config\.yaml:2:11: 'A' is no id/],
    ['one personality twice', 'personalities: [{ id: a }, { id: a }]', /another personality is called 'a'/],
    ['a personality without its file', 'personalities: [a.yaml]', /^a\.yaml: there is no such file/],
    ['a __proto__', '__proto__: { plugins: [] }', /there is no '__proto__' here/],
    ['a constructor', 'constructor: {}', /there is no 'constructor' here/],
    ['strict as a text', 'strict: "true"', /'strict' is true or false/],
    ['a list', '[]', /^treblehook\.config\.yaml:1:1: the whole is a list: write a map/],
    ['nothing', '', /write a map/],
    ['no YAML', 'a: [', /^treblehook\.config\.yaml:\d+:\d+: this is no valid YAML or JSON/],
  ])('with %s is refused with its place', async (_, text, message) => {
    expect(await refusedIn({ 'treblehook.config.yaml': text })).toMatch(message);
  });

  it('beside another one is refused, and so is a link', async () => {
    const text = await refusedIn({ 'treblehook.config.yaml': '{}', 'treblehook.config.ts': marks('config') });
    expect(text).toMatch(/^treblehook\.config\.yaml: treblehook\.config\.ts is there, too, and one is read: keep one$/);
    const { read, dir } = await place({ 'x.yaml': '{}' });
    await symlink(join(dir, 'x.yaml'), join(dir, 'treblehook.config.yaml'));
    expect((await refusal(read)).message).toMatch(/it is a link: put the file itself there/);
  });
});

describe('without consent', () => {
  const files = {
    ...installed('acme', marks('acme', pluginText('acme'))),
    'local.mjs': marks('local', pluginText('local')),
    'unlisted.mjs': marks('unlisted', pluginText('unlisted')),
    'unnamed.mjs': marks('unnamed', pluginText('unnamed')),
    'treblehook.config.yaml': configText(['acme', './local.mjs', './unlisted.mjs', 'missing'], ['acme', 'local']),
  };

  it('YAML is read and nothing is imported, and each plugin says which command grants consent', async () => {
    const { read, dir, has } = await place(files);
    const config = await read();
    expect(states(config)).toEqual([
      ['acme', 'untrusted'],
      ['local', 'untrusted'],
      ['unlisted', 'unlisted'],
      [undefined, 'broken'],
    ]);
    const [acme, local, unlisted] = config.report.plugins;
    expect(acme).toMatchObject({ listedBy: ['p'], isImported: false, fault: { code: 'TH_UNTRUSTED' } });
    expect(local!.fault!.message).toBe(
      `the plugin 'local' (${dir}/local.mjs) has no consent, and nothing of it was imported: 'treblehook trust' in ${dir} shows what would run, and grants consent`,
    );
    expect(unlisted).toMatchObject({ listedBy: [], isImported: false });
    expect(unlisted!.fault).toBeUndefined();
    for (const mark of ['node_modules/acme/ran-acme', 'ran-local', 'ran-unlisted', 'ran-unnamed'])
      expect(has(mark)).toBe(false);
  });

  it('a host stands without them, and says so', async () => {
    const { read, has } = await place(files);
    const config = await read();
    const host = await hostOf(config);
    expect(host.failed.map(({ id, error }) => [id, (error as { code?: string }).code])).toEqual([
      ['acme', 'TH_UNTRUSTED'],
      ['local', 'TH_UNTRUSTED'],
    ]);
    expect((await host.agent.run('go')).text).toBe('done');
    await host.close();
    await expect(hostOf(config, true)).rejects.toMatchObject({ code: 'TH_UNTRUSTED' });
    expect(has('ran-local')).toBe(false);
  });

  it.each(['ts', 'mts', 'js', 'mjs'])('a config in %s is refused unread', async (ending) => {
    const { read, dir, has } = await place({ [`treblehook.config.${ending}`]: marks('config', 'export default {};') });
    const { code, message } = await refusal(read);
    expect(code).toBe('TH_UNTRUSTED');
    expect(message).toContain(`treblehook.config.${ending} has no consent`);
    expect(message).toContain(`'treblehook trust' in ${dir}`);
    expect(has('ran-config')).toBe(false);
  });

  it('a model with an address is left out, since it is where prompts go', async () => {
    const { read, consent } = await place({
      'treblehook.config.yaml': 'model: openai-compatible:x@http://evil.example/v1\n',
    });
    const config = await read();
    expect(config.options.model).toBeUndefined();
    expect(config.report.notices).toMatchObject([{ code: 'TH_UNTRUSTED' }]);
    await consent();
    expect((await read()).options.model).toBe('openai-compatible:x@http://evil.example/v1');
  });
});

describe('a personality whose model has an address', () => {
  const model = 'openai-compatible:x@http://evil.example/v1';
  const other = 'openai-compatible:x@http://other.example/v1';
  const yaml = (one: string): Files => ({
    'treblehook.config.yaml': `model: offline\npersonalities: [{ id: z, model: offline }, ${one}]\npersonality: p\n`,
    'p.yaml': `id: p\nmodel: ${model}\n`,
  });
  const module = (one: string): Files => ({
    'treblehook.config.mjs': `export default { personalities: [${one}] };`,
    'p.yaml': `id: p\nmodel: ${model}\n`,
  });
  const modelIn = ({ options }: HostConfig) =>
    (options.personality as { personality: { id: string; model?: string } }).personality.model;

  it.each([
    ['in the config', yaml(`{ id: p, model: "${model}" }`)],
    ['in a file of its own', yaml('p.yaml')],
  ])('loses it without consent, %s', async (_, files) => {
    const { read, consent, dir, trust } = await place(files);
    const { items } = await consentFor(dir, { trust });
    expect(items).toMatchObject([{ state: 'untrusted', item: { kind: 'config' }, addresses: [model] }]);
    const config = await read();
    expect([modelIn(config), config.options.model]).toEqual([undefined, 'offline']);
    expect(config.options.personalities).toMatchObject([{ personality: { id: 'z', model: 'offline' } }]);
    expect(config.report.notices).toMatchObject([{ code: 'TH_UNTRUSTED' }]);
    await consent();
    const consented = await read();
    expect([modelIn(consented), consented.report.notices]).toEqual([model, []]);
  });

  it('loses it when the address in its file is another one, and only then', async () => {
    const { read, consent, dir } = await place(yaml('p.yaml'));
    await consent();
    await writeFile(join(dir, 'p.yaml'), `id: p\nsystem: other\nmodel: ${model}\n`);
    expect(modelIn(await read())).toBe(model);
    await writeFile(join(dir, 'p.yaml'), `id: p\nmodel: ${other}\n`);
    const config = await read();
    expect(modelIn(config)).toBeUndefined();
    expect(config.report.notices[0]!.message).toMatch(/consented to \(the address of a model changed\)/);
  });

  it('loses it in a file that a config module names, until that has consent, too', async () => {
    const { read, consent, dir } = await place(module("'./p.yaml'"));
    await consent();
    expect(modelIn(await read())).toBe(model);
    await writeFile(join(dir, 'p.yaml'), `id: p\nmodel: ${other}\n`);
    expect(modelIn(await read())).toBeUndefined();
    await consent();
    expect(modelIn(await read())).toBe(other);
  });

  it('keeps it when the caller brings it', async () => {
    const { read } = await place({ 'treblehook.config.yaml': 'model: offline\n' });
    expect(modelIn(await read({ personalities: [{ id: 'p', model }] }))).toBe(model);
  });
});

describe('with consent', () => {
  it('what is named and listed is imported, and stands in a host with its settings', async () => {
    const look = "api.hooks.registerVoid('agentDone', () => { globalThis.sawConfig = api.config; }, { id: 'h' });";
    const schema = "const config = { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } };";
    const { read, consent, has } = await place({
      ...installed('acme', marks('acme', `${schema} export default { id: 'acme', config, setup(api) { ${look} } };`), {
        hooks: ['agentDone'],
        config: { type: 'object', required: ['depth'] },
      }),
      'cjs.cjs': "module.exports = { id: 'cjs', setup() {} };",
      'typed.ts': "type P = { id: string };\nexport default { id: 'typed', setup(): void {} } satisfies P;",
      'unlisted.mjs': marks('unlisted', pluginText('unlisted')),
      'treblehook.config.json': configText(
        [{ use: 'acme', config: { depth: 2 } }, './cjs.cjs', './typed.ts', './unlisted.mjs'],
        ['acme', 'cjs', 'typed'],
      ),
    });
    await consent();
    const config = await read();
    expect(states(config)).toEqual([
      ['acme', 'trusted'],
      ['cjs', 'trusted'],
      ['typed', 'trusted'],
      ['unlisted', 'unlisted'],
    ]);
    const host = await hostOf(config, true);
    expect(host.plugins).toEqual(['acme', 'cjs', 'typed']);
    await host.agent.run('go');
    await host.close();
    expect((globalThis as { sawConfig?: unknown }).sawConfig).toEqual({ depth: 2 });
    expect(has('node_modules/acme/ran-acme')).toBe(true);
    expect(has('ran-unlisted')).toBe(false);
  });

  it('settings that the schema refuses are told before the import, and only then', async () => {
    const { read, consent, has } = await place({
      ...installed('acme', marks('acme', pluginText('acme')), {
        config: { properties: { apiKey: { type: 'number' } } },
      }),
      'treblehook.config.yaml': configText([{ use: 'acme', config: { apiKey: 'sk-1' } }], ['acme']),
    });
    expect(states(await read())).toEqual([['acme', 'untrusted']]);
    await consent();
    const [one] = (await read()).report.plugins;
    expect(one).toMatchObject({ state: 'broken', fault: { code: 'TH_CONFIG_INVALID' } });
    expect(one!.fault!.message).toMatch(
      /config\.yaml:6:19: 'apiKey' of the plugin 'acme' is a value that is not shown: must be number/,
    );
    expect(has('node_modules/acme/ran-acme')).toBe(false);
  });

  it.each<[string, string, string, RegExp]>([
    ['throws', 'throw new Error("boom");', 'TH_PLUGIN_INVALID', /bad\.mjs: its import failed: boom/],
    ['throws what is no error', 'throw 7;', 'TH_PLUGIN_INVALID', /bad\.mjs: its import failed: 7/],
    ['is no JavaScript', 'export default {', 'TH_PLUGIN_INVALID', /bad\.mjs: its import failed: /],
    [
      'imports what is not there',
      'import "nowhere-at-all";',
      'TH_PLUGIN_INVALID',
      /its import failed: .*nowhere-at-all/,
    ],
    ['hangs', 'await new Promise(() => {});', 'TH_PLUGIN_INVALID', /its import did not end within 200 ms/],
    [
      'has no default export',
      'export const x = 1;',
      'TH_PLUGIN_INVALID',
      /bad\.mjs: it exports undefined by default, and no plugin: export default definePlugin/,
    ],
    ['exports null', 'export default null;', 'TH_PLUGIN_INVALID', /it exports null by default/],
    ['exports a class', 'export default class A {}', 'TH_PLUGIN_INVALID', /it exports a class by default/],
    ['exports a function', 'export default () => {};', 'TH_PLUGIN_INVALID', /it exports a function by default/],
    ['exports a number', 'export default 7;', 'TH_PLUGIN_INVALID', /it exports a number by default/],
    [
      'exports a promise',
      `export default Promise.resolve({ id: 'bad', setup() {} });`,
      'TH_PLUGIN_INVALID',
      /it exports a promise by default: export default await …/,
    ],
    ['exports no plugin', 'export default {};', 'TH_PLUGIN_INVALID', /its default export has no id/],
    [
      'exports another plugin',
      pluginText('other'),
      'TH_PLUGIN_INVALID',
      /its module calls it 'other': call both alike/,
    ],
  ])('a module that %s is broken by itself, and the others load', async (_, module, code, message) => {
    const { read, consent } = await place({
      'bad.mjs': module,
      'good.mjs': pluginText('good'),
      'treblehook.config.yaml': configText(['./bad.mjs', './good.mjs'], ['bad', 'good']),
    });
    await consent();
    const config = await read({ importMs: 200 });
    expect(config.report.plugins).toMatchObject([
      { state: 'broken', isImported: true, fault: { code } },
      { state: 'trusted' },
    ]);
    expect(config.report.plugins[0]!.fault!.message).toMatch(message);
    const host = await hostOf(config);
    expect(host.plugins).toEqual(['good']);
    expect(host.failed).toMatchObject([{ id: 'bad', error: { code } }]);
    await host.close();
  });

  it('what a manifest declares and what the module has must agree', async () => {
    const points = "hooks: { aSeen: { owner: 'acme' } },";
    const module = `export default { id: 'acme', ${points} setup() {} };`;
    const { read, consent } = await place({
      ...installed('acme', module),
      'treblehook.config.yaml': configText(['acme'], ['acme']),
    });
    await consent();
    const [one] = (await read()).report.plugins;
    expect(one).toMatchObject({ state: 'broken', fault: { code: 'TH_PLUGIN_UNDECLARED' } });
    expect(one!.fault!.message).toMatch(
      /has the hook point aSeen, which its manifest does not declare: add it to treblehook\.points/,
    );
  });

  it('a manifest that is wrong breaks its plugin alone, also in a host', async () => {
    const { read } = await place({
      ...installed('acme', '', { apiVersion: 9 }),
      'treblehook.config.yaml': configText(['acme'], ['acme']),
    });
    const host = await hostOf(await read());
    expect(host.failed).toMatchObject([{ id: 'acme', error: { code: 'TH_CONFIG_INVALID' } }]);
    await host.close();
  });

  it('CommonJS that was compiled from a module has the default export that was meant', async () => {
    const { read, consent } = await place({
      'acme.cjs':
        "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { id: 'acme', setup() {} };",
      'treblehook.config.yaml': configText(['./acme.cjs'], ['acme']),
    });
    await consent();
    expect(states(await read())).toEqual([['acme', 'trusted']]);
  });

  it('a personality that the caller brings lists plugins, too', async () => {
    const { read } = await place({
      'a.mjs': pluginText('a'),
      'treblehook.config.yaml': 'plugins: [./a.mjs]\n',
    });
    expect(states(await read())).toEqual([['a', 'unlisted']]);
    const config = await read({ personalities: [{ id: 'mine', plugins: ['a'] }] });
    expect(states(config)).toEqual([['a', 'untrusted']]);
    expect(config.options.personality).toMatchObject({ personality: { id: 'mine' } });
  });
});

describe('a config that is a module', () => {
  const text = (rest = ''): string =>
    `import { acme } from './plugins/acme.js';\nimport type { X } from './no.js';\nconst depth: number = 1;\n${rest}\n` +
    "export default { plugins: [acme, { use: './named.mjs', config: { depth } }, { id: 'unlisted', setup() {} }],\n" +
    "  personalities: [{ id: 'p', plugins: ['acme', 'named'] }] };";
  const files = {
    'plugins/acme.ts': "export const acme = { id: 'acme', setup(): void {} };",
    'named.mjs': marks(
      'named',
      "const config = { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } };\nexport default { id: 'named', config, setup() {} };",
    ),
  };

  it('runs once it has consent, and the plugins that it names once they have', async () => {
    const { read, consent, has } = await place({ ...files, 'treblehook.config.ts': text() });
    await consent();
    const config = await read();
    expect(config.report.plugins.map(({ id, kind, state }) => [id, kind, state])).toEqual([
      ['acme', 'inline', 'trusted'],
      ['named', 'module', 'trusted'],
      ['unlisted', 'inline', 'unlisted'],
    ]);
    const host = await hostOf(config, true);
    expect(host.plugins).toEqual(['acme', 'named']);
    await host.close();
    expect(has('ran-named')).toBe(true);
  });

  it('is stale when a file that it imports changes', async () => {
    const { read, consent, dir } = await place({ ...files, 'treblehook.config.ts': text() });
    await consent();
    await writeFile(join(dir, 'plugins/acme.ts'), 'throw new Error("NEW")');
    const { code, message } = await refusal(read);
    expect(code).toBe('TH_STALE');
    expect(message).toContain('treblehook.config.ts is not what was consented to (plugins/acme.ts changed)');
  });

  it.each<[string, string, RegExp]>([
    ['throws', 'throw new Error("boom");', /^treblehook\.config\.mjs: its import failed: boom$/],
    ['exports nothing', 'export const x = 1;', /^treblehook\.config\.mjs: the whole is missing: write a map$/],
    [
      'exports a promise',
      'export default Promise.resolve({});',
      /^treblehook\.config\.mjs: it exports a promise by default: export default await …/,
    ],
    [
      'has an unknown key',
      'export default { plugin: [] };',
      /^treblehook\.config\.mjs at plugin: there is no 'plugin' here/,
    ],
    [
      'has a plugin that is none',
      'export default { plugins: [{ id: "A b", setup() {} }] };',
      /^treblehook\.config\.mjs at plugins\[0\]: .*is no id of a plugin/,
    ],
    ['has a number for a plugin', 'export default { plugins: [7] };', /'plugins\[0\]' is a number: write a map/],
  ])('and %s is refused with its file', async (_, module, message) => {
    const { read, dir, trust } = await place({ 'treblehook.config.mjs': module });
    const { items } = await consentFor(dir, { trust });
    await grant(
      trust,
      items.map(({ item }) => item),
      { by: 'x' },
    );
    expect((await refusal(read, dir)).text).toMatch(message);
  });
});

it('a folder that is not there is refused', async () => {
  const dir = await folderWith();
  expect((await refusal(() => readHostConfig(join(dir, 'no')))).message).toMatch(/no: it cannot be read: ENOENT/);
});

it('a folder is judged without a plugin being read that nobody has consented to', async () => {
  // the module cannot be digested: whoever tried would say so
  const { read } = await place({
    'a.mjs': "import '../outside.mjs';",
    'treblehook.config.yaml': configText(['./a.mjs'], ['a']),
  });
  expect(states(await read())).toEqual([['a', 'untrusted']]);
});
