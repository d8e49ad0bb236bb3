// Wrapped calls of a run that is aborted, that waits, or whose process has died.
import { pending, type Answer, type SessionRecord, type SessionStore } from '@treblehook/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRuntime, memoryStore, type Around, type RunResult, type ToolCallDone } from '../src/index.js';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { faultOf, wrapped } from './around-kit.js';
import { call, calls, echo, registryWithGuard, settle } from './kit.js';
import { tool } from './watched.js';

afterEach(() => void vi.restoreAllMocks());

const never = (): Promise<never> => new Promise(() => {});
const yes = ({ pending: [request] = [] }: RunResult, data?: Answer['data']): Answer => ({
  id: request!.id,
  ok: true,
  ...(data === undefined ? {} : { data }),
});

describe('a wrapper of a run that is aborted', () => {
  it.each<[string, Around, object, number]>([
    ['in front of its core', { toolCall: never }, { outcome: 'cancelled' }, 0],
    [
      'behind its core',
      {
        async toolCall(_, core) {
          await core();
          return never();
        },
      },
      { outcome: 'ok', output: 'said hi' },
      1,
    ],
  ])('and that hangs %s is waited for no longer than graceMs', async (_, around, end, runs) => {
    const clock = manualClock();
    const abort = new AbortController();
    const { tool: danger, ran } = echo();
    const made = wrapped([calls('echo', 'echo'), 'never'], around, { tools: [danger], clock, graceMs: 100 });
    let isOver = false;
    const run = made.run({ signal: abort.signal }).finally(() => (isOver = true));
    await settle();
    abort.abort();
    clock.advance(99);
    await settle();
    expect(isOver).toBe(false);
    clock.advance(1);
    const result = await run;
    expect(result.status).toBe('aborted');
    expect(result.toolCalls).toMatchObject([end, { outcome: 'cancelled' }]);
    expect([ran.length, made.ends.length, clock.pending()]).toEqual([runs, 2, 0]);
  });

  it('is told by its signal, and its core says cancelled', async () => {
    const abort = new AbortController();
    const seen: unknown[] = [];
    const around: Around = {
      async toolCall(_, core, signal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        seen.push((await core()).outcome, await faultOf(core()));
        return { result: 'all is well' };
      },
    };
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'never'], around, { tools: [danger] });
    const run = made.run({ signal: abort.signal });
    await settle();
    abort.abort();
    expect(await run).toMatchObject({ status: 'aborted', toolCalls: [{ outcome: 'cancelled' }] });
    expect(seen).toMatchObject(['cancelled', { code: 'TH_CORE_REFUSED' }]);
    expect(ran).toEqual([]);
  });

  it('cannot make a body that may still be running a success, nor try it again', async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const gate = deferred<string>();
    const seen: unknown[] = [];
    const around: Around = {
      async toolCall(_, core) {
        seen.push((await core()).outcome, await faultOf(core()));
        return { result: 'all is well' };
      },
    };
    const made = wrapped([call('slow', {}), 'never'], around, {
      tools: [tool('slow', () => gate.promise)],
      clock,
      graceMs: 100,
    });
    const run = made.run({ signal: abort.signal });
    await settle();
    abort.abort();
    clock.advance(100);
    expect(await run).toMatchObject({ status: 'aborted', toolCalls: [{ outcome: 'outcome-unknown' }] });
    await settle();
    expect(seen).toMatchObject(['outcome-unknown', { code: 'TH_CORE_REFUSED' }]);
    gate.resolve('late');
  });

  it('that ends late is told to the log alone', async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const gate = deferred<never>();
    const made = wrapped([call('echo'), 'never'], { toolCall: () => gate.promise }, { tools: [echo().tool], clock });
    const run = made.run({ signal: abort.signal });
    await settle();
    abort.abort();
    clock.advance(1000);
    const { toolCalls } = await run;
    gate.reject(new Error('too late'));
    await settle();
    expect((await made.log()).at(-1)).toMatchObject({ type: 'late', text: "'around' failed: too late" });
    expect(JSON.stringify([toolCalls, made.ends])).not.toContain('too late');
  });
});

