// Owns the laws of reading and searching that go beyond the folder: patterns under a limit, globs, odd texts, digests.
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderTools, listFilesTool, readFileTool, searchFilesTool } from '../src/index.js';
import { matchesGlob } from '../src/path-glob.js';
import { patternSearch } from '../src/pattern-search.js';
import { refusal, run } from './run-tool.js';
import { folderWith } from './temp.js';

const read = async (dir: string, args: object) => (await run(readFileTool(dir), args)).output;
const list = async (dir: string, args: object) => (await run(listFilesTool(dir), args)).output;
const search = async (dir: string, args: object, signal?: AbortSignal) =>
  (await run(searchFilesTool(dir), args, signal)).output;

describe('a pattern', () => {
  it('is only one when that is said', async () => {
    const dir = await folderWith({ 'a.txt': 'a.c\nabc\r\nABC\n' });
    expect(await search(dir, { query: 'a.c' })).toBe('a.txt:1: a.c\n[1 files searched]');
    expect(await search(dir, { query: 'a.c', regex: true })).toBe(
      'a.txt:1: a.c\na.txt:2: abc\na.txt:3: ABC\n[1 files searched]',
    );
    expect(await search(dir, { query: '^a.c$', regex: true, caseSensitive: true })).toBe(
      'a.txt:1: a.c\na.txt:2: abc\n[1 files searched]',
    );
    expect(await search(dir, { query: 'ABC', caseSensitive: true })).toBe('a.txt:3: ABC\n[1 files searched]');
    expect(await search(dir, { query: 'x', regex: true })).toBe("the pattern 'x' is not found\n[1 files searched]");
  });

  it('that cannot be one is refused before the call is sealed', async () => {
    const dir = await folderWith();
    await expect(search(dir, { query: '(', regex: true })).rejects.toThrow(
      /Invalid regular expression.*leave 'regex' out/,
    );
    await expect(search(dir, { query: 'x'.repeat(1_001), regex: true })).rejects.toThrow(/at most 1000 characters/);
    await expect(search(dir, { query: '\\_', regex: true })).resolves.toContain('is not found'); // a needless escape
  });

  it('that never comes to an end is stopped, the event loop stays free, and what was found before is kept', async () => {
    const evil = `${'a'.repeat(60)}!`;
    const dir = await folderWith({ 'a.txt': 'aab\n', 'b.txt': evil });
    let ticks = 0;
    const clock = setInterval(() => ticks++, 20);
    const began = performance.now();
    const alone = await refusal(run(searchFilesTool(dir), { query: '^(a+)+$', regex: true, path: 'b.txt' }));
    expect(alone).toMatchObject({
      code: 'limit',
      message: expect.stringMatching(/stopped: it took more than 2000 ms/),
    });
    expect(await search(dir, { query: '^(a+)+$|b', regex: true })).toMatch(
      /^a\.txt:1: aab\n\[the pattern was stopped: it took more than 2000 ms.*; 2 files searched\]$/,
    );
    clearInterval(clock);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(ticks).toBeGreaterThan(20);
  });

  it('is stopped by an abort, and leaves no thread', async () => {
    const dir = await folderWith({ 'b.txt': `${'a'.repeat(60)}!` });
    const abort = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => abort.abort(reason), 100);
    await expect(search(dir, { query: '^(a+)+$', regex: true }, abort.signal)).rejects.toBe(reason);
    const threads = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const before = threads();
    await search(dir, { query: 'b', regex: true });
    await expect.poll(threads).toBeLessThanOrEqual(before);
  });

  it('gives each line once, with where in it the match begins', async () => {
    const lines = patternSearch('x', false, 1_000);
    expect(await lines.search('axb\n\nx', 10, new AbortController().signal)).toEqual([
      { line: 1, at: 1, text: 'axb' },
      { line: 3, at: 0, text: 'x' },
    ]);
    await lines.close();
  });
});

