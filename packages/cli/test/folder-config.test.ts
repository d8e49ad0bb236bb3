// Owns the laws of the config of a folder on the command line: nothing without consent is imported, and nothing that a run
// had is left out when it goes on.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandWith, type Commanded } from './command.js';

let dir: string;
let trust: string;
const at = (...names: readonly string[]): string => join(dir, ...names);
const write = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const command = (...argv: readonly string[]): Promise<Commanded> =>
  commandWith({ cwd: dir, env: { TREBLEHOOK_TRUST: trust, USER: 'me' } }, ...argv);
const answer = async (...argv: readonly string[]): Promise<any> =>
  JSON.parse((await command(...argv, '--json')).stdout);

/** Leaves a mark when it is imported; denies `list_files`, and has a tool. */
const module = (id: string, extra = ''): string => `
import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./ran', import.meta.url), '');
${extra}
export default { id: '${id}', setup(api) {
  api.hooks.registerClaiming('toolPolicy', (call) => (call.tool.name === 'list_files' ? { deny: 'not here' } : undefined), { id: 'guard' });
} };
`;
const manifest = (id: string, more: object = {}): string =>
  JSON.stringify({
    name: id,
    version: '1.2.3',
    type: 'module',
    treblehook: { plugin: './index.js', id, apiVersion: 1, hooks: ['toolPolicy'], tools: [], ...more },
  });
const config = (more: object = {}): string =>
  JSON.stringify({
    plugins: ['./strict', './idle'],
    personalities: [{ id: 'p', plugins: ['strict'] }],
    ...more,
  });

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'folder-config-')));
  trust = join(realpathSync(mkdtempSync(join(tmpdir(), 'trust-'))), 'trust.json');
  write('strict/package.json', manifest('strict'));
  write('strict/index.js', module('strict'));
  write('idle/package.json', manifest('idle'));
  write('idle/index.js', module('idle'));
  write('treblehook.config.json', config());
});
afterEach(() => {
  for (const folder of [dir, dirname(trust)]) rmSync(folder, { recursive: true, force: true });
});
const hasRun = (id: string): boolean => existsSync(at(id, 'ran'));

