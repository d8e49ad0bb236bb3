/** A guard asks, the run waits on disk, and another process goes on with the answer: the guards are asked again. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { createHost, type Host } from '@treblehook/host';
import { scriptedModel, type ScriptedStep } from '@treblehook/testing';
import { defineTool, type SessionStore } from '@treblehook/types';
import { z } from 'zod';

const path = join(tmpdir(), `treblehook-approval-${process.pid}.db`);

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill.',
  input: z.object({ to: z.string(), euros: z.number() }),
  execute: ({ to, euros }) => `paid ${euros} euros to ${to}`,
});

/** What a process starts with: its own registry and model; only the file is shared. */
const hostOf = (store: SessionStore, script: readonly ScriptedStep[]): Promise<Host> =>
  createHost({
    model: scriptedModel(script),
    tools: [pay],
    store,
    policy: { rules: [{ tools: 'pay', decision: 'ask', reason: 'Shall this be paid?' }] },
  });

// The first process: it asks, and ends.
const first = sqliteStore({ path });
const asking = await hostOf(first, [{ calls: [{ name: 'pay', args: { to: 'the baker', euros: 12 } }] }]);
const { status, pending = [] } = await asking.agent.session('bills').run('Pay the baker.');
const [request] = pending;
console.log(
  `${status}: ${request?.prompt} ${JSON.stringify(request?.data)}`.replace(/"digest":"\w+"/g, '"digest":"…"'),
);
await first.close();

// The second: somebody has looked at those very arguments and says yes, in another process, days later.
const second = sqliteStore({ path });
const going = await hostOf(second, ['The baker is paid.']);
const result = await going.agent.resume('bills', { id: request!.id, ok: true });
console.log(`${result.status}: ${result.toolCalls[0]?.output}; ${result.text}`);

// One answer settles one request.
const again = await going.agent.resume('bills', { id: request!.id, ok: true }).catch((error: Error) => error);
console.log(again instanceof Error ? again.message.replaceAll(request!.id, 'it') : again);
await second.close();
for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
