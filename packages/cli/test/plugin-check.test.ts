// Owns the laws of `plugin check`: what a package says of itself holds, and its code runs in a process of its own, when
// somebody has said so.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandWith } from './command.js';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'plugin-check-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const good = {
  'package.json': JSON.stringify({
    name: 'notes',
    version: '1.0.0',
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    treblehook: { plugin: './index.js', id: 'notes', apiVersion: 1, hooks: ['toolEnd'], tools: [] },
  }),
  'index.d.ts': 'export {};\n',
  'README.md': '# notes\n\n## What it may change\n\nNothing.\n',
  'index.js': `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./ran', import.meta.url), '');
export default { id: 'notes', setup(api) { api.hooks.registerVoid('toolEnd', () => {}, { id: 'note' }); } };
`,
};
function packed(files: Readonly<Record<string, string>> = {}): void {
  for (const [path, text] of Object.entries({ ...good, ...files })) {
    mkdirSync(dirname(join(dir, 'notes', path)), { recursive: true });
    writeFileSync(join(dir, 'notes', path), text);
  }
}
const env = { PATH: process.env['PATH'], TREBLEHOOK_TRUST: '/nowhere/trust.json' };
async function checked(path: string, ...flags: string[]) {
  const { code, stdout, stderr } = await commandWith({ cwd: dir, env }, 'plugin', 'check', path, '--json', ...flags);
  const document = JSON.parse(stdout) as {
    checks?: { id: string; ok: boolean; fault?: string; note?: string }[];
    error?: { message: string };
  };
  const faults = Object.fromEntries(
    (document.checks ?? []).filter(({ ok }) => !ok).map(({ id, fault }) => [id, fault]),
  );
  return { code, stderr, faults, checks: document.checks ?? [], error: document.error?.message };
}

describe('without its code', () => {
  it('nothing is imported, and it ends with 4 when all else holds', async () => {
    packed();
    const { code, faults, stderr } = await checked('notes');
    expect([code, faults, existsSync(join(dir, 'notes', 'ran'))]).toEqual([4, {}, false]);
    expect(stderr).toMatch(/with your rights[^]*--yes/);
  });

  it.each([
    ['manifest', { 'package.json': good['package.json'].replace('toolEnd', 'toolEmd') }, /did you mean 'toolEnd'/],
    [
      'entries',
      { 'package.json': good['package.json'].replace('"default":"./index.js"', '"default":"./gone.js"') },
      /no file '\.\/gone\.js'/,
    ],
    ['types', { 'package.json': good['package.json'].replace('./index.d.ts', './gone.d.ts') }, /gone\.d\.ts/],
    [
      'imports',
      { 'index.js': `import { createHost } from '@treblehook/host';\nexport default {};` },
      /index\.js imports @treblehook\/host/,
    ],
    ['readme', { 'README.md': '# notes\n' }, /no such heading/],
  ])('%s is looked at', async (id, files, words) => {
    packed(files);
    const { code, faults } = await checked('notes');
    expect([code, faults[id]]).toEqual([1, expect.stringMatching(words)]);
  });

  it('what else it imports is told, and is no fault', async () => {
    packed({ 'index.js': `import ms from 'ms';\nimport { readFile } from 'fs/promises';\nexport default {};` });
    const { checks } = await checked('notes');
    expect(checks.find(({ id }) => id === 'imports')).toMatchObject({
      ok: true,
      note: expect.stringContaining('imports ms,') as string,
    });
  });
});

describe('with its code', () => {
  it('a plugin that is right passes', async () => {
    packed();
    const { code, faults, checks } = await checked('notes', '--yes');
    expect([code, faults]).toEqual([0, {}]);
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['loads', 'declares', 'runs', 'leaves', 'beside']),
    );
  }, 60_000);

  it('what it leaves behind is named by its kind and its place', async () => {
    const setup = `setInterval(() => {}, 1000);\nprocess.on('SIGUSR2', () => {});\napi.hooks.registerVoid('toolEnd', () => {}, { id: 'note' });`;
    packed({ 'index.js': `export default { id: 'notes', setup(api) {\n${setup}\n} };` });
    const { code, faults } = await checked('notes', '--yes');
    expect([code, faults['leaves']]).toEqual([
      1,
      expect.stringMatching(/1 timer \(made at .*index\.js[^)]*\).*SIGUSR2/),
    ]);
  }, 60_000);

  it.each([
    ['loads', `throw new Error('not today');`, /not today/],
    ['declares', `export default { id: 'notes', setup() {} };`, /toolEnd/],
    ['loads', `process.exit(7);`, /ended with 7/],
  ])(
    '%s is tried',
    async (id, text, words) => {
      packed({ 'index.js': text });
      const { code, faults } = await checked('notes', '--yes');
      expect([code, faults[id]]).toEqual([1, expect.stringMatching(words)]);
    },
    60_000,
  );
});

describe('a tarball', () => {
  const pack = (...args: string[]): void => void execFileSync('tar', ['-czf', 'n.tgz', ...args], { cwd: dir });

  it('is unpacked, and what its path or its links would reach is refused', async () => {
    packed();
    pack('notes');
    expect((await checked('n.tgz')).code).toBe(4);
    symlinkSync('/etc/passwd', join(dir, 'notes', 'link'));
    pack('notes');
    expect(await checked('n.tgz')).toMatchObject({ code: 2, error: expect.stringContaining('a link') as string });
    rmSync(join(dir, 'notes', 'link'));
    pack('--transform=s,notes/README.md,notes/../../README.md,', '-P', 'notes');
    expect(await checked('n.tgz')).toMatchObject({
      code: 2,
      error: expect.stringContaining('leaves its folder') as string,
    });
  });
});
