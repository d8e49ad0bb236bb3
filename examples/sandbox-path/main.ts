/** A path argument is moved into a sandbox folder by `beforeTool`; guards, tool and record get the moved path and no other. */
import { posix } from 'node:path';
import { createHost } from '@treblehook/host';
import { scriptedModel, type ScriptedCall } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';

const sandbox = '/sandbox';
/** As if the sandbox were the root: neither `..` nor a leading slash leads out of it. */
const moved = (path: string): string => posix.join(sandbox, posix.resolve('/', path));

const files = new Map<string, string>();
const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a file.',
  input: z.object({ path: z.string(), text: z.string() }),
  paths: ['path'],
  execute({ path, text }) {
    files.set(path, text);
    return `wrote ${path}`;
  },
});
const write = (path: string): ScriptedCall => ({ name: 'write_file', args: { path, text: 'hello' } });

const { agent, registry, close } = await createHost({
  model: scriptedModel([
    { calls: [write('notes.txt'), write('/etc/passwd'), write('../../root/.ssh/authorized_keys')] },
    'Written.',
  ]),
  tools: [writeFile],
  cwd: sandbox,
  policy: { rules: [] },
});

registry.registerModifying(
  'beforeTool',
  ({ name, args }) => {
    if (name !== 'write_file') return undefined;
    const given = args as { readonly path: string; readonly text: string }; // the schema has been checked before
    return { args: { ...given, path: moved(given.path) } };
  },
  { id: 'sandbox', onError: 'abort' }, // a mover that fails lets nothing through
);
registry.registerClaiming(
  'toolPolicy',
  ({ args }) => {
    const { path } = args as { readonly path: string };
    console.log(`the guard sees ${path}`);
    return path.startsWith(`${sandbox}/`) ? undefined : { deny: `${path} is outside of ${sandbox}` };
  },
  { id: 'inside' },
);

const { toolCalls } = await agent.run('Write three files.');
await close();
for (const { output } of toolCalls) console.log(output);
console.log(`files: ${[...files.keys()].join(', ')}`);
