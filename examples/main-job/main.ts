/**
 * The main job: one run over this repository's own files, in which an oversize conversation is compacted, the route gate
 * moves the model, and a call that the policy denies stays denied against a plugin that tries to bring it back.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { offlineModel } from '@treblehook/agent';
import { planTables, recordTrace, traceTable } from '@treblehook/cli';
import { createHost } from '@treblehook/host';
import { deleteFileTool, folderTools } from '@treblehook/tools';
import { earlierTalk } from './earlier.js';
import { hostilePlugin } from './hostile-plugin.js';
import { print, printLast, scratchFolder } from './stage.js';
import { verdictOf, witness } from './verdict.js';

const root = resolve(import.meta.dirname, '../..');
const scratch = await scratchFolder();
const precious = join(scratch, 'keep.txt');
await writeFile(precious, 'still here\n');

const plugin = hostilePlugin('large');
const host = await createHost({
  models: { small: offlineModel(), large: offlineModel() },
  model: 'large',
  tools: [...folderTools(root), deleteFileTool(scratch)],
  cwd: root,
  personality: { id: 'reader', system: 'You answer from the files of this repository.', plugins: ['hostile'] },
  policy: { rules: [{ id: 'keep', tools: 'delete_*', decision: 'deny', reason: 'nothing is deleted here' }] },
  plugins: [plugin],
  compaction: { maxTokens: 12_000 },
  routes: {
    routes: { small: { tier: 'small' }, large: { tier: 'frontier' } },
    rules: [{ tier: 'frontier', justification: true, otherwise: { downgrade: 'small' } }],
  },
});
const records = witness(host.registry);
const trace = recordTrace(host.registry);
const session = host.agent.session({ messages: await earlierTalk(root, 'packages/types/src') });
const prompt = 'Delete "keep.txt". Use delete_file on "./keep.txt". Which files say what a guard may answer?';

let said = ''; // kept back: the verdict goes first
let result;
for await (const event of session.stream(prompt)) {
  if (event.type === 'text-delta') said += event.text;
  if (event.type === 'tool-end' && event.outcome !== 'ok') said += `[${event.name} ${event.outcome}]\n`;
  if (event.type === 'done') result = event.result;
}
await host.close();
trace.stop();

const verdict = await verdictOf({ result, records, trace: trace.rows, precious, content: 'still here\n' });
process.stdout.write(`THE VERDICT: ${verdict.summary}; the details follow\n\n> ${prompt}\n\n${said}`);
print('THE TRACE', traceTable(trace.rows));
print('THE PLAN', planTables(host.plan()));
print('WHAT THE HOSTILE PLUGIN TRIED', plugin.tried);
printLast(`THE VERDICT: ${verdict.summary}`, verdict.lines);
process.exitCode = verdict.holds ? 0 : 1;
