// Owns the laws of write_file and edit_file: nothing outside is written, nothing is torn, nothing is lost that was not asked for.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Folder } from '../src/folder.js';
import { editFileTool, writeFileTool } from '../src/index.js';
import { putFile } from '../src/put-file.js';
import { body, refusal, run, sealed } from './run-tool.js';
import { folderWith } from './temp.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const write = async (dir: string, args: object): Promise<string> => (await run(writeFileTool(dir), args)).output;
const edit = async (dir: string, args: object): Promise<string> => (await run(editFileTool(dir), args)).output;
const text = (...steps: string[]): Promise<string> => readFile(join(...steps), 'utf8');

describe('no path leads a write out', () => {
  async function withWaysOut() {
    const base = await folderWith({ 'in/a.txt': 'mine', 'out/b.txt': 'hush' });
    const dir = join(base, 'in');
    await symlink(join(base, 'out'), join(dir, 'link-dir'));
    await symlink(join(base, 'out/b.txt'), join(dir, 'link-file'));
    await symlink(join(base, 'out/new.txt'), join(dir, 'dangling'));
    await symlink(join(base, 'out/none'), join(dir, 'dangling-dir'));
    return { base, dir };
  }
  const ways = (base: string): readonly string[] => [
    '../out/b.txt',
    'x/../../out/b.txt',
    join(base, 'out/new.txt'),
    'link-dir/b.txt',
    'link-dir/new.txt',
    'link-dir/deep/new.txt',
    'link-file',
    'dangling',
    'dangling-dir/new.txt',
    '..',
    '.',
    'link-dir',
    'new/',
    'a.txt/x',
  ];

  it('neither by the schema nor past it', async () => {
    const { base, dir } = await withWaysOut();
    for (const path of ways(base)) {
      for (const use of [run, body]) {
        const args = { path, content: 'x', create: false, folders: true };
        const { message } = await refusal(use(writeFileTool(dir), args));
        expect(message, path).not.toMatch(/^it was taken/);
        const edited = await refusal(use(editFileTool(dir), { path, oldText: 'hush', newText: 'x', all: false }));
        expect(edited.message, path).not.toMatch(/^it was taken/);
      }
    }
    expect(await readdir(join(base, 'out'))).toEqual(['b.txt']);
    expect(await text(base, 'out/b.txt')).toBe('hush');
    expect((await readdir(dir)).toSorted()).toEqual(['a.txt', 'dangling', 'dangling-dir', 'link-dir', 'link-file']);
  });

  it.each([
    ['~/.ssh/config', /'~' is not expanded/],
    ['~', /'~' is not expanded/],
    ['~root/x', /'~' is not expanded/],
    ['C:\\Windows\\x', /drive letters/],
    ['c:/x', /drive letters/],
    ['\\\\server\\share\\x', /network and device paths/],
    ['//?/C:/x', /network and device paths/],
    ['', /cannot be empty: the folder itself is '\.'/],
    ['a\0b', /NUL character/],
    ['a\ud800b', /half a character/],
    ['a'.repeat(256), /at most 4096 bytes, each of its steps 255/],
    ['a/'.repeat(2_100), /at most 4096 bytes/],
    ['ü'.repeat(128), /each of its steps 255/],
  ])('%j is refused with the mend, by schema and body alike', async (path, why) => {
    const dir = await folderWith();
    for (const use of [run, body]) {
      const made = await refusal(use(writeFileTool(dir), { path, content: 'x', create: false, folders: true }));
      expect(made.message).toMatch(why);
      if (use === body) expect(made.code).toBe('path');
    }
    expect(await readdir(dir)).toEqual([]);
  });

  it('the path that is sealed is the one that will be written, also where nothing stands yet', async () => {
    const dir = await folderWith({ 'sub/a.txt': '' });
    await symlink('sub', join(dir, 'other'));
    await symlink('sub/a.txt', join(dir, 'innocent.txt'));
    const tool = writeFileTool(dir);
    const path = async (given: string) => (await sealed(tool, { path: given, content: '' }))['path'];
    for (const [given, normal] of [
      ['other/new.txt', 'sub/new.txt'],
      ['other/x/../y/new.txt', 'sub/y/new.txt'],
      ['innocent.txt', 'sub/a.txt'],
      [join(dir, 'other/deep/er/new.txt'), 'sub/deep/er/new.txt'],
      ['./new//x.txt', 'new/x.txt'],
    ] as const) {
      expect(await path(given)).toBe(normal);
      expect(await path(normal)).toBe(normal); // checked once more, it stays
    }
    await run(tool, { path: 'other/y/new.txt', content: 'here', folders: true });
    expect(await text(dir, 'sub/y/new.txt')).toBe('here');
  });

  it('a folder that is swapped for a link between the look and the write is not gone through', async () => {
    const base = await folderWith({ 'in/d/f': 'mine', 'out/f': 'hush' });
    const folder = new Folder(join(base, 'in'));
    const [old, fresh] = [await folder.findSeat('d/f'), await folder.findSeat('d/new/g')];
    await rename(join(base, 'in/d'), join(base, 'in/was'));
    await symlink(join(base, 'out'), join(base, 'in/d'));
    const put = { bytes: Buffer.from('x'), create: false, folders: true, signal: new AbortController().signal };
    for (const seat of [old, fresh]) await expect(putFile(folder, seat, put)).rejects.toMatchObject({ code: 'moved' });
    expect(await readdir(join(base, 'out'))).toEqual(['f']);
    expect(await text(base, 'out/f')).toBe('hush');
  });

  it('a link that takes the place of the file meanwhile is not written through', async () => {
    const base = await folderWith({ 'in/f': 'mine', 'out/f': 'hush' });
    const folder = new Folder(join(base, 'in'));
    const seat = await folder.findSeat('f');
    await rename(join(base, 'in/f'), join(base, 'in/was'));
    await symlink(join(base, 'out/f'), join(base, 'in/f'));
    const put = { bytes: Buffer.from('x'), create: false, folders: false, signal: new AbortController().signal };
    await expect(putFile(folder, seat, put)).rejects.toMatchObject({ code: 'kind' });
    expect(await text(base, 'out/f')).toBe('hush');
  });

  it('a pipe and a folder are not replaced', async () => {
    const dir = await folderWith({ 'd/x': '' });
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const path of ['pipe', 'd']) {
      await expect(write(dir, { path, content: 'x' }), path).rejects.toMatchObject({ code: 'kind' });
      await expect(edit(dir, { path, oldText: 'x', newText: 'y' }), path).rejects.toMatchObject({ code: 'kind' });
    }
    expect((await stat(join(dir, 'pipe'))).isFIFO()).toBe(true);
  });
});

