// A child that cannot go on any more has an end in its own log, or its task says who holds it.
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  isHeld,
  pending,
  type Answer,
  type SessionEnd,
  type SessionRecord,
  type SessionStore,
  type ToolEnd,
} from '@treblehook/types';
import { describe, expect, it, vi } from 'vitest';
import {
  createRuntime,
  memoryStore,
  readSession,
  type AgentDefinition,
  type RunResult,
  type RuntimeOptions,
} from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { calls, registryWithGuard } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';
import { tool } from './watched.js';

failOnUnhandledRejections();

type Definition = Omit<AgentDefinition, 'model'> & { readonly script?: readonly ScriptedStep[] };

const ask = tool('ask', (_, { answer }) =>
  answer === undefined ? pending({ kind: 'input', prompt: 'which?' }) : 'answered',
);
const tasking = calls({ name: 'task', args: { agent: 'helper', prompt: 'do it' } });

function made(store: SessionStore, lead: Definition, helper: Definition, options: Partial<RuntimeOptions> = {}) {
  const of = ({ script = [], ...definition }: Definition): AgentDefinition => ({
    model: scriptedModel(script),
    tools: [ask],
    ...definition,
  });
  const { registry = registryWithGuard() } = options;
  const ended: string[] = [];
  const ends: ToolEnd[] = [];
  registry.registerVoid('subagentEnded', ({ status }) => void ended.push(status));
  registry.registerVoid('toolEnd', (end) => void ends.push(end));
  const agents = { lead: of({ agents: ['helper'], ...lead }), helper: of(helper) };
  return { agent: createRuntime({ ...options, agents, registry, store }).agent('lead'), registry, ended, ends };
}

/** The child waits for an answer; the process is gone. */
async function left(helper: Definition = {}) {
  const store = memoryStore();
  const first = made(store, { script: [tasking] }, { script: [calls({ name: 'ask', args: {} })], ...helper });
  const waits = await first.agent.session('s').run('go');
  const childId = (await store.list()).find(({ parent }) => parent === 's')!.sessionId;
  return { store, childId, answer: { id: waits.pending![0]!.id, ok: true } satisfies Answer };
}

const recordsOf = async (store: SessionStore, id: string): Promise<readonly SessionRecord[]> =>
  (await store.read(id)).map(({ record }) => record);

async function expectEnded(store: SessionStore, childId: string, code: string): Promise<void> {
  const { runs } = readSession(await store.read(childId));
  expect(runs).toMatchObject([{ status: 'failed', error: { code } }]);
  expect(runs[0]!.turns[0]!.calls).toMatchObject([{ state: 'over' }]);
  expect((await recordsOf(store, childId)).at(-1)).toMatchObject({ type: 'settled' });
  expect((await store.list()).map(({ pending: open }) => open)).toEqual([0, 0]);
}

const outputOf = ({ toolCalls }: RunResult): string => toolCalls[0]!.output;

describe('a child that is left open', () => {
  it.each([true, false])('ends where its personality is gone (its answer is given: %s)', async (isAnswered) => {
    const { store, childId, answer } = await left({ personality: { id: 'old' } });
    const second = made(store, { script: ['end'] }, { personality: { id: 'new' } });
    if (!isAnswered) await store.settle('s', answer);
    const result = await (isAnswered ? second.agent.resume('s', answer) : second.agent.resume('s'));
    expect(result).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'error' }] });
    expect(outputOf(result)).toMatch(/the agent 'helper' failed: .*the personality 'old', and this agent is 'new'/);
    await expectEnded(store, childId, 'TH_NOTHING_OPEN');
    expect(second.ended).toEqual(['failed']);
    expect(second.ends.map(({ name, origin: { sessionId }, outcome }) => [name, sessionId, outcome])).toEqual([
      ['ask', childId, 'cancelled'],
      ['task', 's', 'error'],
    ]);
  });

  it('ends where nobody guards it any more', async () => {
    const { store, childId, answer } = await left();
    const bare = createHookRegistry(agentHooks);
    const second = made(store, { script: ['end'], unguarded: 'a test' }, {}, { registry: bare });
    const result = await second.agent.resume('s', answer);
    expect(result).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'error' }] });
    await expectEnded(store, childId, 'TH_NO_GUARD');
    expect(second.ended).toEqual(['failed']);
  });

  it('stays open where another process holds it, and its task says so', async () => {
    const { store, childId, answer } = await left();
    const lease = await store.acquire(childId, 'run_elsewhere', 30_000);
    expect(isHeld(lease)).toBe(false);
    const second = made(store, { script: ['end'] }, {}, { lockWaitMs: 1 });
    const result = await second.agent.resume('s', answer);
    expect(result).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'error' }] });
    for (const said of [`'${childId}'`, "'run_elsewhere'", 'stays open', 'give the task anew', 'lockWaitMs']) {
      expect(outputOf(result)).toContain(said);
    }
    expect((await recordsOf(store, 's')).find(({ type }) => type === 'outcome')).toMatchObject({
      record: { reason: `the session '${childId}' is held` },
      spent: { calls: 1 },
    });
    expect((await recordsOf(store, childId)).at(-1)).toMatchObject({ type: 'answered' });
    expect(second.ended).toEqual([]);
  });
});

