// Owns the law of the hints: a built-in tool says all of them, so that no default, which is the worst, speaks for it.
import { toolHints } from '@treblehook/types';
import { expect, it } from 'vitest';
import {
  deleteFileTool,
  editFileTool,
  fetchUrlTool,
  folderTools,
  runCommandTool,
  writeFileTool,
} from '../src/index.js';
import { folderWith } from './temp.js';

it('each tool says of itself what it does', async () => {
  const dir = await folderWith();
  const tools = [
    ...folderTools(dir),
    writeFileTool(dir),
    editFileTool(dir),
    deleteFileTool(dir),
    runCommandTool(dir),
    fetchUrlTool(),
    fetchUrlTool({ methods: ['GET', 'DELETE'] }),
  ];
  const said = tools.map(({ name, annotations = {} }) => [name, ...toolHints.map((hint) => annotations[hint])]);
  expect(said).toEqual([
    // read only, destructive, idempotent, open world
    ['list_files', true, false, true, false],
    ['read_file', true, false, true, false],
    ['search_files', true, false, true, false],
    ['write_file', false, true, true, false],
    ['edit_file', false, true, false, false],
    ['delete_file', false, true, true, false],
    ['run_command', false, true, false, true],
    ['fetch_url', false, false, true, true],
    ['fetch_url', false, true, false, true],
  ]);
});