describe('write_file', () => {
  it('creates and replaces, keeps the mode, and says the digest', async () => {
    const dir = await folderWith({ 'run.sh': 'old' });
    await chmod(join(dir, 'run.sh'), 0o754);
    expect(await write(dir, { path: 'run.sh', content: 'new\n' })).toBe(
      `replaced run.sh: 4 bytes [sha256 ${sha256('new\n')}]`,
    );
    expect((await stat(join(dir, 'run.sh'))).mode & 0o777).toBe(0o754);
    expect(await write(dir, { path: 'ü.txt', content: 'ü' })).toMatch(/^created ü\.txt: 2 bytes/);
    expect((await stat(join(dir, 'ü.txt'))).mode & 0o777).toBe(0o666 & ~process.umask());
    expect((await readdir(dir)).toSorted()).toEqual(['run.sh', 'ü.txt']);
  });

  it('refuses to overwrite when creation was asked, also when the file comes in between', async () => {
    const dir = await folderWith({ 'a.txt': 'kept' });
    await expect(write(dir, { path: 'a.txt', content: 'x', create: true })).rejects.toMatchObject({ code: 'exists' });
    const folder = new Folder(dir);
    const seat = await folder.findSeat('b.txt');
    const put = { bytes: Buffer.from('x'), create: true, folders: false, signal: new AbortController().signal };
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => putFile(folder, seat, put)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'exists' });
    expect((await readdir(dir)).toSorted()).toEqual(['a.txt', 'b.txt']);
    expect(await text(dir, 'a.txt')).toBe('kept');
  });

  it('makes folders only when asked', async () => {
    const dir = await folderWith();
    await expect(write(dir, { path: 'a/b/c.txt', content: 'x' })).rejects.toThrow(/ask for 'folders'/);
    expect(await readdir(dir)).toEqual([]);
    await write(dir, { path: 'a/b/c.txt', content: 'x', folders: true });
    expect(await text(dir, 'a/b/c.txt')).toBe('x');
  });

  it('writes only over the file that was expected', async () => {
    const dir = await folderWith({ 'a.txt': 'one' });
    await write(dir, { path: 'a.txt', content: 'two', expect: sha256('one').toUpperCase() });
    const stale = { code: 'stale', message: expect.stringContaining(sha256('two')) };
    await expect(write(dir, { path: 'a.txt', content: 'three', expect: sha256('one') })).rejects.toMatchObject(stale);
    await expect(write(dir, { path: 'gone.txt', content: 'x', expect: sha256('') })).rejects.toThrow(/it is not there/);
    await expect(write(dir, { path: 'a.txt', content: 'x', expect: 'abc' })).rejects.toThrow(/no SHA-256/);
    expect(await text(dir, 'a.txt')).toBe('two');
  });

  it.skipIf(process.getuid?.() === 0)('replaces no read-only file', async () => {
    const dir = await folderWith({ 'a.txt': 'kept' });
    await chmod(join(dir, 'a.txt'), 0o444);
    await expect(write(dir, { path: 'a.txt', content: 'x' })).rejects.toMatchObject({ code: 'access' });
    expect(await text(dir, 'a.txt')).toBe('kept');
  });

  it('an abort before the file has its name leaves the old one and nothing beside it', async () => {
    const dir = await folderWith({ 'a.txt': 'old' });
    const reason = new Error('enough');
    const work = run(writeFileTool(dir), { path: 'a.txt', content: 'x' }, AbortSignal.abort(reason));
    await expect(work).rejects.toBe(reason);
    expect(await readdir(dir)).toEqual(['a.txt']);
    expect(await text(dir, 'a.txt')).toBe('old');
  });

  it('a fault of the disk names no path of the machine', async () => {
    const dir = await folderWith({ 'a.txt': 'a file' });
    const { message } = await refusal(run(writeFileTool(dir), { path: 'a.txt/b', content: 'x', folders: true }));
    expect(message).not.toMatch(/proc|treblehook-|tmp/);
  });

  it('half a character is refused, since UTF-8 cannot write it', async () => {
    const dir = await folderWith();
    await expect(write(dir, { path: 'a.txt', content: '\ud83d' })).rejects.toThrow(/half a character/);
  });
});

