// Owns the laws of previews: what is shown to whoever approves is what will be written, and nothing in it can hide.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { deleteFileTool, diffOf, editFileTool, previewOf, readFileTool, writeFileTool } from '../src/index.js';
import { run, sealed } from './run-tool.js';
import { folderWith } from './temp.js';

describe('previewOf', () => {
  it('gives the unified diff of an edit and of a write, and writes nothing', async () => {
    const lines = Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join('\n');
    const dir = await folderWith({ 'a.txt': `${lines}\n` });
    const edit = editFileTool(dir);
    const args = await sealed(edit, { path: './a.txt', oldText: 'line 5', newText: 'five' });
    expect(await previewOf(edit, args)).toEqual({
      path: 'a.txt',
      kind: 'changed',
      added: 1,
      removed: 1,
      notes: [],
      diff: [
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -2,7 +2,7 @@',
        ' line 2',
        ' line 3',
        ' line 4',
        '-line 5',
        '+five',
        ' line 6',
        ' line 7',
        ' line 8',
        '',
      ].join('\n'),
    });
    expect(await previewOf(writeFileTool(dir), { path: 'new.txt', content: 'x\n' })).toMatchObject({
      kind: 'new',
      diff: '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+x\n',
      added: 1,
      removed: 0,
    });
    expect(await previewOf(writeFileTool(dir), { path: 'a.txt', content: `${lines}\n` })).toMatchObject({
      kind: 'unchanged',
      diff: '',
    });
    expect(await readdir(dir)).toEqual(['a.txt']);
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(`${lines}\n`);
  });

  it('gives what a deletion takes away, and deletes nothing', async () => {
    const dir = await folderWith({ 'a.txt': 'one\ntwo\n', 'b.bin': 'a\0b' });
    const tool = deleteFileTool(dir);
    expect(await previewOf(tool, { path: './a.txt' })).toEqual({
      path: 'a.txt',
      kind: 'deleted',
      diff: '--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n',
      added: 0,
      removed: 2,
      notes: [],
    });
    expect(await previewOf(tool, { path: 'b.bin' })).toMatchObject({
      kind: 'deleted',
      diff: '',
      notes: ['3 bytes that are no text, or too many to be read, are lost'],
    });
    await expect(previewOf(tool, { path: 'none' })).rejects.toMatchObject({ code: 'missing' });
    expect((await readdir(dir)).toSorted()).toEqual(['a.txt', 'b.bin']);
  });

  it('fails as the call would, and knows no other tool', async () => {
    const dir = await folderWith({ 'a.txt': 'x x' });
    const twice = { path: 'a.txt', oldText: 'x', newText: 'y' };
    await expect(previewOf(editFileTool(dir), twice)).rejects.toMatchObject({ code: 'match' });
    const create = { path: 'a.txt', content: '', create: true };
    await expect(previewOf(writeFileTool(dir), create)).rejects.toMatchObject({ code: 'exists' });
    await expect(previewOf(writeFileTool(dir), { path: '../a', content: '' })).rejects.toMatchObject({
      code: 'outside',
    });
    expect(await previewOf(readFileTool(dir), { path: 'a.txt' })).toBeUndefined();
  });

  it('says what it cannot show', async () => {
    const dir = await folderWith({ b: new Uint8Array([1, 0, 2]), m: '\uFEFFa\n', crlf: 'a\r\nb\r\n' });
    const notes = async (path: string, content: string) =>
      (await previewOf(writeFileTool(dir), { path, content }))!.notes;
    expect(await notes('b', 'text')).toEqual(['it replaces 3 bytes that are no text, or too many to be read']);
    expect(await notes('m', 'a\n')).toEqual(['a byte order mark goes']);
    expect(await notes('crlf', 'a\nb\n')).toEqual(['the line ends change from crlf to lf']);
    const edit = editFileTool(dir);
    const kept = await previewOf(edit, { path: 'm', oldText: 'a', newText: 'b' });
    expect(kept).toMatchObject({ notes: [], diff: expect.stringContaining('\n-a\n+b\n') });
    expect((await previewOf(edit, { path: 'crlf', oldText: 'a\n', newText: 'c\n' }))!.diff).toContain('\n-a\n+c\n b\n');
  });
});

describe('diffOf', () => {
  it('lets nothing hide a line, turn its direction or move the cursor', () => {
    const { diff } = diffOf('a\n+++ b', 'x\n', 'x\n\u001b[2K\u001b[1A rm -rf\u202e\u200b\u3164\ufe0f\u{e0041}\r\n');
    expect(diff).toContain('+\\u001b[2K\\u001b[1A rm -rf\\u202e\\u200b\\u3164\\ufe0f\\udb40\\udc41\\r\n');
    expect(diff).toMatch(/^--- .*a\\+n\+\+\+ b/);
    expect(diff.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}\u202e]/u);
  });

  it('is bounded for texts that have nothing in common', () => {
    const text = (mark: string): string => Array.from({ length: 20_000 }, (_, at) => `${mark} ${at}`).join('\n');
    const began = performance.now();
    const { diff, added, removed, notes } = diffOf('a', text('old'), text('new'));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(diff.length).toBe(60_000);
    expect([added, removed]).toEqual([20_000, 20_000]);
    expect(notes).toEqual([expect.stringMatching(/characters of the diff are cut off/)]);
  });

  it('for any two texts of lines, makes the one of the other', () => {
    const line = fc.stringMatching(/^[ab+\- ]{0,3}$/);
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { diff, kind } = diffOf('a', before, after);
        expect(kind === 'unchanged' ? before : applyPatch(before, diff)).toBe(after);
      }),
    );
  });

  it('shows what an edit then writes', async () => {
    const dir = await folderWith({ a: '1\n2\n3\n' });
    const edit = editFileTool(dir);
    const args = await sealed(edit, { path: 'a', oldText: '2', newText: 'two' });
    const { diff } = (await previewOf(edit, args))!;
    await run(edit, args);
    expect(applyPatch('1\n2\n3\n', diff)).toBe(await readFile(join(dir, 'a'), 'utf8'));
  });
});
