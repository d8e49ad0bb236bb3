// A run that hangs in the body of its first call, with a second one behind it: the process is there to be killed.
import { sqliteStore } from '@treblehook/agent/sqlite';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHost } from '@treblehook/host';
import { defineTool } from '@treblehook/types';

const [path = '', session = ''] = process.argv.slice(2);
const input = { '~standard': { version: 1, vendor: 'test', validate: (/** @type {unknown} */ value) => ({ value }) } };
/** @param {string} name */
const hanging = (name) =>
  defineTool({
    name,
    description: 'never ends',
    input: /** @type {any} */ (input),
    inputSchema: { type: 'object' },
    execute: () => {
      process.stderr.write(`${name} runs\n`);
      return new Promise(() => {});
    },
  });
const calls = ['first', 'second'].map((name) => ({ name, args: { n: name } }));
const { agent } = await createHost({
  model: scriptedModel([{ text: 'both', calls }]),
  policy: { rules: [] },
  tools: [hanging('first'), hanging('second')],
  store: sqliteStore({ path }),
});
setInterval(() => {}, 1_000);
await agent.session(session).run('do both');
