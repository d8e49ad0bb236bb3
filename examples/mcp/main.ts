/** Tools of an MCP server pass the same door as the host's own: named by rules, seen by guards, told with their hints. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@treblehook/host';
import { connectMcp } from '@treblehook/mcp';
import { scriptedModel, type ScriptedStep } from '@treblehook/testing';

const folder = await mkdtemp(join(tmpdir(), 'treblehook-'));
const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');

// The process gets PATH, HOME and what stands here; nothing else of this environment.
const servers = await connectMcp({
  memory: { command: process.execPath, args: [program], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
});

// A model calls tools by their names on the wire, which are derived from the real ones.
const use =
  (name: string, args: object): ScriptedStep =>
  ({ tools = [] }) => ({ calls: [{ name: tools.find((tool) => tool.name.includes(name))!.name, args }] });

const host = await createHost({
  model: scriptedModel([
    use('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }] }),
    use('search_nodes', { query: 'Ada' }),
    use('delete_entities', { entityNames: ['Ada'] }),
    'Ada is kept.',
  ]),
  tools: servers.tools,
  policy: {
    unlisted: { 'mcp:memory': 'silent' }, // else each of its tools that no rule names is asked about
    rules: [{ tools: 'mcp:memory/delete_*', decision: 'deny', reason: 'what is known is kept' }],
  },
});

// Hints come from the server and prove nothing: a guard may be stricter for them.
host.registry.registerClaiming('toolPolicy', ({ tool }) => {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  console.log(`${tool.name}: reads only: ${readOnlyHint}, may destroy: ${destructiveHint}`);
  return undefined;
});

const { text, toolCalls } = await host.agent.run('Remember Ada, then forget her.');
for (const { name, outcome } of toolCalls) console.log(`${name}: ${outcome}`);
console.log(text);

await host.close();
await servers.close(); // ends the process
await rm(folder, { recursive: true });
