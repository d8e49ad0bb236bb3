// Owns the law that the tools stand behind the door: guards judge the path, command or URL that the body then uses.
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type JsonValue } from '@treblehook/types';
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

it('each call is judged by its sealed arguments, of which the tool says what they are', async () => {
  const dir = await folderWith({ 'sub/keys.env': 'A=1\n', 'a.txt': 'one\n' });
  await symlink('sub', join(dir, 'link'));
  const registry = createHookRegistry(agentHooks);
  const judged: unknown[] = [];
  registry.registerClaiming(
    'toolPolicy',
    ({ tool, args }) => {
      const { paths = [], commands = [], urls = [] } = tool;
      const values = [...paths, ...commands, ...urls].map((name) => (args as Record<string, JsonValue>)[name]);
      judged.push([tool.name, values]);
      if (values.some((value) => typeof value === 'string' && /\.env$|example\.org/.test(value)))
        return { deny: 'not that' };
      return undefined;
    },
    { id: 'by-kind' },
  );
  const calls = [
    { name: 'write_file', args: { path: 'link/keys.env', content: 'A=2\n' } },
    { name: 'edit_file', args: { path: './sub/../link/keys.env', oldText: 'A', newText: 'B' } },
    { name: 'read_file', args: { path: join(dir, 'link/keys.env') } },
    { name: 'delete_file', args: { path: 'link/./keys.env' } },
    { name: 'fetch_url', args: { url: 'HTTP://EXAMPLE.ORG:80/x#y' } },
    { name: 'edit_file', args: { path: 'a.txt', oldText: 'one', newText: 'two' } },
    { name: 'run_command', args: { command: ['cat', 'a.txt'], cwd: 'link/..' } },
  ];
  const tools = [
    ...folderTools(dir),
    writeFileTool(dir),
    editFileTool(dir),
    deleteFileTool(dir),
    runCommandTool(dir),
    fetchUrlTool(),
  ];
  const model = scriptedModel([{ calls }, 'done']);
  const { toolCalls } = await createAgent({ model, registry, tools, cwd: dir }).run('go');
  expect(judged).toEqual([
    ['write_file', ['sub/keys.env']],
    ['edit_file', ['sub/keys.env']],
    ['read_file', ['sub/keys.env']],
    ['delete_file', ['sub/keys.env']],
    ['fetch_url', ['http://example.org/x']],
    ['edit_file', ['a.txt']],
    ['run_command', ['.', ['cat', 'a.txt']]],
  ]);
  expect(toolCalls.map(({ outcome }) => outcome)).toEqual([
    'denied',
    'denied',
    'denied',
    'denied',
    'denied',
    'ok',
    'ok',
  ]);
  expect(toolCalls.at(-1)!.output).toBe('two\n[exit code 0]');
  expect(await readFile(join(dir, 'sub/keys.env'), 'utf8')).toBe('A=1\n');
});

it('a refusal is an error result that says what to do instead', async () => {
  const dir = await folderWith({ 'a.txt': 'x x' });
  const registry = createHookRegistry(agentHooks);
  const calls = [
    { name: 'edit_file', args: { path: 'a.txt', oldText: 'x', newText: 'y' } },
    { name: 'write_file', args: { path: '~/x', content: '' } },
  ];
  const tools = [writeFileTool(dir), editFileTool(dir)];
  const model = scriptedModel([{ calls }, 'done']);
  const { toolCalls } = await createAgent({ model, registry, tools, cwd: dir, unguarded: 'a test' }).run('go');
  expect(toolCalls.map(({ outcome, output }) => [outcome, output])).toEqual([
    ['error', expect.stringMatching(/2 times in 'a\.txt', at lines 1, 1: give more of what is around it/)],
    ['error', expect.stringMatching(/'~' is not expanded here: give a path from the folder/)],
  ]);
});
