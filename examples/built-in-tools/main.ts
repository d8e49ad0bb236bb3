/** The built-in tools behind a guard that knows paths, commands and URLs by the tool's own word; an approval shows a diff. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answerer } from '@treblehook/agent';
import { createHost } from '@treblehook/host';
import { scriptedModel } from '@treblehook/testing';
import { editFileTool, fetchUrlTool, folderTools, previewOf, runCommandTool } from '@treblehook/tools';
import type { JsonObject, JsonValue } from '@treblehook/types';

const dir = await mkdtemp(join(tmpdir(), 'treblehook-tools-'));
await writeFile(join(dir, 'lamp.txt'), 'The lamp is green.\nIt turns.\n');
const tools = [
  ...folderTools(dir),
  editFileTool(dir),
  runCommandTool(dir, { shell: false, env: ['LANG'], timeoutMs: 10_000 }),
  fetchUrlTool({ maxBytes: 100_000 }),
];
const toolOf = new Map(tools.map((tool) => [tool.name, tool]));

// who approves an edit sees what it would change
const answerer: Answerer = {
  async answer({ id, data }) {
    const { tool, args } = data as { readonly tool: { readonly name: string }; readonly args: JsonValue };
    const preview = await previewOf(toolOf.get(tool.name)!, args);
    console.log(preview?.diff);
    return { id, ok: true };
  },
};
const model = scriptedModel([
  {
    calls: [
      { name: 'read_file', args: { path: './docs/../.env' } },
      { name: 'edit_file', args: { path: 'lamp.txt', oldText: 'green', newText: 'red' } },
      { name: 'run_command', args: { command: [process.execPath, '--eval', 'process.exitCode = 3'] } },
      { name: 'run_command', args: { command: ['rm', '-r', '.'] } },
      { name: 'fetch_url', args: { url: 'http://0x7f000001/' } },
    ],
  },
  'Done.',
]);
const { agent, registry, close } = await createHost({ model, tools, cwd: dir, answerer, policy: { rules: [] } });
registry.registerClaiming(
  'toolPolicy',
  ({ tool: { name, paths = [], commands = [] }, args }) => {
    const of = (names: readonly string[]) => names.map((key) => (args as JsonObject)[key]);
    if (of(paths).some((path) => typeof path === 'string' && path.endsWith('.env')))
      return { deny: 'no *.env is touched' };
    if (of(commands).some((command) => !Array.isArray(command) || command[0] !== process.execPath)) {
      return { deny: 'only node is run' };
    }
    return name === 'edit_file' ? { ask: 'May it change this file?' } : undefined;
  },
  { id: 'by-kind' },
);

const { toolCalls } = await agent.run('Look after the lamp.');
for (const { name, outcome, output } of toolCalls) console.log(`${name}: ${outcome}: ${output}`);
await close();
await rm(dir, { recursive: true });
