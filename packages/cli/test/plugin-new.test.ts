// Owns the laws of `plugin new`: it writes a whole package into a folder of its own, and over nothing.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPluginId } from '@treblehook/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../src/version.js';
import { commandIn } from './command.js';

let cwd: string;
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), 'treblehook-new-'))));
afterEach(() => rmSync(cwd, { recursive: true }));
const command = (...argv: string[]) => commandIn(cwd, 'plugin', 'new', ...argv);
const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(cwd, ...path), 'utf8'));

describe('a new package', () => {
  it('is written whole, and what is to be done with it is said', async () => {
    const { code, stdout, stderr } = await command('acme-notes');
    expect([code, stderr]).toEqual([0, '']);
    const files = readdirSync(join(cwd, 'acme-notes'), { recursive: true, withFileTypes: true });
    expect(
      files
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([
      '.gitignore',
      'README.md',
      'index.ts',
      'package.json',
      'plugin.test.ts',
      'tsconfig.build.json',
      'tsconfig.json',
    ]);
    expect(stdout).toContain(`${join('acme-notes', 'src', 'index.ts')}\n`);
    expect(stdout).toMatch(/ {2}cd acme-notes\n {2}npm install\n {2}npm test\n$/);
    expect(json('acme-notes', 'package.json')).toMatchObject({
      name: 'acme-notes',
      treblehook: {
        plugin: './dist/index.js',
        id: 'acme-notes',
        apiVersion: 1,
        hooks: ['beforePromptBuild', 'toolEnd'],
        tools: ['acme_notes_count'],
      },
      dependencies: { '@treblehook/types': `^${await version()}` },
    });
  });

  it('goes where it is told, under an id without scope and prefix', async () => {
    mkdirSync(join(cwd, 'plugins', 'notes'), { recursive: true });
    const { code, stdout } = await command('@acme/treblehook-plugin-notes', '--dir', 'plugins/notes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: '@acme/treblehook-plugin-notes',
      id: 'notes',
      dir: join(cwd, 'plugins', 'notes'),
      files: expect.arrayContaining(['src/index.ts', 'test/plugin.test.ts']) as unknown,
    });
    expect(json('plugins', 'notes', 'package.json')).toMatchObject({ name: '@acme/treblehook-plugin-notes' });
  });
});

describe('refused, with nothing written, is', () => {
  it.each([
    ['Notes', "'Notes': no name of an npm package: try treblehook plugin new notes"],
    ['../notes', "'../notes': no name of an npm package: try treblehook plugin new notes"],
    ['my notes!', "'my notes!': no name of an npm package: try treblehook plugin new my-notes"],
    ['7notes', /its id would be '7notes', which no plugin may have .*: try treblehook plugin new notes/],
    ['host', /its id would be 'host', which no plugin may have .*: try treblehook plugin new acme-notes/],
    ['redact', "'redact': its id 'redact' is a seat of the house order: try treblehook plugin new my-redact"],
    ['@acme/treblehook-', /its id would be '', .*: try treblehook plugin new acme-notes/],
  ])('the name %s', async (name, line) => {
    const { code, stdout, stderr } = await command(name);
    expect([code, stdout]).toEqual([2, '']);
    if (typeof line === 'string') expect(stderr).toBe(`treblehook: ${line}\n`);
    else expect(stderr).toMatch(line);
    const [, mend] = /plugin new (\S+)\n$/.exec(stderr)!;
    expect(isPluginId(mend!)).toBe(true);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('a folder that is not empty, and one that is a file', async () => {
    mkdirSync(join(cwd, 'notes'));
    writeFileSync(join(cwd, 'notes', 'mine.txt'), 'mine');
    expect((await command('notes')).stderr).toMatch(/'notes' is not empty: give another name, or --dir/);
    expect(readdirSync(join(cwd, 'notes'))).toEqual(['mine.txt']);
    expect(await command('other', '--dir', 'notes/mine.txt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a file') as string,
    });
    expect(existsSync(join(cwd, 'other'))).toBe(false);
  });
});

it('the help teaches: what is written, where, what to do next', async () => {
  const { code, stdout } = await command('--help');
  expect(code).toBe(0);
  for (const words of ['test/plugin.test.ts', 'pluginLaws', 'npm run build', '--dir', 'EXIT CODES'])
    expect(stdout).toContain(words);
});