describe('without consent', () => {
  it('a run ends with 2 and says what grants it, and so does a plan', async () => {
    for (const words of [['run', 'hello', '--no-store'], ['plan']]) {
      const { code, stdout, stderr } = await command(...words);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/'strict'.*treblehook trust/)]);
    }
    expect(hasRun('strict')).toBe(false);
  });

  it('nothing is imported by trust, plugin list, why and the listing of consents', async () => {
    for (const words of [
      ['trust'],
      ['trust', 'list'],
      ['plugin', 'list'],
      ['why', 'strict'],
      ['why', 'read_file'],
      ['why', 'toolPolicy'],
    ]) {
      const { code, stdout } = await command(...words);
      expect([words, code]).toEqual([words, words[0] === 'trust' && words.length === 1 ? 4 : 0]);
      expect(stdout).not.toBe('');
    }
    expect([hasRun('strict'), hasRun('idle')]).toEqual([false, false]);
  });

  it('the flag that leaves the config leaves its plugins', async () => {
    const { code, stderr } = await command('run', 'hello', '--no-store', '--no-config');
    expect([code, stderr, hasRun('strict')]).toEqual([0, '', false]);
  });

  it('a config that is a module ends with 2, unread', async () => {
    rmSync(at('treblehook.config.json'));
    write(
      'treblehook.config.mjs',
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(at('read'))}, ''); export default {};`,
    );
    for (const words of [['run', 'hello', '--no-store'], ['plan'], ['plugin', 'list']]) {
      const { code, stderr } = await command(...words);
      expect([words, code, stderr]).toEqual([words, 2, expect.stringContaining('treblehook trust')]);
    }
    expect(existsSync(at('read'))).toBe(false);
    expect((await command('trust', '--yes')).code).toBe(0);
    expect((await command('run', 'hello', '--no-store')).code).toBe(0);
  });
});

describe('an address of a model that the folder chose', () => {
  const model = 'openai-compatible:x@http://127.0.0.1:9/v1';
  it.each<[string, string | object]>([
    ['in the config', { id: 'p', model }],
    ['in the file of a personality', 'p.json'],
  ])('gets no prompt without consent: %s', async (_, personality) => {
    write('p.json', JSON.stringify({ id: 'p', model }));
    write('treblehook.config.json', config({ personalities: [personality] }));
    const { code, stdout, stderr } = await command('run', 'hello', '--no-store');
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/config\.json has no consent.*treblehook trust/),
    ]);
    expect((await command('run', 'hello', '--no-store', '--model=offline')).code).toBe(0);
    const shown = await command('trust', '--yes');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`prompts and keys go to: ${model}`)]);
    expect((await command('run', 'hello', '--no-store')).stderr).not.toContain('no consent');
  });
});

it.each<[string, () => void]>([
  [
    'named twice',
    () => {
      write('x/package.json', manifest('strict').replace('1.2.3', '1.2.4'));
      write('x/index.js', module('strict'));
      write('treblehook.config.json', config({ plugins: ['./strict', './x'] }));
    },
  ],
  ['without its manifest', () => write('strict/package.json', '{}')],
  ['that is gone', () => rmSync(at('strict'), { recursive: true })],
])('a run does not go on without a plugin of its personality %s', async (_, change) => {
  await command('trust', '--yes');
  change();
  for (const words of [['run', 'Use list_files {"path":"."}', '--no-store'], ['plan']]) {
    const { code, stdout, stderr } = await command(...words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('strict')]);
  }
});

it.each(["throw new Error('no luck')", "throw 'no luck'", 'api.nothing()'])(
  'a run does not go on without a plugin whose setup fails: %s',
  async (body) => {
    write('strict/index.js', `export default { id: 'strict', setup(api) { ${body} } };`);
    await command('trust', '--yes');
    const { code, stdout, stderr } = await command('run', 'Use list_files {"path":"."}', '--no-store');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/'strict'.*(no luck|is not a function)/)]);
  },
);

describe('trust', () => {
  it('shows what would run: place, files, what is declared; and grants it for scripts alone by --yes', async () => {
    const shown = await command('trust');
    expect(shown.code).toBe(4);
    expect(shown.stdout).toMatch(
      /the plugin strict: untrusted[^]*hooks: toolPolicy \(claiming\)[^]*[0-9a-f]{12} {2}index\.js/,
    );
    expect(shown.stdout).toContain('no personality lists it: idle');
    expect(shown.stderr).toContain('--yes');
    expect((await command('trust', '--yes')).code).toBe(0);
    expect(hasRun('strict')).toBe(false);
    const ran = await command('run', 'Use list_files {"path":"."}', '--no-store');
    expect([ran.code, hasRun('strict'), hasRun('idle')]).toEqual([0, true, false]);
    expect(ran.stderr).toContain('not here');
  });

  it('is stale when a file changed, which is told, and is taken back', async () => {
    await command('trust', '--yes');
    write('strict/index.js', `${module('strict')}// more`);
    const stale = await answer('trust');
    expect(stale).toMatchObject({
      items: [{ state: 'stale', changed: expect.stringContaining('index.js') as string }],
    });
    expect((await command('run', 'hello', '--no-store')).code).toBe(2);
    expect(await answer('trust', 'list')).toMatchObject({ records: [{ id: 'strict', by: 'me', folder: dir }] });
    expect((await command('trust', 'revoke', 'strcit')).stderr).toContain("did you mean 'strict'");
    expect((await command('trust', 'revoke', 'strict')).code).toBe(0);
    expect((await answer('trust', 'list')).records).toEqual([]);
  });

  it('is kept in no file of the folder: a path that depends on it is refused', async () => {
    const { code, stderr } = await commandWith({ cwd: dir, env: { TREBLEHOOK_TRUST: 'trust.json' } }, 'trust');
    expect([code, stderr]).toEqual([2, expect.stringContaining('the whole path')]);
  });

  it('names with control characters steer no terminal', async () => {
    write('strict/package.json', manifest('strict', { tools: ['\u001B]0;owned\u0007', 'a\u202Eb'] }));
    for (const words of [['trust'], ['plugin', 'list'], ['why', 'strict']]) {
      const { stdout, stderr } = await command(...words);
      // oxlint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\u001B\u0007\u202E]/);
    }
  });
});

it('plugin list says where each stands', async () => {
  expect(await answer('plugin', 'list')).toMatchObject({
    plugins: [
      { id: 'strict', version: '1.2.3', state: 'untrusted', listedBy: ['p'], isImported: false },
      { id: 'idle', state: 'unlisted', listedBy: [], isImported: false },
    ],
  });
  expect((await command('plugin', 'list')).stdout).toContain('not imported: no personality lists it');
});

