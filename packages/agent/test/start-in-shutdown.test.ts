// A shutdown that comes while the start of a call is written: the body has not begun, so the call goes on with its run. It was cancelled, and the work of a child with it.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, pending, type SessionStore, type StoredRecord } from '@treblehook/types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { auditSession, createRuntime, memoryStore, type AgentOptions } from '../src/index.js';
import { deferred, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { registryWithGuard } from './kit.js';

/** Answers by promises where a tool of that name is about to start. */
function holding(inner: SessionStore, name: () => string | undefined) {
  const reached = deferred();
  const gate = deferred();
  const store: SessionStore = {
    ...inner,
    append(lease, records) {
      const isHeld = records.some((one) => one.type === 'started' && one.sealed.tool.name === name());
      if (!isHeld) return inner.append(lease, records);
      reached.resolve();
      return gate.promise.then(() => inner.append(lease, records));
    },
  };
  return { store, reached: reached.promise, open: gate.resolve };
}
const typesOf = (log: readonly StoredRecord[]): readonly string[] => log.map(({ record }) => record.type);
const endless = (plan: readonly ScriptedStep[]) =>
  scriptedModel(
    Array.from(
      { length: 9 },
      () =>
        ({ prompt }: { prompt: readonly { role: string }[] }) =>
          plan[prompt.filter(({ role }) => role === 'assistant').length] ?? 'done',
    ) as never,
  );

const kinds: Readonly<Record<string, AgentOptions['around']>> = {
  'as it is': undefined,
  'inside a wrapper': { toolCall: async (_, core) => void (await core()) },
  'inside a wrapper that changes it where it is taken up': {
    async toolCall({ isTakenUp }, core) {
      await core(isTakenUp ? { args: { to: 'elsewhere' } } : undefined);
    },
  },
};

it.each(Object.keys(kinds))('a call that was approved runs once its run goes on, %s', async (kind) => {
  const inner = memoryStore();
  const ran: unknown[] = [];
  const processOf = (store: SessionStore) => {
    const registry = createHookRegistry(agentHooks);
    registry.registerClaiming('toolPolicy', () => ({ ask: 'deploy?', rule: 'r' }), { id: 'asker' });
    const deploy = defineTool({
      name: 'deploy',
      description: 'deploys',
      input: z.object({ to: z.string() }),
      execute: (args) => `deployed ${ran.push(args)}`,
    });
    const model = endless([{ calls: [{ name: 'deploy', args: { to: 'here' } }] }]);
    return createRuntime({
      registry,
      store,
      agents: { lead: { model, tools: [deploy], ...(kinds[kind] && { around: kinds[kind] }) } },
    });
  };
  const sessionOf = (runtime: ReturnType<typeof processOf>) => runtime.agent('lead').session('s');
  const first = await sessionOf(processOf(inner)).run('go');
  const { store, reached, open } = holding(inner, () => 'deploy');
  const runtime = processOf(store);
  let resumed = sessionOf(runtime).resume({ id: first.pending![0]!.id, ok: true });
  if (kind.endsWith('taken up')) {
    const again = await resumed;
    resumed = sessionOf(runtime).resume({ id: again.pending![0]!.id, ok: true });
  }
  await reached;
  const down = runtime.shutdown({ graceMs: 0 });
  setTimeout(open, 5);
  expect(await resumed).toMatchObject({ status: 'pending' });
  expect((await down).suspended).toHaveLength(1);
  expect(ran).toEqual([]);
  const log = await inner.read('s');
  expect(log.at(-1)!.record).toMatchObject({ type: 'settled', unbegun: [expect.any(String)] });

  // as it was resumed, and left again before it came to that
  const next = processOf(inner);
  let result = await sessionOf(next).resume();
  for (; result.status === 'pending';) {
    result = await sessionOf(next).resume({ id: result.pending![0]!.id, ok: true });
  }
  expect(result).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok', output: 'deployed 1' }] });
  expect(ran).toHaveLength(1);
  expect(auditSession(await inner.read('s')).problems).toEqual([]);
});

it('a call that has not begun is not-started when its conversation goes on without it', async () => {
  const inner = memoryStore();
  const ran: unknown[] = [];
  const processOf = (store: SessionStore) => {
    const slow = defineTool({ name: 'slow', description: 's', input: z.object({}), execute: () => `${ran.push(1)}` });
    const model = endless([{ calls: [{ name: 'slow', args: {} }] }]);
    return createRuntime({ registry: registryWithGuard(), store, agents: { lead: { model, tools: [slow] } } });
  };
  const { store, reached, open } = holding(inner, () => 'slow');
  const runtime = processOf(store);
  const run = runtime.agent('lead').session('s').run('go');
  await reached;
  const down = runtime.shutdown({ graceMs: 0 });
  setTimeout(open, 5);
  expect(await run).toMatchObject({ status: 'pending' });
  await down;
  await processOf(inner).agent('lead').session('s').run('something else');
  const log = await inner.read('s');
  const end = log.find(({ record }) => record.type === 'outcome')!.record;
  expect(end).toMatchObject({ outcome: 'not-started' });
  expect(auditSession(log).problems).toEqual([]);
});

it('a process that dies behind the start still leaves it unknown', async () => {
  const inner = memoryStore();
  const processOf = (store: SessionStore) => {
    const slow = defineTool({ name: 'slow', description: 's', input: z.object({}), execute: () => 'x' });
    const model = endless([{ calls: [{ name: 'slow', args: {} }] }]);
    return createRuntime({ registry: registryWithGuard(), store, agents: { lead: { model, tools: [slow] } } });
  };
  let isDead = false;
  const dying: SessionStore = {
    ...inner,
    append(lease, records) {
      if (isDead) throw new Error('dead');
      isDead = records.some(({ type }) => type === 'started');
      return inner.append(lease, records);
    },
  };
  await processOf(dying).agent('lead').session('s').run('go');
  expect(typesOf(await inner.read('s')).at(-1)).toBe('started');
  const { toolCalls } = await processOf(inner).agent('lead').session('s').resume();
  expect(toolCalls).toMatchObject([{ outcome: 'outcome-unknown' }]);
});

it('the child of a task goes on with what it has done', async () => {
  const inner = memoryStore();
  const ran: string[] = [];
  const processOf = (store: SessionStore) => {
    const work = defineTool({
      name: 'work',
      description: 'w',
      input: z.object({}),
      execute: () => `work ${ran.push('work')}`,
    });
    const wait = defineTool({
      name: 'wait',
      description: 'w',
      input: z.object({}),
      execute: (_, { answer }) => (answer === undefined ? pending({ kind: 'k', prompt: 'go on?' }) : 'so'),
    });
    const step = (name: string, args = {}): ScriptedStep => ({ calls: [{ name, args }] });
    return createRuntime({
      registry: registryWithGuard(),
      store,
      agents: {
        lead: {
          model: endless([step('task', { agent: 'helper', prompt: 'a' })]),
          tools: [work, wait],
          agents: ['helper'],
        },
        helper: { model: endless([step('work'), step('wait')]), tools: [work, wait] },
      },
    });
  };
  const first = await processOf(inner).agent('lead').session('s').run('go');
  expect(first).toMatchObject({ status: 'pending' });
  const { store, reached, open } = holding(inner, () => 'task');
  const runtime = processOf(store);
  const resumed = runtime.agent('lead').session('s').resume({ id: first.pending![0]!.id, ok: true });
  await reached;
  const down = runtime.shutdown({ graceMs: 0 });
  setTimeout(open, 5);
  expect(await resumed).toMatchObject({ status: 'pending' });
  await down;
  const last = await processOf(inner).agent('lead').session('s').resume();
  expect(last).toMatchObject({ status: 'done', toolCalls: [{ name: 'task', outcome: 'ok', output: 'done' }] });
  expect(ran).toEqual(['work']);
  for (const { sessionId } of await inner.list()) {
    expect(auditSession(await inner.read(sessionId)).problems).toEqual([]);
  }
});
