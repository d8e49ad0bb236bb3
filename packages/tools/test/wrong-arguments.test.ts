// Owns the law that an argument which does not fit is refused in words that say how to write it, whatever the tool.
import { describe, expect, it } from 'vitest';
import {
  deleteFileTool,
  editFileTool,
  fetchUrlTool,
  listFilesTool,
  readFileTool,
  runCommandTool,
  searchFilesTool,
  writeFileTool,
} from '../src/index.js';
import { refusal, sealed } from './run-tool.js';
import { folderWith } from './temp.js';

const tools = {
  list_files: [listFilesTool, { path: '.', recursive: true, glob: '*' }],
  read_file: [readFileTool, { path: 'a', offset: 1, limit: 1, digest: true }],
  search_files: [searchFilesTool, { query: 'a', path: '.', regex: false, caseSensitive: true, glob: '*' }],
  write_file: [writeFileTool, { path: 'a', content: '', create: true, folders: true, expect: '0'.repeat(64) }],
  edit_file: [editFileTool, { path: 'a', oldText: 'a', newText: '', all: true, expect: '0'.repeat(64) }],
  delete_file: [deleteFileTool, { path: 'a' }],
  run_command: [runCommandTool, { command: ['a'], cwd: '.', timeoutMs: 1 }],
  fetch_url: [
    () => fetchUrlTool({ methods: ['GET', 'POST'] }),
    { url: 'https://example.org', method: 'GET', body: '', contentType: 'text/plain' },
  ],
} as const;
const values = [5, -1, 1.5, '', 'x', null, true, [], [5], {}, { a: 1 }];
/** How the schema library speaks, which knows no mend. */
const strange = /invalid|expected|received|too (?:small|big)|unrecognized/i;

describe.each(Object.entries(tools))('%s', (_, [make, right]) => {
  it('takes what fits', async () => {
    const tool = make(await folderWith({ a: 'a' }));
    expect(await sealed(tool, right)).toMatchObject({});
  });

  it('refuses each argument with a mend, and what is no object at all', async () => {
    const tool = make(await folderWith({ a: 'a' }));
    const wrong = Object.keys(right).flatMap((name) => values.map((value) => ({ ...right, [name]: value })));
    const others = [{}, [], 5, 'x', null].map((args) => args as object);
    for (const args of [...wrong, ...others]) {
      expect((await refusal(sealed(tool, args))).message, JSON.stringify(args)).not.toMatch(strange);
    }
    expect((await refusal(sealed(tool, { ...right, [`${Object.keys(right)[0]!}s`]: 1 }))).message).toMatch(
      /there is no '\w+': did you mean/,
    );
  });
});

it('the words say what to write', async () => {
  const dir = await folderWith({ a: 'a' });
  const said = async (name: keyof typeof tools, args: object) =>
    (await refusal(sealed(tools[name][0](dir), args))).message;
  expect(await said('read_file', {})).toBe('write a text, in quotes');
  expect(await said('read_file', { path: 'a', offset: '1' })).toBe('write a whole number, from 1, without quotes');
  expect(await said('list_files', { recursive: 'yes' })).toBe('write true or false, without quotes');
  expect(await said('edit_file', { path: 'a', oldText: '', newText: '' })).toMatch(/^it is empty: write the text/);
  expect(await said('delete_file', 5 as never)).toBe('write an object: { path }');
});
