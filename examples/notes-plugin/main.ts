/** Two plugins in a host, one on a hook point of the other; a model that follows a script takes a note. */
import { createHost } from '@treblehook/host';
import { scriptedModel } from '@treblehook/testing';
import loud from './loud.js';
import notes from './notes.js';

const host = await createHost({
  model: scriptedModel([{ calls: [{ name: 'take_note', args: { text: 'buy milk' } }] }, 'Noted.']),
  plugins: [{ plugin: notes, config: { mark: '*' } }, loud],
  personality: { id: 'clerk', plugins: ['notes', 'loud'] },
  policy: { rules: [], unlisted: { plugin: 'silent' } }, // nobody is asked about tools of plugins
  onLog: ({ plugin, message, fields }) => console.log(`${plugin}: ${message} ${JSON.stringify(fields)}`),
});
const { status, text, toolCalls } = await host.agent.run('Note that I have to buy milk.');
await host.close();

console.log(`${status}: ${text}`);
console.log(`the tool answered: ${toolCalls[0]?.output}`);
