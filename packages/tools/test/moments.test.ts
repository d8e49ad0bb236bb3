// Owns the laws of each moment of a read and of a write: what another does between two steps of it changes nothing else.
import { execFileSync } from 'node:child_process';
import { chmod, link, readdir, readFile, rename, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Folder } from '../src/folder.js';
import { writeFileTool } from '../src/index.js';
import { putFile, type Put } from '../src/put-file.js';
import { after, moments, type Step } from './moments.js';
import { run } from './run-tool.js';
import { folderWith } from './temp.js';

vi.mock(import('node:fs/promises'), async (original) => (await import('./moments.js')).stepping(await original()));

beforeEach(() => {
  moments.at.clear();
  moments.links = true;
});

const text = (...steps: string[]): Promise<string> => readFile(join(...steps), 'utf8');
const modeOf = async (...steps: string[]): Promise<number> => (await stat(join(...steps))).mode & 0o7777;
const put = (more: Partial<Put> = {}): Put => ({
  bytes: Buffer.from('new'),
  create: false,
  folders: false,
  signal: new AbortController().signal,
  ...more,
});

describe('a file that is read', () => {
  it('is not the one that a link leads to which takes its place meanwhile, inside of the folder neither', async () => {
    const base = await folderWith({ 'in/a': 'mine', 'in/keys': 'hush', 'out/keys': 'hush' });
    for (const target of ['in/keys', 'out/keys']) {
      await writeFile(join(base, 'in/a'), 'mine');
      const folder = new Folder(join(base, 'in'));
      const found = await folder.find('a');
      after('looked', async (path) => {
        await unlink(path);
        await symlink(join(base, target), path);
      });
      await expect(folder.open(found), target).rejects.toMatchObject({ code: 'missing' });
      expect(moments.done).toEqual(['looked']); // nothing was opened
      await unlink(join(base, 'in/a'));
    }
  });

  it('is not waited for when it is a pipe by now', async () => {
    const dir = await folderWith({ a: 'mine' });
    const folder = new Folder(dir);
    const found = await folder.find('a');
    after('looked', async (path) => {
      await unlink(path);
      execFileSync('mkfifo', [path]);
    });
    await expect(folder.open(found)).rejects.toMatchObject({ code: 'kind' });
    expect(moments.done.at(-1)).toBe('closed');
  });

  it.runIf(process.platform === 'linux')(
    'is refused, and closed, when it stands outside of the folder as soon as it is open',
    async () => {
      const base = await folderWith({ 'in/a': 'mine', 'out/b': '' });
      const folder = new Folder(join(base, 'in'));
      const found = await folder.find('a');
      after('opened', (path) => rename(path, join(base, 'out/a')));
      await expect(folder.open(found)).rejects.toMatchObject({ code: 'moved' });
      expect(moments.done.at(-1)).toBe('closed');
    },
  );
});

