/** A dangerous command is refused by `{ error }` of `beforeTool`: no guard is asked, nothing runs, the model is told why. */
import { createHost } from '@treblehook/host';
import { scriptedModel } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';

const ran: string[] = [];
const shell = defineTool({
  name: 'shell',
  description: 'Runs a command.',
  input: z.object({ command: z.string() }),
  execute: ({ command }) => `ran as number ${ran.push(command)}`,
});
const model = scriptedModel([
  { calls: ['rm -rf /', 'ls'].map((command) => ({ name: 'shell', args: { command } })) },
  'I only looked.',
]);
const { agent, registry, close } = await createHost({ model, tools: [shell], policy: { rules: [] } });

registry.registerModifying(
  'beforeTool',
  ({ name, args }) => {
    const { command = '' } = args as { readonly command?: string };
    if (name !== 'shell' || !/\brm\s+-\w*[rf]/.test(command)) return undefined;
    return { error: `'${command}' is refused: name the files, and delete them one by one` };
  },
  { id: 'no-rm', onError: 'abort' }, // when it fails, the call is not let through
);
registry.registerClaiming(
  'toolPolicy',
  ({ args }) => console.log(`the guards are asked about ${JSON.stringify(args)}`), // no opinion
  { id: 'watch' },
);
registry.registerVoid('toolEnd', ({ outcome, record }) => console.log(`${outcome}, by ${record.by ?? 'nobody'}`));

await agent.run('Tidy up.');
await close();
console.log(`ran: ${ran.join(', ')}`);
console.log(`the model read: ${JSON.stringify(model.calls[1]?.prompt.at(-1)?.content[0])}`);
