// Owns the law of changes at once: each that is said to be made is made, whoever else changes the file meanwhile.
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteFileTool, editFileTool, writeFileTool } from '../src/index.js';
import { run } from './run-tool.js';
import { folderWith } from './temp.js';

const words = Array.from({ length: 20 }, (_, at) => `old${at};`);

describe('edits of one file at once', () => {
  it.each(['one tool', 'a tool each', 'a link for every second'])('by %s are all in it', async (how) => {
    const dir = await folderWith({ 'a.txt': words.join('\n') });
    await symlink('a.txt', join(dir, 'link'));
    const shared = editFileTool(dir);
    const said = await Promise.all(
      words.map((oldText, at) => {
        const path = how.startsWith('a link') && at % 2 === 0 ? 'link' : 'a.txt';
        return run(how === 'one tool' ? shared : editFileTool(dir), { path, oldText, newText: `new${at};` });
      }),
    );
    expect(said.every(({ output }) => output.startsWith('edited a.txt'))).toBe(true);
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(words.map((_, at) => `new${at};`).join('\n'));
  });

  it('one that fails stops none behind it', async () => {
    const dir = await folderWith({ 'a.txt': 'one two' });
    const tool = editFileTool(dir);
    const [none, second] = await Promise.allSettled([
      run(tool, { path: 'a.txt', oldText: 'three', newText: '' }),
      run(tool, { path: 'a.txt', oldText: 'two', newText: '2' }),
    ]);
    expect([none.status, second.status]).toEqual(['rejected', 'fulfilled']);
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('one 2');
  });
});

it('an edit behind a write, and a write behind a deletion, see what was left', async () => {
  const dir = await folderWith({ 'a.txt': 'first' });
  await Promise.all([
    run(writeFileTool(dir), { path: 'a.txt', content: 'second' }),
    run(editFileTool(dir), { path: 'a.txt', oldText: 'second', newText: 'third' }),
  ]);
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('third');
  const [deleted, created] = await Promise.all([
    run(deleteFileTool(dir), { path: 'a.txt' }),
    run(writeFileTool(dir), { path: 'a.txt', content: 'fourth', create: true }),
  ]);
  expect([deleted.output, created.output.slice(0, 7)]).toEqual(['deleted a.txt', 'created']);
});