describe('a file that is written', () => {
  it.each([
    [false, ['opened', 'written', 'synced', 'closed', 'renamed', 'folder synced']],
    [true, ['opened', 'written', 'synced', 'closed', 'linked', 'folder synced']],
  ])('is on the disk before it has its name, and then its name is (create: %s)', async (create, steps) => {
    const dir = await folderWith({ a: 'old' });
    const folder = new Folder(dir);
    const seat = await folder.findSeat(create ? 'b' : 'a');
    after(undefined);
    await putFile(folder, seat, put({ create }));
    expect(moments.done).toEqual(steps);
    expect(await text(dir, create ? 'b' : 'a')).toBe('new');
    expect(await readdir(dir)).toEqual(create ? ['a', 'b'] : ['a']);
  });

  it.each([0o640, 0o644, 0o755, 0o600, 0o4755])('keeps the mode %o, and nobody else reads it before', async (mode) => {
    const dir = await folderWith({ a: 'old' });
    await chmod(join(dir, 'a'), mode);
    const folder = new Folder(dir);
    const seat = await folder.findSeat('a');
    const seen: unknown[] = [];
    after('opened', async (path) => seen.push(basename(path), await modeOf(path)));
    await putFile(folder, seat, put());
    expect(seen).toEqual([expect.stringMatching(/^\.treblehook-[0-9a-f]{16}\.tmp$/), 0o600]);
    expect(await modeOf(dir, 'a')).toBe(mode & 0o777);
  });

  it.each<[Step, readonly Step[]]>([
    ['opened', ['opened', 'closed']],
    ['written', ['opened', 'written', 'synced', 'closed']],
    ['synced', ['opened', 'written', 'synced', 'closed']],
  ])('stays the old one when an abort comes as soon as it is %s: %j', async (step, steps) => {
    const dir = await folderWith({ a: 'old' });
    const folder = new Folder(dir);
    const reason = new Error('enough');
    for (const name of ['a', 'b']) {
      const seat = await folder.findSeat(name);
      const controller = new AbortController();
      after(step, () => controller.abort(reason));
      const work = putFile(folder, seat, put({ create: name === 'b', signal: controller.signal }));
      await expect(work).rejects.toBe(reason);
      expect(moments.done).toEqual(steps);
      expect(await readdir(dir)).toEqual(['a']);
      expect(await text(dir, 'a')).toBe('old');
    }
  });

  it('is the new one when the abort comes behind', async () => {
    const dir = await folderWith({ a: 'old' });
    const folder = new Folder(dir);
    const controller = new AbortController();
    const seat = await folder.findSeat('a');
    after('renamed', () => controller.abort(new Error('enough')));
    await putFile(folder, seat, put({ signal: controller.signal }));
    expect(await text(dir, 'a')).toBe('new');
  });

  it.each<Step>(['opened', 'written', 'synced'])(
    'is not written through a link that stands there as soon as it is %s',
    async (step) => {
      const base = await folderWith({ 'in/a': 'old', 'out/a': 'hush' });
      const folder = new Folder(join(base, 'in'));
      const seat = await folder.findSeat('a');
      after(step, async () => {
        await rename(join(base, 'in/a'), join(base, 'in/was'));
        await symlink(join(base, 'out/a'), join(base, 'in/a'));
      });
      await expect(putFile(folder, seat, put())).rejects.toMatchObject({ code: 'kind' });
      expect(await text(base, 'out/a')).toBe('hush');
      expect(await readdir(join(base, 'in'))).toEqual(['a', 'was']);
    },
  );

  const past = new Date(1_000_000_000_000);
  const rewritten = async (path: string, content: string): Promise<void> => {
    await writeFile(path, content);
    await utimes(path, past, past);
  };
  it.each<[string, (path: string) => unknown]>([
    ['is longer, with the same time', (path) => rewritten(path, 'by another')],
    ['has another time, and the same length', (path) => writeFile(path, 'OLD')],
    [
      'is another file, with the same time and length',
      async (path) => {
        await rewritten(`${path}2`, 'OLD');
        await rename(`${path}2`, path);
      },
    ],
    ['is gone', (path) => unlink(path)],
  ])('is refused when the one that was read %s by now', async (_, meanwhile) => {
    const dir = await folderWith({ a: 'old' });
    const folder = new Folder(dir);
    const seat = await folder.findSeat('a');
    await utimes(join(dir, 'a'), past, past);
    const expected = await stat(join(dir, 'a'));
    const left: string[][] = [];
    after('synced', async () => {
      await meanwhile(join(dir, 'a'));
      left.push(await readdir(dir));
    });
    await expect(putFile(folder, seat, put({ expect: expected }))).rejects.toMatchObject({ code: 'stale' });
    expect(await readdir(dir)).toEqual(left[0]!.filter((name) => !name.startsWith('.treblehook-')));
  });
});

describe('a file that is to be new', () => {
  it('is not begun where one is there', async () => {
    const dir = await folderWith({ a: 'old' });
    const folder = new Folder(dir);
    const seat = await folder.findSeat('a');
    after(undefined);
    await expect(putFile(folder, seat, put({ create: true }))).rejects.toMatchObject({ code: 'exists' });
    expect(moments.done).toEqual([]);
    await expect(run(writeFileTool(dir), { path: 'a', content: 'new', create: true })).rejects.toMatchObject({
      code: 'exists',
      message: "'a' is there already: leave out 'create' to replace it, or edit it",
    });
    expect(await text(dir, 'a')).toBe('old');
  });

  it.each([
    ['a disk that has links', true],
    ['a disk that has none', false],
  ])('takes no name that another has taken meanwhile, on %s', async (_, links) => {
    const dir = await folderWith();
    moments.links = links;
    const folder = new Folder(dir);
    const seat = await folder.findSeat('b');
    after('synced', () => writeFile(join(dir, 'b'), 'by another'));
    await expect(putFile(folder, seat, put({ create: true }))).rejects.toMatchObject({ code: 'exists' });
    expect(await text(dir, 'b')).toBe('by another');
    expect(await readdir(dir)).toEqual(['b']);
    const free = await folder.findSeat('c');
    await putFile(folder, free, put({ create: true }));
    expect(await text(dir, 'c')).toBe('new');
    expect(await readdir(dir)).toEqual(['b', 'c']);
  });

  it('is not written behind a second name of it', async () => {
    const dir = await folderWith({ a: 'old' });
    await link(join(dir, 'a'), join(dir, 'b'));
    await run(writeFileTool(dir), { path: 'a', content: 'new' });
    expect([await text(dir, 'a'), await text(dir, 'b')]).toEqual(['new', 'old']);
  });
});

it('a link to nowhere inside of the folder is neither written through nor replaced', async () => {
  const dir = await folderWith({ 'd/x': '' });
  await symlink('nowhere', join(dir, 'a'));
  await symlink('../nowhere', join(dir, 'd/up'));
  after(undefined);
  for (const path of ['a', 'a/b', 'a/b/c', 'd/up', 'd/up/b']) {
    for (const create of [false, true]) {
      await expect(
        run(writeFileTool(dir), { path, content: 'new', create, folders: true }),
        path,
      ).rejects.toMatchObject({ code: 'missing', message: `'${path}' goes through a link that leads nowhere` });
    }
  }
  expect(moments.done).toEqual([]);
  expect(await readdir(dir)).toEqual(['a', 'd']);
  expect(await readdir(join(dir, 'd'))).toEqual(['up', 'x']);
});
