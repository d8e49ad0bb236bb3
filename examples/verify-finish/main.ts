/** The plugin `verify-finish`: a model that says it is done is done when the checks say so, too. */
import { verifyFinish } from '@treblehook/plugin-verify-finish';
import { testHost } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';

let code = 'return a - b';
const editFile = defineTool({
  name: 'edit_file',
  description: 'Writes the file.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => `written: ${(code = text)}`,
});
const runCommand = defineTool({
  name: 'run_command',
  description: 'Runs a program.',
  input: z.object({ command: z.array(z.string()) }),
  execute: () => ({ output: code.includes('+') ? '1 passed' : '1 failed', isError: !code.includes('+') }),
});

const plugin = verifyFinish({
  checks: [
    {
      name: 'tests',
      tool: 'run_command',
      match: { command: 'npm test' },
      after: ['edit_file'],
      message: 'Run npm test.',
    },
    { name: 'tidy', check: () => !code.includes(';;') || 'there is an empty statement' },
  ],
});

const edit = (text: string) => ({ name: 'edit_file', args: { text } });
const test = { name: 'run_command', args: { command: ['npm', 'test'] } };
const script = [
  { calls: [edit('return a * b;;')] },
  'I have mended it.',
  { calls: [test] }, // it fails
  { calls: [edit('return a + b'), test] },
  'Mended, and the tests pass.',
];
const { agent, model } = await testHost({ script, tools: [editFile, runCommand], plugins: [plugin] });
const { status, text } = await agent.run('Mend the sum.');
console.log(`${status}: ${text}`);
console.log(`the model was told: ${(model.calls[2]!.prompt.at(-1)!.content[0] as { text: string }).text}`);

const gives = ['a;;', 'b', 'c'].map((one) => ({ calls: [edit(one)] }));
const idle = await testHost({
  script: [gives[0]!, 'Done.', gives[1]!, 'Done now.', gives[2]!, 'Really.'],
  tools: [editFile, runCommand],
  plugins: [{ plugin, config: { maxContinuations: 2 } }],
});
const stopped = await idle.agent.run('Mend the sum.');
console.log(`${stopped.status} by ${stopped.reason?.by}: ${stopped.reason?.text}`);