describe('a wrapper of a run that is suspended', () => {
  it.each<[string, Around]>([
    ['hangs in front of its core', { toolCall: never }],
    [
      'fails as it hears of it',
      { toolCall: (_, __, signal) => new Promise((___, fail) => signal.addEventListener('abort', fail)) },
    ],
  ])('and that %s leaves its call open: it goes on in another process, wrapped anew', async (_, around) => {
    const clock = manualClock();
    const store = memoryStore();
    const { tool: body, ran } = echo();
    const runtime = createRuntime({
      agents: { agent: { model: scriptedModel([call('echo')]), tools: [body] } },
      registry: registryWithGuard(),
      around,
      clock,
      store,
    });
    const run = runtime.agent('agent').session('s').run('go');
    await settle();
    const down = runtime.shutdown({ graceMs: 10 });
    await settle();
    clock.advance(10);
    await settle();
    clock.advance(1000);
    expect([(await run).status, (await down).suspended.length, ran]).toEqual(['pending', 1, []]);
    const second = wrapped(['done'], { toolCall: (__, core) => core() }, { tools: [body], store });
    expect(await second.session.resume()).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok' }] });
    expect(ran).toHaveLength(1);
  });
});

describe('a wrapped call that waits', () => {
  const asking = (made: ReturnType<typeof wrapped>): (() => void) =>
    made.registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?' }), { id: 'asker' });

  /** An agent of another process: nothing is shared but the store. */
  async function suspended(around: Around | undefined, args: object = { text: 'hi' }) {
    const store: SessionStore = memoryStore();
    const first = wrapped([call('echo', args)], around, { tools: [echo().tool], store });
    asking(first);
    const result = await first.run();
    expect(result.status).toBe('pending');
    return { store, result };
  }

  it('stays rewritten behind a resume, and is wrapped again from its seal on', async () => {
    const { store, result } = await suspended({ toolCall: (_, core) => core({ args: { text: 'mine' } }) });
    const { tool: body, ran } = echo();
    const seen: unknown[] = [];
    const around: Around = {
      async toolCall({ args, isTakenUp, attempt }, core) {
        seen.push([args, isTakenUp, attempt]);
        seen.push((await core()).outcome);
      },
    };
    const second = wrapped(['done'], around, { tools: [body], store });
    asking(second);
    expect(await second.session.resume(yes(result))).toMatchObject({ status: 'done' });
    expect([seen, ran]).toEqual([[[{ text: 'mine' }, true, 1], 'ok'], [{ text: 'mine' }]]);
    expect(second.ends.map(({ outcome, record }) => [outcome, record.asks])).toMatchObject([
      ['ok', [{ granted: { request: result.pending![0]!.id } }]],
    ]);
  });

  // https://github.com/anvia-hq/anvia/pull/178
  it('keeps its yes when its wrapper gives the same arguments, and asks anew about others', async () => {
    const rewriting: Around = { toolCall: (_, core) => core({ args: { text: 'mine' } }) };
    for (const around of [rewriting, { toolCall: (_, core) => core({ args: { text: 'other' } }) } satisfies Around]) {
      const { store, result } = await suspended(rewriting);
      const { tool: body, ran } = echo();
      const second = wrapped(['done'], around, { tools: [body], store });
      asking(second);
      const resumed = await second.session.resume(yes(result));
      if (around === rewriting) expect([resumed.status, ran]).toEqual(['done', [{ text: 'mine' }]]);
      else {
        expect([resumed.status, ran]).toEqual(['pending', []]);
        expect(resumed.pending).toMatchObject([{ data: { args: { text: 'other' } } }]);
        expect((await second.session.resume(yes(resumed))).status).toBe('done');
        expect(ran).toEqual([{ text: 'other' }]);
      }
    }
  });

  it('asks the guards at the time it goes on: a stricter one beats what the wrapper proposes', async () => {
    const { store, result } = await suspended({ toolCall: (_, core) => core() });
    const { tool: body, ran } = echo();
    const second = wrapped(['done'], { toolCall: () => ({ result: 'all is well' }) }, { tools: [body], store });
    second.registry.registerClaiming('toolPolicy', () => ({ deny: 'stricter now' }), { id: 'late' });
    expect((await second.session.resume(yes(result))).toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect(ran).toEqual([]);
  });

  it('for which a result was proposed keeps it: the wrapper has had its say, and the body does not run', async () => {
    for (const around of [undefined, { toolCall: () => ({ result: 'other' }) } satisfies Around]) {
      const { store, result } = await suspended({ toolCall: () => ({ result: 'known' }) });
      const { tool: body, ran } = echo();
      const second = wrapped(['done'], around, { tools: [body], store });
      asking(second);
      const resumed = await second.session.resume(yes(result));
      expect(resumed.toolCalls).toMatchObject([{ outcome: 'ok', output: 'known' }]);
      expect(second.ends[0]!.record).toMatchObject({ by: 'around' });
      expect(ran).toEqual([]);
    }
  });

  it('that an answer refuses is over: no wrapper is asked', async () => {
    const { store, result } = await suspended(undefined);
    let asked = 0;
    const around: Around = {
      toolCall: (_, core) => {
        asked++;
        return core();
      },
    };
    const second = wrapped(['done'], around, { tools: [echo().tool], store });
    const resumed = await second.session.resume({ ...yes(result), ok: false });
    expect([resumed.toolCalls, asked]).toMatchObject([[{ outcome: 'denied' }], 0]);
  });

  it('in its second attempt goes on as that one, with no yes of the first', async () => {
    const store = memoryStore();
    let ran = 0;
    const failing = tool('echo', () => {
      ran++;
      throw new Error('broken');
    });
    const twice: Around = {
      async toolCall(_, core) {
        if ((await core()).outcome === 'error') await core();
      },
    };
    const first = wrapped([call('echo', {})], twice, { tools: [failing], store });
    asking(first);
    const one = await first.run();
    const two = await first.session.resume(yes(one));
    expect([two.status, ran]).toEqual(['pending', 1]);
    const attempts: number[] = [];
    const second = wrapped(
      ['done'],
      { toolCall: ({ attempt }, core) => (attempts.push(attempt), core()) },
      { tools: [tool('echo', () => 'at last')], store },
    );
    asking(second);
    const three = await second.session.resume(yes(two));
    expect(three.toolCalls).toMatchObject([{ outcome: 'ok', output: 'at last' }]);
    expect([attempts, second.ends.map(({ attempt }) => attempt)]).toEqual([[2], [2]]);
  });

  it('in its second attempt holds no yes of the first either when its guards ask the same again', async () => {
    const store = memoryStore();
    const failing = tool('echo', () => {
      throw new Error('broken');
    });
    const twice: Around = {
      async toolCall(_, core) {
        if ((await core()).outcome === 'error') await core();
      },
    };
    const first = wrapped([call('echo', {})], twice, { tools: [failing], store });
    first.registry.registerClaiming('toolPolicy', ({ attempt }) => ({ ask: 'sure?', rule: `rule ${attempt}` }), {
      id: 'asker',
    });
    const two = await first.session.resume(yes(await first.run()));
    expect(two.pending).toMatchObject([{ data: { asks: [{ rule: 'rule 2' }] } }]);
    let ran = 0;
    const second = wrapped(['done'], undefined, { tools: [tool('echo', () => String(ran++))], store });
    second.registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?', rule: 'rule 1' }), { id: 'asker' });
    const three = await second.session.resume(yes(two));
    expect([three.status, ran]).toEqual(['pending', 0]);
    expect(three.pending).toMatchObject([{ data: { asks: [{ rule: 'rule 1' }] } }]);
  });

  it('of a body that waits is answered in another process, and a throw of its wrapper changes nothing of the wait', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const store = memoryStore();
    const asks = tool('ask', (_, { answer }) =>
      answer === undefined ? pending({ kind: 'input', prompt: 'which?' }) : JSON.stringify(answer.data),
    );
    const throwing: Around = {
      async toolCall(_, core) {
        await core();
        throw new Error('broken');
      },
    };
    const first = wrapped([call('ask', {})], throwing, { tools: [asks], store });
    const result = await first.run();
    expect([result.status, warn.mock.calls.length]).toEqual(['pending', 1]);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('stays suspended: broken'), expect.anything());
    const done: ToolCallDone[] = [];
    const around: Around = {
      async toolCall(_, core) {
        done.push(await core());
      },
    };
    const second = wrapped(['done'], around, { tools: [asks], store });
    expect((await second.session.resume(yes(result, 'this'))).toolCalls).toMatchObject([{ output: '"this"' }]);
    expect(done).toMatchObject([{ outcome: 'ok', result: { output: '"this"' } }]);
  });
});

