// A shutdown has an end whatever holds it: what does not end in its time is named, and holds the process no longer.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Lease, SessionRecord, SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createAgent, createRuntime, memoryStore, type RuntimeOptions } from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, registryWithGuard, settle } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';

failOnUnhandledRejections();

type Calls = 'acquire' | 'renew' | 'release' | 'append' | 'read' | 'settle';

/** Does not answer `name` of a session that fits until `answer` says so. */
function hanging(name: Calls, fits: (sessionId: string, records: readonly SessionRecord[]) => boolean) {
  const store = memoryStore();
  const reached = deferred<void>();
  const answer = deferred<void>();
  const appended: string[] = [];
  const watched: SessionStore = {
    ...store,
    append(lease: Lease, records: readonly SessionRecord[]) {
      appended.push(...records.map(({ type }) => type));
      return store.append(lease, records);
    },
  };
  const hung = async (given: string | Lease, ...rest: readonly unknown[]): Promise<unknown> => {
    const sessionId = typeof given === 'string' ? given : given.sessionId;
    const records = Array.isArray(rest[0]) ? (rest[0] as readonly SessionRecord[]) : [];
    if (fits(sessionId, records)) {
      reached.resolve();
      await answer.promise;
    }
    return (watched[name] as (...args: readonly unknown[]) => unknown)(given, ...rest);
  };
  return { store: { ...watched, [name]: hung } as SessionStore, reached: reached.promise, answer, appended };
}

function runtimeOf(store: SessionStore, lead: readonly ScriptedStep[], options: Partial<RuntimeOptions> = {}) {
  const clock = manualClock();
  const registry = registryWithGuard();
  const { tool } = echo();
  const { channels: _, route: __, ...rest } = options;
  const runtime = createRuntime({
    graceMs: 100,
    ...rest,
    store,
    clock,
    registry,
    agents: {
      lead: { model: scriptedModel(lead), tools: [tool], agents: ['helper'] },
      helper: { model: scriptedModel([call('echo'), 'h']), tools: [tool] },
    },
  });
  return { runtime, clock, registry };
}

/** Past the patience for runs, for bodies, and for what has to end. */
async function pass(clock: ReturnType<typeof manualClock>, ...waits: readonly number[]): Promise<void> {
  for (const ms of waits) {
    await settle();
    clock.advance(ms);
  }
}

