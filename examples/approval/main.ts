/** A guard asks, and the run waits in a file: `ask`, `list` and `answer <id> yes|no` are processes of their own. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { createHost, type Host } from '@treblehook/host';
import { scriptedModel, type ScriptedStep } from '@treblehook/testing';
import { approvalOf, defineTool } from '@treblehook/types';
import { z } from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill.',
  input: z.object({ to: z.string(), euros: z.number() }),
  execute: ({ to, euros }) => `paid ${euros} euros to ${to}`,
});

// All that the processes share. Each has its own registry, and a model that is here a script.
const store = sqliteStore({ path: join(tmpdir(), 'treblehook-approval.db') });
const hostOf = (script: readonly ScriptedStep[]): Promise<Host> =>
  createHost({
    model: scriptedModel(script),
    tools: [pay],
    store,
    policy: { rules: [{ tools: 'pay', decision: 'ask', reason: 'Shall this be paid?' }] },
  });

async function ask(): Promise<void> {
  const { agent } = await hostOf([{ calls: [{ name: 'pay', args: { to: 'the baker', euros: 12 } }] }]);
  const { status, pending = [] } = await agent.session('bills').run('Pay the baker.');
  console.log(`${status}, for ${pending.length} answer`);
}

/** What waits, of every session of the file. */
async function list(): Promise<void> {
  const { agent } = await hostOf([]);
  for (const { sessionId, pending } of await store.list()) {
    if (pending === 0) continue;
    const session = agent.session(sessionId);
    await session.load();
    for (const request of session.requests()) {
      const { id, prompt } = request;
      console.log(`${sessionId}: ${id} ${prompt} ${JSON.stringify(approvalOf(request)?.args)}`);
    }
  }
}

/** Somebody has looked at those very arguments; the guards are asked again, and the run goes on. */
async function answer(id: string, ok: boolean): Promise<void> {
  const { agent } = await hostOf([ok ? 'The baker is paid.' : 'The baker is not paid.']);
  const result = await agent.resume('bills', { id, ok });
  console.log(`${result.status}: ${result.toolCalls[0]?.output}; ${result.text}`);
}

const [mode, id = '', word = ''] = process.argv.slice(2);
if (mode === 'ask') await ask();
else if (mode === 'list') await list();
else if (mode === 'answer' && /^(yes|no)$/.test(word)) {
  await answer(id, word === 'yes').catch((error: Error) => console.log(error.message)); // one answer settles one request
} else console.log('main.ts ask | list | answer <id> yes|no');
await store.close();