describe('why', () => {
  it('shows of a plugin its state, its seats and what it did in the last run', async () => {
    expect((await command('why', 'strict')).stdout).toMatch(/untrusted[^]*last run: none is kept/);
    await command('trust', '--yes');
    await command('run', 'Use list_files {"path":"."}');
    const { stdout } = await command('why', 'strict');
    expect(stdout).toMatch(/plugin strict 1\.2\.3: trusted, set up/);
    expect(stdout).toMatch(/toolPolicy \(claiming\): strict\S* is \d of \d/);
    expect(stdout).toMatch(/said deny of list_files/);
  });

  it('shows of a tool and of a hook point who has a say, and the nearest name of what is not there', async () => {
    await command('trust', '--yes');
    const [tool] = (await answer('why', 'write_file')).is;
    expect(tool).toMatchObject({ kind: 'tool', source: 'host', offeredBy: ['p'] });
    expect(tool.guards).toContainEqual(expect.stringContaining('strict'));
    expect(tool.policy).toContainEqual({ layer: 'default', namedBy: 'changes' });
    expect((await answer('why', 'toolPolicy')).is).toMatchObject([{ kind: 'hook', silenced: { p: [] } }]);
    const { code, stderr } = await command('why', 'strickt');
    expect([code, stderr]).toEqual([2, expect.stringContaining("did you mean 'strict'")]);
  });
});

describe('a run that is resumed', () => {
  const begin = async (): Promise<string> => {
    await command('trust', '--yes');
    const { stderr } = await command(
      'run',
      'Use write_file {"path":"n.txt","content":"x"}',
      '--session=s',
      '--tools=all',
    );
    return /--yes (request_[\w-]+)/.exec(stderr)![1]!;
  };
  const resume = (request: string): Promise<Commanded> => command('session', 'resume', 's', '--yes', request);

  it('goes on with the plugins that it had', async () => {
    expect((await resume(await begin())).code).toBe(0);
    expect(existsSync(at('n.txt'))).toBe(true);
  });

  it.each([
    ['consent that was taken back', async () => void (await command('trust', 'revoke')), /'strict'.*treblehook trust/],
    ['bytes that changed', async () => write('strict/index.js', `${module('strict')}//`), /'strict'.*treblehook trust/],
    [
      'a config that is gone',
      async () => rmSync(at('treblehook.config.json')),
      /config of the folder of the run.*not there/,
    ],
    [
      'a plugin that is not listed any more',
      async () => write('treblehook.config.json', config({ personalities: [{ id: 'p' }] })),
      /plugin 'strict' of the run/,
    ],
  ])('is refused with %s', async (_, change, words) => {
    const request = await begin();
    await change();
    const { code, stderr } = await resume(request);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(existsSync(at('n.txt'))).toBe(false);
  });

  it('takes no config that has come since', async () => {
    rmSync(at('treblehook.config.json'));
    const request = await begin();
    write('treblehook.config.json', config({ personalities: [{ id: 'p' }], policy: 'absent.yaml' }));
    expect((await resume(request)).code).toBe(0);
  });
});

it('the policy of the config tightens, and there is one policy of a folder', async () => {
  write('treblehook.config.json', config({ personalities: [{ id: 'p' }], policy: './p.yaml' }));
  write('p.yaml', 'rules: [{ tools: list_files, decision: deny, reason: by the config }]\n');
  const { stderr } = await command('run', 'Use list_files {"path":"."}', '--no-store');
  expect(stderr).toContain('by the config');
  write('.treblehook/policy.yaml', 'rules: []\n');
  const both = await command('run', 'hello', '--no-store');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('both the policy of the folder')]);
});

it('policy explain knows the policy that the config names, and imports nothing for it', async () => {
  write('treblehook.config.json', config({ policy: './p.yaml' }));
  write('p.yaml', 'rules: [{ tools: read_file, decision: deny, reason: by the config }]\n');
  await command('trust', '--yes');
  const { code, stdout } = await command('policy', 'explain', 'read_file', '{"path":"a"}');
  expect([code, stdout, hasRun('strict')]).toEqual([0, expect.stringContaining('by the config'), false]);
});