describe('shutdown of a runtime whose store does not answer', () => {
  it.each<[Calls, readonly ScriptedStep[], (id: string, records: readonly SessionRecord[]) => boolean]>([
    ['acquire', ['x'], () => true],
    ['read', ['x'], () => true],
    ['append', ['x'], (_, records) => records.some(({ type }) => type === 'answer')],
    ['append', ['x'], (_, records) => records.some(({ type }) => type === 'settled')],
    ['release', ['x'], () => true],
  ])('to %s has an end, and names what is stuck', async (name, script, fits) => {
    const { store, reached, answer } = hanging(name, fits);
    const { runtime, clock } = runtimeOf(store, script);
    const run = runtime.agent('lead').session('s').run('go');
    await reached;
    const down = runtime.shutdown({ graceMs: 50, settleMs: 20 });
    await pass(clock, 50, 119);
    expect(runtime.describe().running).toBe(1);
    await pass(clock, 1, 20);
    const report = await down;
    expect(report).toMatchObject({ finished: 0, suspended: [], refused: 0 });
    const what = `the session store has not answered: ${name} of the session 's'`;
    expect(report.stuck).toEqual([{ sessionId: 's', agent: 'lead', runId: expect.any(String), what }]);
    answer.resolve();
    expect(['aborted', 'failed', 'pending', 'done']).toContain((await run).status);
  });

  it('to a child names its session, and lets its lease run out: nothing more is written when it answers', async () => {
    const { store, reached, answer, appended } = hanging(
      'append',
      (id, records) => id !== 's' && records.some(({ type }) => type === 'outcome'),
    );
    const { runtime, clock } = runtimeOf(store, [
      calls({ name: 'task', args: { agent: 'helper', prompt: 'do it' } }),
      'end',
    ]);
    const run = runtime.agent('lead').session('s').run('go');
    await reached;
    const down = runtime.shutdown({ graceMs: 0, settleMs: 0 });
    await pass(clock, 0, 100, 0);
    const { stuck } = await down;
    expect(stuck).toMatchObject([{ sessionId: 's', what: expect.stringMatching(/append of the session 's\/.+'/) }]);
    expect(clock.pending()).toBe(0); // no lease is renewed any more
    const before = appended.length;
    answer.resolve();
    await run;
    expect(appended.slice(before)).toEqual(['outcome']); // what it was asked for
    expect(clock.pending()).toBe(0);
  });

  it('leaves the others as they are: they are suspended, or have ended, and their sessions are closed', async () => {
    const { store, reached } = hanging('append', (id, records) => id === 's' && records[0]?.type === 'answer');
    const { runtime, clock, registry } = runtimeOf(store, ['x', 'y', { text: 'z', hold: deferred().promise }]);
    const closed: string[] = [];
    registry.registerVoid('sessionEnd', ({ origin }) => void closed.push(origin.sessionId));
    const lead = runtime.agent('lead');
    void lead.session('s').run('go');
    await reached;
    await lead.session('done').run('go');
    const held = lead.session('held').run('go');
    await settle();
    const down = runtime.shutdown({ graceMs: 0, settleMs: 0 });
    await pass(clock, 0, 100, 0);
    const { finished, suspended, stuck } = await down;
    expect([finished, suspended.length, stuck.length, (await held).status]).toEqual([0, 1, 1, 'pending']);
    expect(closed).toEqual(['done', 'held']);
    expect(await runtime.shutdown()).toBe(await down);
  });

  it('names the call also where no run is in hand', async () => {
    const { store, reached } = hanging('read', () => true);
    const { runtime, clock } = runtimeOf(store, []);
    void runtime.agent('lead').session('s').load();
    await reached;
    const down = runtime.shutdown({ graceMs: 0, settleMs: 10 });
    await pass(clock, 0, 110, 10);
    const what = "the session store has not answered: read of the session 's'";
    expect((await down).stuck).toEqual([{ sessionId: 's', agent: 'lead', what }]);
  });

  it('holds the process no longer, by no timer and no rejection', async () => {
    const child = fileURLToPath(new URL('shutdown-child.mjs', import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--unhandled-rejections=strict', child]);
    expect([stdout, stderr]).toEqual(["the session store has not answered: append of the session 's'\n", '']);
  });
});

describe('shutdown of a runtime whose handlers do not answer', () => {
  async function stuckBy(hook: 'agentDone' | 'sessionEnd') {
    const { runtime, clock, registry } = runtimeOf(memoryStore(), ['x']);
    const reached = deferred<void>();
    registry.registerVoid(hook, () => (reached.resolve(), new Promise<void>(() => {})), { timeoutMs: 'caller' });
    void runtime.agent('lead').session('s').run('go');
    await settle();
    const down = runtime.shutdown({ graceMs: 0, settleMs: 10 });
    await reached.promise;
    await pass(clock, 0, 110, 10);
    return (await down).stuck;
  }

  it('to sessionEnd has an end, and names what is stuck', async () => {
    const stuck = await stuckBy('sessionEnd');
    const what = expect.stringContaining('it has not closed');
    expect(stuck).toMatchObject([{ sessionId: 's', agent: 'lead', what }]);
    expect('runId' in stuck[0]!).toBe(false);
  });

  it('to agentDone has an end: the run has that too, graceMs behind its suspension', async () => {
    expect(await stuckBy('agentDone')).toEqual([]);
  });
});

it('close of an agent whose store does not answer has an end too, and says which run holds the session', async () => {
  const { store, reached } = hanging('append', (_, records) => records[0]?.type === 'answer');
  const clock = manualClock();
  const agent = createAgent({ model: scriptedModel(['x']), registry: registryWithGuard(), store, clock });
  void agent.session('s').run('go');
  await reached;
  const closed = agent.close().catch((error: unknown) => error);
  await pass(clock, 30_000);
  expect(await closed).toMatchObject({
    code: 'TH_SESSION_BUSY',
    details: { session: 's', holder: expect.stringMatching(/^run_/) },
  });
});
