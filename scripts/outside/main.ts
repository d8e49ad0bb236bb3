/** A program of somebody else: two plugins in a host, a run, the laws of plugins and of stores. It prints one line. */
import assert from 'node:assert/strict';
import { memoryStore } from '@treblehook/agent';
import { createHost, type PluginLogEntry } from '@treblehook/host';
import { checkPlugin, scriptedModel, storeLaws } from '@treblehook/testing';
import { loud, notes } from './notes.js';

const said: PluginLogEntry[] = [];
const model = scriptedModel([{ calls: [{ name: 'take_note', args: { text: 'buy milk' } }] }, 'Noted.']);
const host = await createHost({
  model,
  plugins: [{ plugin: notes, config: { mark: '*' } }, loud],
  personality: { id: 'clerk', plugins: ['notes', 'loud'] },
  policy: { rules: [], unlisted: { plugin: 'silent' } },
  onLog: (entry) => void said.push(entry),
});
const { status, text, toolCalls } = await host.agent.run('Note it.');
await host.close();
assert.deepEqual([status, text, toolCalls[0]?.output], ['done', 'Noted.', '* BUY MILK']);
assert.deepEqual(
  said.map(({ plugin, message, fields }) => ({ plugin, message, text: fields?.['text'] })),
  [{ plugin: 'notes', message: 'taken', text: '* BUY MILK' }],
);

const calls = [{ name: 'take_note', args: { text: 'a' } }];
const { checks } = await checkPlugin({ plugin: notes, config: { mark: '*' } }, { calls });
assert.deepEqual(
  checks.filter(({ ok }) => !ok),
  [],
);
for (const { run } of storeLaws((now) => memoryStore({ now }))) await run();
console.log('outside: everything holds');