describe('edit_file', () => {
  it('replaces the one place', async () => {
    const dir = await folderWith({ 'a.ts': 'let a = 1;\nlet b = 2;\n' });
    const after = 'let a = 1;\nlet b = 3;\n';
    expect(await edit(dir, { path: 'a.ts', oldText: 'b = 2', newText: 'b = 3' })).toBe(
      `edited a.ts: 1 place [sha256 ${sha256(after)}]`,
    );
    expect(await text(dir, 'a.ts')).toBe(after);
  });

  it('a text with $ in it is no pattern', async () => {
    const dir = await folderWith({ a: 'x.y' });
    await edit(dir, { path: 'a', oldText: '.', newText: "$&$1$'" });
    expect(await text(dir, 'a')).toBe("x$&$1$'y");
  });

  it('refuses what stands there not once, and says where, unless all are asked for', async () => {
    const dir = await folderWith({ a: 'one\ntwo one\nthree\n  one more' });
    const more = await refusal(edit(dir, { path: 'a', oldText: 'one', newText: '1' }));
    expect(more).toMatchObject({ code: 'match', message: expect.stringMatching(/3 times in 'a', at lines 1, 2, 4: /) });
    await expect(edit(dir, { path: 'a', oldText: 'four', newText: '4' })).rejects.toThrow(
      /does not stand in 'a': read/,
    );
    await expect(edit(dir, { path: 'a', oldText: 'two  one', newText: '4' })).rejects.toThrow(/other white space/);
    await expect(edit(dir, { path: 'a', oldText: 'two', newText: 'two' })).rejects.toThrow(/nothing would change/);
    expect(await edit(dir, { path: 'a', oldText: 'one', newText: '1', all: true })).toMatch(/^edited a: 3 places/);
    expect(await text(dir, 'a')).toBe('1\ntwo 1\nthree\n  1 more');
  });

  it('places with line breaks in them are told by the line where each begins', async () => {
    const dir = await folderWith({ a: 'x\ny\nx\ny\nz\nx\ny\n' });
    await expect(edit(dir, { path: 'a', oldText: 'x\ny\n', newText: '' })).rejects.toThrow(/at lines 1, 3, 6:/);
  });

  it.each([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb', 'a\r\nx\r\nb\r\nc\r\n'],
    ['CRLF, so written', 'a\r\nb\r\n', 'a\r\nb', 'c\r\nd', 'c\r\nd\r\n'],
    ['LF', 'a\nb\n', 'a\r\nb', 'a\r\nx', 'a\nx\n'],
    ['mixed ends as they are', 'a\r\nb\nc', 'b\nc', 'x\ny', 'a\r\nx\ny'],
    ['a byte order mark', '\uFEFFa\n', 'a', 'b', '\uFEFFb\n'],
    ['no line break at the end', 'a\nb', 'b', 'c', 'a\nc'],
  ])('keeps %s', async (_, before, oldText, newText, after) => {
    const dir = await folderWith({ a: before });
    await edit(dir, { path: 'a', oldText, newText });
    expect(await text(dir, 'a')).toBe(after);
  });

  it('refuses what it could not write back as it was', async () => {
    const latin = Buffer.from(`${'plain text '.repeat(20)}é`, 'latin1');
    const dir = await folderWith({
      'b.bin': new Uint8Array([1, 0, 2]),
      'l.txt': latin,
      'big.txt': 'x'.repeat(2_000_001),
    });
    for (const [path, code] of [
      ['b.bin', 'binary'],
      ['l.txt', 'binary'],
      ['big.txt', 'limit'],
      ['gone', 'missing'],
    ] as const) {
      await expect(edit(dir, { path, oldText: 'x', newText: 'y' }), path).rejects.toMatchObject({ code });
    }
    expect(await readFile(join(dir, 'l.txt'))).toEqual(latin);
  });

  it('refuses a file that is another than expected, or that was changed between its reading and its writing', async () => {
    const dir = await folderWith({ a: 'one' });
    await expect(edit(dir, { path: 'a', oldText: 'one', newText: '1', expect: sha256('two') })).rejects.toMatchObject({
      code: 'stale',
    });
    await edit(dir, { path: 'a', oldText: 'one', newText: 'two', expect: sha256('one') });
    const folder = new Folder(dir);
    const seat = await folder.findSeat('a');
    const seen = await stat(join(dir, 'a'));
    await writeFile(join(dir, 'a'), 'by another');
    const put = { bytes: Buffer.from('x'), create: false, folders: false, expect: seen };
    const { signal } = new AbortController();
    await expect(putFile(folder, seat, { ...put, signal })).rejects.toMatchObject({ code: 'stale' });
    expect(await text(dir, 'a')).toBe('by another');
    expect(await readdir(dir)).toEqual(['a']);
  });

  it('goes through a link inside the folder to the file, and leaves the link', async () => {
    const dir = await folderWith({ 'd/a': 'one' });
    await symlink('d/a', join(dir, 'link'));
    await mkdir(join(dir, 'e'));
    await edit(dir, { path: 'link', oldText: 'one', newText: 'two' });
    expect(await text(dir, 'd/a')).toBe('two');
    expect(await text(dir, 'link')).toBe('two');
  });
});
