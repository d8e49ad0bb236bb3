// A run that was left open and that nobody resumes: each of its calls has one end, durable and told.
import { historyFault, isHeld, pending, type SessionRecord, type SessionStore, type ToolEnd } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard } from './kit.js';
import { tool } from './watched.js';

/** One process, whose every call of `echo` is asked about. */
function process(store: SessionStore, script: readonly ScriptedStep[]) {
  const registry = registryWithGuard();
  registry.registerClaiming('toolPolicy', ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?' } : undefined), {
    id: 'asker',
  });
  const ends: ToolEnd[] = [];
  registry.registerVoid('toolEnd', (end) => void ends.push(end));
  const paths: string[] = [];
  registry.registerVoid('toolEndWithPath', ({ path }) => void paths.push(path));
  const tools = [{ ...echo().tool, paths: ['text'] }, tool('free', () => 'free')];
  return { ...kit(script, { store, registry, tools, cwd: '/work' }), ends, paths };
}
const outcomes = (ends: readonly ToolEnd[]): readonly string[] => ends.map(({ name, outcome }) => `${name} ${outcome}`);
const logged = async (store: SessionStore): Promise<readonly string[]> =>
  (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record.outcome] : []));

describe('a run that waits, when the conversation goes on without it,', () => {
  it('has one end for each call, told with where it was asked for', async () => {
    const store = memoryStore();
    const { agent, ends, paths } = process(store, [calls({ name: 'free', args: {} }, 'echo', 'free'), 'two']);
    const session = agent.session('s');
    const first = await session.run('go');
    expect(outcomes(ends)).toEqual(['free ok', 'echo suspended']);
    const waited = ends[1]!;
    const second = await session.run('something else');
    expect(outcomes(ends)).toEqual(['free ok', 'echo suspended', 'echo cancelled', 'free not-started']);
    const [cancelled, notStarted] = ends.slice(2);
    expect(cancelled).toMatchObject({
      origin: { runId: first.runId, sessionId: 's', turn: 0, personality: 'default' },
      callId: waited.callId,
      attempt: 1,
      batch: { index: 1, size: 3, names: ['free', 'echo', 'free'] },
      record: { outcome: 'cancelled', digest: waited.record.digest },
    });
    expect(notStarted).toMatchObject({ origin: { runId: first.runId }, batch: { index: 2 }, ms: 0 });
    expect(cancelled!.batch.id).toBe(notStarted!.batch.id);
    expect(paths).toEqual(['hi', 'hi']); // as it was suspended, and as it ended
    expect(await logged(store)).toEqual(['ok', 'cancelled', 'not-started']);
    expect(second.toolCalls).toEqual([]); // they are no calls of that run
  });

  it('is told once its ends are durable', async () => {
    const store = memoryStore();
    const { agent, registry } = process(store, [call('echo'), 'two']);
    const seen: unknown[] = [];
    registry.registerVoid('toolEnd', async ({ outcome }) => {
      if (outcome === 'cancelled') seen.push(await logged(store));
    });
    await agent.session('s').run('go');
    await agent.session('s').run('something else');
    expect(seen).toEqual([['cancelled']]);
  });

  it('is given up by no input that is rejected: nothing of it is told', async () => {
    const { agent, registry, ends } = process(memoryStore(), [call('echo'), 'two']);
    await agent.session('s').run('go');
    registry.registerModifying('beforeInput', () => ({ reject: 'no' }));
    await agent.session('s').run('something else');
    expect(outcomes(ends)).toEqual(['echo suspended']);
  });
});

describe('a run whose process has died, when the conversation goes on without it,', () => {
  it('has an end for what was in flight and for what had not begun, and none twice', async () => {
    const kept = memoryStore();
    await process(kept, [calls({ name: 'free', args: {} }, { name: 'free', args: {} }, { name: 'free', args: {} })])
      .agent.session('s')
      .run('go');
    const records = (await kept.read('s')).map(({ record }) => record);
    const second = records.findIndex(
      (one, at) => one.type === 'started' && records.slice(0, at).some(({ type }) => type === 'outcome'),
    );
    const store = await copyOf(records.slice(0, second + 1));
    const { agent, ends } = process(store, ['two']);
    const { messages } = await agent.session('s').run('something else');
    expect(outcomes(ends)).toEqual(['free outcome-unknown', 'free not-started']);
    expect(ends.map(({ batch: { index } }) => index)).toEqual([1, 2]);
    expect(await logged(store)).toEqual(['ok', 'outcome-unknown', 'not-started']);
    expect(historyFault(messages)).toBeUndefined();
  });
});

describe('a run that is gone on with, and aborted before its open calls are looked at,', () => {
  it('has an end for each of them all the same', async () => {
    const store = memoryStore();
    const first = process(store, [calls({ name: 'free', args: {} }, 'echo')]);
    const { pending: open, runId } = await first.agent.session('s').run('go');
    const { agent, registry, ends } = process(store, []);
    const abort = new AbortController();
    registry.registerVoid('sessionStart', () => abort.abort());
    const answer = { id: open![0]!.id, ok: true };
    const { status, messages } = await agent.resume('s', answer, { signal: abort.signal });
    expect(status).toBe('aborted');
    expect(outcomes(ends)).toEqual(['echo cancelled']);
    expect(ends[0]).toMatchObject({ origin: { runId }, batch: { index: 1, size: 2 } });
    expect(await logged(store)).toEqual(['ok', 'cancelled']);
    expect(historyFault(messages)).toBeUndefined();
  });
});

it('a body that waits, and is left, is told as one that waited', async () => {
  const store = memoryStore();
  const ends: ToolEnd[] = [];
  const asking = tool('asking', () => pending({ kind: 'choice', prompt: 'which?' }));
  const { agent, registry } = kit([call('asking', {}), 'two'], { store, tools: [asking] });
  registry.registerVoid('toolEnd', (end) => void ends.push(end));
  await agent.session('s').run('go');
  await agent.session('s').run('something else');
  expect(ends.map(({ result: { output } }) => output)).toEqual([
    'suspended: it waits for an answer to: which?',
    'cancelled: it waited for an answer, and the conversation went on',
  ]);
});

async function copyOf(records: readonly SessionRecord[]): Promise<SessionStore> {
  const store = memoryStore();
  const lease = await store.acquire('s', 'copy', 1_000);
  if (isHeld(lease)) throw new Error('it is held');
  await store.append(lease, records);
  await store.release(lease);
  return store;
}
