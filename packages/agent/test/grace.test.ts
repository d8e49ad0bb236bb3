// An abort ends the wait for every handler: those too that are fired without the signal of the run.
import type { ToolEnd } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createRuntime, memoryStore, type AgentOptions } from '../src/index.js';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard, settle } from './kit.js';

const never = (): Promise<never> => new Promise(() => {});
const graceMs = 100;

/** A run whose tool has run, aborted while something behind it never answers. */
function aborted(options: Partial<Omit<AgentOptions, 'model'>>, script = [call('echo'), 'never']) {
  const clock = manualClock();
  const store = memoryStore();
  const { tool, ran } = echo();
  const made = kit(script, { tools: [tool], clock, graceMs, store, ...options });
  const ends: ToolEnd[] = [];
  made.registry.registerVoid('toolEnd', (end) => void ends.push(end));
  const abort = new AbortController();
  const session = made.agent.session('s');
  let status: string | undefined;
  const begin = async () => {
    const run = session.run('go', { signal: abort.signal });
    void run.then((result) => (status = result.status));
    for (let turns = 0; turns < 5; turns++) await settle();
    return run;
  };
  const later = async (ms: number): Promise<string | undefined> => {
    clock.advance(ms);
    for (let turns = 0; turns < 5; turns++) await settle();
    return status;
  };
  const log = async () => JSON.stringify(await store.read('s'));
  return { ...made, clock, session, abort, begin, later, log, ran, ends };
}

describe('a plain afterTool that never answers', () => {
  it('ends with its run, graceMs behind the abort: what the tool gave is withheld', async () => {
    const { session, abort, begin, later, log, clock, ran, ends } = aborted({ hooks: { afterTool: never } });
    const run = begin();
    expect(await later(60_000)).toBeUndefined(); // it has no budget of its own
    abort.abort();
    expect(await later(graceMs - 1)).toBeUndefined();
    expect(await later(1)).toBe('aborted');
    const { toolCalls } = await run;
    const output = "'echo' has run, and the run was aborted before its result was ready: it is withheld";
    expect(toolCalls).toMatchObject([{ outcome: 'error', output }]);
    expect(ends).toMatchObject([{ outcome: 'error', record: { rawDigest: expect.any(String) } }]);
    expect(ran).toHaveLength(1);
    expect(await log()).not.toContain('said');
    expect(clock.pending()).toBe(0);
    await session.close();
  });

  it('is waited for once, however many calls there are', async () => {
    const safe = { ...echo().tool, concurrency: 'safe' as const };
    const { abort, begin, later } = aborted({ hooks: { afterTool: never }, tools: [safe] }, [
      calls('echo', 'echo', 'echo'),
      'never',
    ]);
    const run = begin();
    await later(0);
    abort.abort();
    expect(await later(graceMs)).toBe('aborted');
    expect((await run).toolCalls.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error']);
  });

  it('is heard no more when it answers, or fails, behind that', async () => {
    for (const word of ['answer', 'error']) {
      const late = deferred<{ result: { output: string; isError: boolean } }>();
      const { abort, begin, later, log } = aborted({ hooks: { afterTool: () => late.promise } });
      const run = begin();
      await later(0);
      abort.abort();
      await later(graceMs);
      await run;
      if (word === 'answer') late.resolve({ result: { output: 'late', isError: false } });
      else late.reject(new Error('late'));
      await later(0);
      expect(await log()).not.toContain('late');
    }
  });

  it('counts when it answers in time', async () => {
    const soon = deferred<{ result: { output: string; isError: boolean } }>();
    const { abort, begin, later, clock } = aborted({ hooks: { afterTool: () => soon.promise } });
    const run = begin();
    await later(0);
    abort.abort();
    await later(graceMs - 1);
    soon.resolve({ result: { output: 'redacted', isError: false } });
    expect((await run).toolCalls).toMatchObject([{ outcome: 'ok', output: 'redacted' }]);
    expect(clock.pending()).toBe(0);
  });

  it('keeps no shutdown', async () => {
    const runtime = createRuntime({
      registry: registryWithGuard(),
      hooks: { afterTool: never },
      graceMs: 1,
      agents: { one: { model: scriptedModel([call('echo'), 'never']), tools: [echo().tool] } },
    });
    const run = runtime.agent('one').session('s').run('go');
    await settle();
    expect(await runtime.shutdown({ graceMs: 1, settleMs: 50 })).toMatchObject({ suspended: [{ sessionId: 's' }] });
    expect(await run).toMatchObject({ status: 'pending' });
  });
});

describe('a plain afterTool that is slower than graceMs, when its runtime is shut down', () => {
  async function slow(options: Partial<AgentOptions>) {
    const clock = manualClock();
    const store = memoryStore();
    const registry = options.registry ?? registryWithGuard();
    const runtime = createRuntime({
      registry,
      store,
      clock,
      graceMs,
      ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
      agents: { one: { model: scriptedModel([call('echo'), 'never']), tools: [echo().tool] } },
    });
    void runtime.agent('one').session('s').run('go');
    const later = async (ms: number): Promise<void> => {
      for (let turns = 0; turns < 5; turns++) await settle();
      clock.advance(ms);
      for (let turns = 0; turns < 5; turns++) await settle();
    };
    await later(0);
    const down = runtime.shutdown({ graceMs: 0, settleMs: 1_000 });
    await later(0);
    const outcomes = async () =>
      (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record] : []));
    return { down, later, outcomes };
  }
  const redacted = { result: { output: 'redacted', isError: false } };

  it.each(['a plain hook', 'a handler without a budget'])('counts while the shutdown can wait: %s', async (who) => {
    const soon = deferred<typeof redacted>();
    const registry = registryWithGuard();
    const isPlain = who === 'a plain hook';
    if (!isPlain) registry.registerModifying('afterTool', () => soon.promise, { id: 'slow', timeoutMs: 'caller' });
    const { down, later, outcomes } = await slow(
      isPlain ? { registry, hooks: { afterTool: () => soon.promise } } : { registry },
    );
    await later(graceMs + 499);
    soon.resolve(redacted);
    await later(0);
    expect(await down).toMatchObject({ suspended: [{ sessionId: 's' }], stuck: [] });
    expect(await outcomes()).toMatchObject([{ outcome: 'ok', result: { output: 'redacted' } }]);
  });

  it('is withheld behind that, and the shutdown is not held: the log says that the tool has run', async () => {
    const { down, later, outcomes } = await slow({ hooks: { afterTool: never } });
    await later(graceMs + 500);
    expect(await down).toMatchObject({ suspended: [{ sessionId: 's' }], stuck: [] });
    expect(await outcomes()).toMatchObject([{ outcome: 'error' }]);
  });
});