describe('a glob', () => {
  it.each([
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['.*', 'src/.env', true],
    ['*', '.env', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['**/test/**', 'a/test/b', true],
    ['**/test/**', 'a/tests/b', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['./src/a.ts', 'src/a.ts', true],
    ['(a|b)+[c]', 'x/(a|b)+[c]', true],
  ])('%s and %s: %s', (glob, path, matches) => {
    expect(matchesGlob(glob, path)).toBe(matches);
  });

  it('is never slow, whatever it is', () => {
    const began = performance.now();
    expect(matchesGlob('*a'.repeat(200), 'a'.repeat(199) + 'b')).toBe(false);
    expect(matchesGlob('**/'.repeat(150) + 'x', `${'a/'.repeat(1_000)}b`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('for any path, matches it when it is the path itself', () => {
    const step = fc.stringMatching(/^[a-c.]{1,4}$/).filter((one) => one !== '.' && one !== '..');
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 5 }), (steps) => {
        expect(matchesGlob(steps.join('/'), steps.join('/'))).toBe(true);
      }),
    );
  });

  it('limits listing and searching to what is below the folder', async () => {
    const dir = await folderWith({ 'src/a.ts': 'x', 'src/deep/b.ts': 'x', 'src/c.md': 'x', 'a.ts': 'x' });
    expect(await list(dir, { path: 'src', glob: '*.ts' })).toMatch(/^src\/a\.ts\nsrc\/deep\/b\.ts\n\[not entered/);
    expect(await list(dir, { glob: 'src/*' })).toMatch(/^src\/a\.ts\nsrc\/c\.md\nsrc\/deep\/\n/);
    expect(await list(dir, { glob: '*.py' })).toMatch(/^\(nothing matches '\*\.py'\)\n/);
    expect(await search(dir, { query: 'x', path: 'src', glob: '*.ts' })).toBe(
      'src/a.ts:1: x\nsrc/deep/b.ts:1: x\n[2 files searched]',
    );
    for (const glob of ['../*', '/etc/*', 'a/../../*', 'x'.repeat(501)]) {
      await expect(list(dir, { glob }), glob).rejects.toThrow(/glob/);
    }
  });
});

describe('a text that is odd', () => {
  it('is read without its byte order mark, in whichever line ends, and that is said', async () => {
    const dir = await folderWith({
      'mark.txt': '\uFEFFa\nb\n',
      'crlf.txt': 'a\r\nb\r\n',
      'mixed.txt': 'a\r\nb\n',
      'utf16.txt': Buffer.from('\uFEFFa', 'utf16le'),
      'few.txt': Buffer.concat([
        Buffer.from('a text of some length, '),
        Buffer.from([0xe9]),
        Buffer.from(' \uFFFD and no more'),
      ]),
    });
    expect(await read(dir, { path: 'mark.txt' })).toBe('a\nb');
    expect(await read(dir, { path: 'crlf.txt' })).toBe('a\nb\n[lines end with CRLF]');
    expect(await read(dir, { path: 'crlf.txt', offset: 2, limit: 1 })).toBe(
      'b\n[lines end with CRLF; lines 2 to 2 of 2]',
    );
    expect(await read(dir, { path: 'mixed.txt' })).toBe('a\r\nb\n[some lines end with CRLF, some with LF]');
    await expect(read(dir, { path: 'utf16.txt' })).rejects.toThrow(/4 bytes of UTF-16 text, by its first two bytes/);
    expect(await read(dir, { path: 'few.txt' })).toBe(
      'a text of some length, \uFFFD \uFFFD and no more\n[1 places are no UTF-8 and stand as U+FFFD]',
    );
  });

  it('shows no control characters where it is found', async () => {
    const dir = await folderWith({ 'a.txt': 'needle \u001b[2K\u202e hidden' });
    expect(await search(dir, { query: 'needle' })).toContain('needle \\u001b[2K\\u202e hidden');
  });

  it('has a digest when one is asked for, and none when it is not read whole', async () => {
    const dir = await folderWith({ 'a.txt': 'abc', 'empty.txt': '', 'big.txt': 'x\n'.repeat(1_100_000) });
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(await read(dir, { path: 'a.txt', digest: true })).toBe(`abc\n[sha256 ${digest('abc')}]`);
    expect(await read(dir, { path: 'empty.txt', digest: true })).toBe(`(empty file)\n[sha256 ${digest('')}]`);
    expect(await read(dir, { path: 'big.txt', digest: true })).toContain('no digest: the file is too large');
  });
});

it('a socket is refused at once, as a pipe is', async () => {
  const dir = await folderWith();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, 'sock'), resolve));
  const said = await refusal(run(readFileTool(dir), { path: 'sock' }));
  server.close();
  expect(said).toMatchObject({ code: 'kind', message: expect.stringMatching(/a pipe, a device or a socket/) });
});

it('the tools that look around say that they may run beside each other', async () => {
  const dir = await folderWith();
  expect(folderTools(dir).map(({ name, concurrency }) => [name, concurrency])).toEqual(
    ['list_files', 'read_file', 'search_files'].map((name) => [name, 'safe']),
  );
});