it('a child that is done has its result, however long an observer takes that is told of its end', async () => {
  const never = deferred();
  const registry = registryWithGuard();
  registry.registerVoid('sessionEnd', ({ origin }) => (origin.agentPath.length > 1 ? never.promise : undefined));
  const script = [tasking, 'end'];
  const { agent, ended } = made(memoryStore(), { script }, { script: ['the answer'] }, { registry, lockWaitMs: 5 });
  const result = await agent.session('s').run('go');
  expect(result.toolCalls).toMatchObject([{ outcome: 'ok', output: 'the answer' }]);
  expect(ended).toEqual(['done']);
  never.resolve();
});

describe('an observer without a budget that never answers the end of a child', () => {
  /** It is told of children alone, and says which signal it has. */
  function endless() {
    const registry = registryWithGuard();
    const signals: AbortSignal[] = [];
    const observe = ({ origin }: SessionEnd, { signal }: { readonly signal: AbortSignal }) => {
      if (origin.agentPath.length === 1) return;
      signals.push(signal);
      return new Promise<void>(() => {});
    };
    registry.registerVoid('sessionEnd', observe, { timeoutMs: 'caller' });
    return { registry, signals, clock: manualClock() };
  }
  const ready = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  };

  it('keeps its parent for graceMs, and has its signal aborted then', async () => {
    const { registry, signals, clock } = endless();
    const options = { registry, clock, graceMs: 100 };
    const { agent } = made(memoryStore(), { script: [tasking, 'end'] }, { script: ['the answer'] }, options);
    let result: RunResult | undefined;
    void agent
      .session('s')
      .run('go')
      .then((given) => (result = given));
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    clock.advance(99);
    await ready();
    expect([result, signals.map(({ aborted }) => aborted)]).toEqual([undefined, [false]]);
    clock.advance(1);
    await vi.waitFor(() => expect(result).toBeDefined());
    expect(result).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok', output: 'the answer' }] });
    expect([signals.map(({ aborted }) => aborted), clock.pending()]).toEqual([[true], 0]);
  });

  it('keeps no run from being suspended by a shutdown', async () => {
    const { registry, signals, clock } = endless();
    const begun = deferred();
    const slow = tool('slow', (_, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    const agents = {
      lead: { model: scriptedModel([tasking]), tools: [slow], agents: ['helper'] },
      helper: { model: scriptedModel([calls({ name: 'slow', args: {} })]), tools: [slow] },
    };
    const runtime = createRuntime({ registry, clock, agents, graceMs: 100 });
    const run = runtime.agent('lead').session('s').run('go');
    await begun.promise;
    const down = runtime.shutdown({ graceMs: 0, settleMs: 1_000 });
    clock.advance(0);
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    clock.advance(100);
    expect((await run).status).toBe('pending');
    expect(await down).toMatchObject({ suspended: [{ sessionId: 's' }], stuck: [] });
    expect(clock.pending()).toBe(0);
  });
});

describe('a child that waits has an end with the run that gave its task', () => {
  const two = calls(
    { name: 'task', args: { agent: 'helper', prompt: 'one' } },
    { name: 'task', args: { agent: 'helper', prompt: 'two' } },
  );
  const waiting = calls({ name: 'ask', args: {} });
  const failing: Definition = {
    script: [two],
    hooks: {
      afterTool: ({ args }) => {
        if ((args as { readonly prompt?: string }).prompt === 'two') throw new Error('boom');
      },
    },
  };
  const standing = async (store: SessionStore) =>
    (await store.list()).map(({ last, pending: open }) => `${String(last)} ${open}`).toSorted();

  it('that fails in its first process', async () => {
    const store = memoryStore();
    const { agent } = made(store, failing, { script: [waiting, 'done'] });
    expect((await agent.session('s').run('go')).status).toBe('failed');
    expect(await standing(store)).toEqual(['aborted 0', 'done 0', 'failed 0']);
  });

  it('that went on in another process and has given it there', async () => {
    const store = memoryStore();
    const first = made(store, { script: [waiting] }, {});
    const waits = await first.agent.session('s').run('go');
    const second = made(store, failing, { script: [waiting, 'done'] });
    const result = await second.agent.session('s').resume({ id: waits.pending![0]!.id, ok: true });
    expect(result.status).toBe('failed');
    expect(await standing(store)).toEqual(['aborted 0', 'done 0', 'failed 0']);
  });
});