describe('a handler of the host without a budget that never answers', () => {
  const caller = { id: 'endless', timeoutMs: 'caller' } as const;

  it.each(['toolEnd', 'agentDone'] as const)('at %s keeps no aborted run', async (point) => {
    const registry = registryWithGuard();
    const told: string[] = [];
    registry.registerVoid(point, never, caller);
    registry.registerVoid('agentDone', () => void told.push('agentDone'));
    const { abort, begin, later } = aborted({ registry });
    const run = begin();
    await later(0);
    abort.abort();
    await later(graceMs);
    await run;
    expect(told).toEqual(['agentDone']);
  });

  it('at afterTool has the result withheld', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('afterTool', never, caller);
    const { abort, begin, later, log } = aborted({ registry });
    const run = begin();
    await later(0);
    abort.abort();
    expect(await later(graceMs)).toBe('aborted');
    expect((await run).toolCalls).toMatchObject([{ outcome: 'error' }]);
    expect(await log()).not.toContain('said');
  });

  it('is told apart from one with a budget, which ends by itself and is waited for', async () => {
    const registry = registryWithGuard();
    const redacted = deferred<{ result: { output: string; isError: boolean } }>();
    registry.registerModifying('afterTool', () => redacted.promise, { id: 'redact' });
    const { abort, begin, later } = aborted({ registry });
    const run = begin();
    await later(0);
    abort.abort();
    expect(await later(graceMs * 10)).toBeUndefined();
    redacted.resolve({ result: { output: 'redacted', isError: false } });
    expect((await run).toolCalls).toMatchObject([{ outcome: 'ok', output: 'redacted' }]);
  });
});