describe('a wrapped call whose process has died', () => {
  /** A store that has the log up to and with the first record that fits. */
  async function cut(script: Parameters<typeof wrapped>[0], around: Around, last: (record: SessionRecord) => boolean) {
    let ran = 0;
    const failing = tool('echo', () => {
      ran++;
      throw new Error('broken');
    });
    const made = wrapped(script, around, { tools: [failing] });
    await made.run();
    const store = memoryStore();
    const lease = await store.acquire('s', 'dead', 1);
    const log = await made.log();
    await store.append(lease as never, log.slice(0, log.findIndex(last) + 1));
    await store.release(lease as never);
    return { store, ran: () => ran, failing };
  }
  const twice: Around = {
    async toolCall(_, core) {
      await core();
      await core();
    },
  };

  it('between two attempts ends as the first one did, and no wrapper is asked', async () => {
    const { store, failing, ran } = await cut([call('echo', {}), 'ok'], twice, ({ type }) => type === 'attempt');
    let asked = 0;
    const second = wrapped(['done'], { toolCall: (_, core) => (asked++, core()) }, { tools: [failing], store });
    const result = await second.session.resume();
    expect(result.toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringContaining('broken') }]);
    expect([ran(), asked]).toEqual([2, 0]);
    expect(second.ends[0]!.record).toMatchObject({ reason: expect.stringContaining('attempted anew') });
  });

  it('between two attempts is one call of the limit, in each process that goes on with it', async () => {
    const { store, failing } = await cut([call('echo', {}), 'ok'], twice, ({ type }) => type === 'attempt');
    const asking = (unasked: () => string | ReturnType<typeof pending>) => ({
      tools: [failing, tool('ask', (_, { answer }) => (answer === undefined ? unasked() : 'answered'))],
      store,
      limits: { toolCalls: 3 },
    });
    const first = asking(() => pending({ kind: 'input', prompt: 'which?' }));
    const waits = await wrapped([call('ask', {})], undefined, first).session.resume();
    expect(waits).toMatchObject({ status: 'pending', toolCalls: [{ outcome: 'error' }] });
    const last = asking(() => 'not asked');
    const result = await wrapped([calls('ask', 'echo')], undefined, last).session.resume(yes(waits));
    // the call that was attempted, the one that was asked about, and one more
    expect(result.toolCalls.map(({ outcome }) => outcome)).toEqual(['error', 'ok', 'ok', 'not-started']);
  });

  it('between two attempts has run, also where a limit is reached by then', async () => {
    const { store, failing } = await cut([call('echo', {}), 'ok'], twice, ({ type }) => type === 'attempt');
    const second = wrapped(['never'], undefined, { tools: [failing], store, limits: { tokens: 15 } });
    const result = await second.session.resume();
    expect(result).toMatchObject({ status: 'incomplete', limit: 'tokens', toolCalls: [{ outcome: 'error' }] });
  });

  it('between two attempts keeps that end also when the conversation goes on without it', async () => {
    const { store, failing } = await cut([call('echo', {}), 'ok'], twice, ({ type }) => type === 'attempt');
    const second = wrapped(['done'], undefined, { tools: [failing], store });
    const { messages } = await second.run();
    expect(JSON.stringify(messages)).toContain("'echo' failed: broken");
  });

  it('in its second attempt is of unknown outcome, and is not run again', async () => {
    let started = 0;
    const { store, failing, ran } = await cut(
      [call('echo', {}), 'ok'],
      twice,
      ({ type }) => type === 'started' && ++started === 2,
    );
    const second = wrapped(['done'], { toolCall: () => ({ result: 'all is well' }) }, { tools: [failing], store });
    expect((await second.session.resume()).toolCalls).toMatchObject([{ outcome: 'outcome-unknown' }]);
    expect(ran()).toBe(2);
  });

  it('counts its attempts against the limit that it had', async () => {
    const { store, failing } = await cut(
      [calls({ name: 'echo', args: {} }), 'ok'],
      twice,
      ({ type }) => type === 'outcome',
    );
    const second = wrapped([call('echo', { text: 'x' }), 'ok'], undefined, {
      tools: [failing],
      store,
      limits: { toolCalls: 2 },
    });
    const result = await second.session.resume();
    expect(result).toMatchObject({ status: 'incomplete', limit: 'toolCalls' });
    expect(result.toolCalls.map(({ outcome }) => outcome)).toEqual(['error', 'not-started']);
  });
});
