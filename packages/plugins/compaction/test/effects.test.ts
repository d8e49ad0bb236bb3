/** Laws of the order of effects: who is asked, what fails, what stops. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, estimateTokens, HookError, type Message } from '@treblehook/types';
import { compactor, install, isSummary, type CompactionOptions } from '../src/index.js';
import { RunStates } from '../src/run-states.js';
import { assistant, deferred, eightyOne, group, house, request, system, textOf, user } from './transcripts.js';

afterEach(() => vi.useRealTimers());

const over = eightyOne();

describe('the order of effects', () => {
  test('asked, flushed, summarised, told: each has ended before the next begins', async () => {
    const steps: string[] = [];
    const { registry, fire } = house({
      maxTokens: 1_000,
      flush: async (dropping) => {
        steps.push(`flush ${dropping.length}`);
        await Promise.resolve();
        steps.push('flushed');
      },
      summarize: (older) => {
        steps.push(`summarize ${older.length}`);
        return 'short';
      },
    });
    registry.registerModifying('beforeCompaction', ({ dropping }) => void steps.push(`before ${dropping.length}`));
    registry.registerVoid('afterCompaction', ({ outcome }) => void steps.push(outcome));
    await fire(request(over));
    expect(steps).toEqual(['before 78', 'flush 78', 'flushed', 'summarize 78', 'done']);
  });

  test('nothing is dropped while a flush is still running', async () => {
    const gate = deferred<void>();
    const begun = deferred<void>();
    let summarized = false;
    const { fire } = house({
      maxTokens: 1_000,
      flush: () => (begun.resolve(), gate.promise),
      summarize: () => ((summarized = true), 'short'),
    });
    const firing = fire(request(over));
    await begun.promise;
    await new Promise((tick) => setImmediate(tick));
    expect(summarized).toBe(false);
    gate.resolve();
    expect((await firing)?.messages).toHaveLength(4);
  });

  test('afterCompaction carries what was dropped, the tokens on both sides and the tail', async () => {
    const { fire, told } = house({ maxTokens: 1_000 });
    const after = (await fire(request(over)))!.messages!;
    expect(told).toMatchObject([
      { hook: 'before', trigger: 'auto', dropping: over.slice(1, 79), origin: { runId: 'run-1' } },
      { hook: 'after', outcome: 'done', trigger: 'auto', dropping: over.slice(1, 79), keptTail: 2 },
    ]);
    const done = told[1]!;
    expect(done).toHaveProperty('tokensAfter');
    expect(done.tokensBefore).toBeGreaterThan(4_000);
    expect(after).toHaveLength(4);
  });

  // https://github.com/anthropics/claude-code/issues/43450
  test('a veto of beforeCompaction leaves the history as it is, shows its reason and is no failure', async () => {
    let worked = 0;
    const { registry, fire, told, outcomes } = house({
      maxTokens: 1_000,
      flush: () => void worked++,
      summarize: () => ((worked += 1), 'short'),
    });
    registry.forPlugin('keeper').registerModifying('beforeCompaction', () => ({ veto: 'an audit is open' }));
    for (let step = 0; step < 5; step++) expect(await fire(request(over))).toBeUndefined();
    expect(worked).toBe(0);
    expect(outcomes()).toEqual(Array(5).fill('vetoed'));
    expect(told.at(-1)).toMatchObject({ reason: 'an audit is open' });
  });

  test('an empty reason vetoes too', async () => {
    const { registry, fire, outcomes } = house({ maxTokens: 1_000 });
    registry.registerModifying('beforeCompaction', () => ({ veto: '' }));
    expect(await fire(request(over))).toBeUndefined();
    expect(outcomes()).toEqual(['vetoed']);
  });

  // https://github.com/MemPalace/mempalace/issues/941
  test('a compaction that is always vetoed is asked once a step, and whoever gates the window ends the run', async () => {
    const { registry, fire, outcomes } = house({ maxTokens: 1_000 });
    registry.registerModifying('beforeCompaction', () => ({ veto: 'never' }));
    registry.registerModifying('beforeLLM', ({ messages }) => (messages.length > 50 ? { veto: 'does not fit' } : {}), {
      id: 'route-gate',
      onError: 'abort',
    });
    expect(await fire(request(over))).toEqual({ veto: 'does not fit' });
    expect(outcomes()).toEqual(['vetoed']);
  });

  test('a summary from beforeCompaction stands in place of the summariser’s', async () => {
    let asked = 0;
    const { registry, fire } = house({ maxTokens: 1_000, summarize: () => ((asked += 1), 'mine') });
    registry.forPlugin('writer').registerModifying('beforeCompaction', () => ({ summary: 'written by a plugin' }));
    const after = (await fire(request(over)))!.messages!;
    expect(textOf(after[1])).toMatch(/\nwritten by a plugin$/);
    expect(asked).toBe(0);
  });

  test('an earlier stage that broke the history is refused, and compaction sees it whole', async () => {
    // https://github.com/anthropics/claude-code/issues/6836
    const messages = [system('s'), user('a'.repeat(900)), ...group(['one', 'two'], 'x'.repeat(900)), user('go')];
    const { registry, fire } = house({ maxTokens: 400 });
    const refused: string[] = [];
    registry.events.on('amendmentRefused', ({ by }) => refused.push(by.id));
    registry
      .forPlugin('wedge')
      .registerModifying('beforeLLM', (e) => ({ messages: e.messages.toSpliced(3, 0, user('wedge')) }), {
        id: 'wedge',
      });
    const after = (await fire(request(messages)))!.messages!;
    expect(refused).toEqual(['wedge/wedge']);
    expect(after.map(textOf)).not.toContain('wedge');
    expect(after.at(-1)).toEqual(messages.at(-1));
  });
});

describe('failed attempts', () => {
  const failing: Record<string, CompactionOptions> = {
    'a summariser that throws': {
      maxTokens: 1_000,
      summarize: () => {
        throw new Error('no model');
      },
    },
    'a summariser that rejects': { maxTokens: 1_000, summarize: async () => Promise.reject(new Error('no model')) },
    'a summariser that throws no error': {
      maxTokens: 1_000,
      summarize: () => {
        throw null;
      },
    },
    'a summariser that returns nothing': { maxTokens: 1_000, summarize: () => undefined as unknown as string },
    'a summariser that returns a blank': { maxTokens: 1_000, summarize: () => ' \n ' },
    'a summariser that returns more than it got': { maxTokens: 1_000, summarize: () => 'x'.repeat(40_000) },
    'a flush that throws': {
      maxTokens: 1_000,
      flush: () => {
        throw new Error('disk full');
      },
    },
    'a budget below what cannot be dropped': { maxTokens: 2 },
  };
  for (const [what, options] of Object.entries(failing)) {
    test(`${what}: the history stays, and the second in a row stops the run`, async () => {
      const messages = options.maxTokens === 2 ? [system('a long system text'), user('a prompt')] : over;
      const { fire, told, outcomes } = house(options);
      expect(await fire(request(messages))).toBeUndefined();
      expect(told.at(-1)).toMatchObject({ outcome: 'failed', reason: expect.any(String) });
      const error = await fire(request(messages)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HookError);
      expect(error).toMatchObject({ code: 'TH_HANDLER_FAILED', handlerId: 'compaction' });
      expect((error as HookError).cause).toMatchObject({ code: 'TH_COMPACTION_STUCK' });
      expect(outcomes()).toEqual(['failed', 'failed']);
      const plain = compactor(options);
      const asked = { messages, tools: [], runId: 'run-1' };
      expect(await plain(asked)).toBeUndefined();
      await expect(async () => plain(asked)).rejects.toMatchObject({ code: 'TH_COMPACTION_STUCK' });
    });
  }

  test('of calls without a run none fails or waits for another', async () => {
    const gates = [deferred<string>(), deferred<string>()];
    let asked = 0;
    const cut = compactor({ maxTokens: 1_000, summarize: () => gates[asked++]?.promise ?? '' });
    const [one, two] = [over, eightyOne()].map((messages) => cut({ messages, tools: [] }));
    for (const gate of gates) gate.resolve('short');
    for (const cutting of [one, two]) expect((await cutting)?.messages).toHaveLength(4);
    for (let failure = 0; failure < 3; failure++) expect(await cut({ messages: over, tools: [] })).toBeUndefined();
  });

  test('failures of one run do not count for another, and a success in between starts anew', async () => {
    let broken = true;
    const { fire, outcomes } = house({
      maxTokens: 1_000,
      summarize: () => {
        if (broken) throw new Error('no model');
        return 'short';
      },
    });
    const of = (runId: string) => request(over, { origin: { ...request(over).origin, runId } });
    expect(await fire(of('a'))).toBeUndefined();
    expect(await fire(of('b'))).toBeUndefined();
    broken = false;
    expect(await fire(of('a'))).toBeDefined();
    broken = true;
    expect(await fire(of('a'))).toBeUndefined();
    await expect(fire(of('b'))).rejects.toMatchObject({ cause: { code: 'TH_COMPACTION_STUCK' } });
    await expect(fire(of('a'))).rejects.toMatchObject({ cause: { code: 'TH_COMPACTION_STUCK' } });
    expect(outcomes()).toEqual(['failed', 'failed', 'done', 'failed', 'failed', 'failed']);
  });

  test('a request within the budget in between forgives a failure', async () => {
    const { fire, outcomes } = house({ maxTokens: 1_000, summarize: () => '' });
    for (let step = 0; step < 3; step++) {
      expect(await fire(request(over))).toBeUndefined();
      expect(await fire(request(over.slice(0, 3)))).toBeUndefined();
    }
    expect(outcomes()).toEqual(['failed', 'failed', 'failed']);
  });

  test('a veto in between neither counts nor forgives', async () => {
    let vetoes = false;
    const { registry, fire, outcomes } = house({ maxTokens: 1_000, summarize: () => '' });
    registry.registerModifying('beforeCompaction', () => (vetoes ? { veto: 'not now' } : undefined));
    expect(await fire(request(over))).toBeUndefined();
    vetoes = true;
    expect(await fire(request(over))).toBeUndefined();
    vetoes = false;
    await expect(fire(request(over))).rejects.toMatchObject({ cause: { code: 'TH_COMPACTION_STUCK' } });
    expect(outcomes()).toEqual(['failed', 'vetoed', 'failed']);
  });

  test('a compaction that is done leaves no timer', async () => {
    vi.useFakeTimers();
    await compactor({ maxTokens: 1_000 })({ messages: over, tools: [] });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a summariser that hangs is a failed attempt before the handler’s own budget is over', async () => {
    vi.useFakeTimers();
    const seen: AbortSignal[] = [];
    const { registry, fire, told } = house({
      maxTokens: 1_000,
      summarize: (_, { signal }) => {
        seen.push(signal);
        return new Promise(() => {});
      },
    });
    expect(registry.plan('beforeLLM').find(({ id }) => id === 'compaction')).toMatchObject({
      budgetMs: 120_000,
      onError: 'abort',
    });
    const firing = fire(request(over));
    await vi.advanceTimersByTimeAsync(107_000);
    expect(seen[0]!.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await firing).toBeUndefined();
    expect(seen[0]!.aborted).toBe(true);
    expect(told.at(-1)).toMatchObject({ outcome: 'failed', reason: 'it ran over its time of 108000 ms' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a budget that the operator shortens shortens the attempt with it', async () => {
    vi.useFakeTimers();
    const registry = createHookRegistry(agentHooks, { budgets: { 'beforeLLM/compaction': 1_000 } });
    const reasons: (string | undefined)[] = [];
    registry.registerVoid('afterCompaction', ({ reason }) => void reasons.push(reason));
    install(registry, { maxTokens: 1_000, flush: () => new Promise(() => {}) });
    const firing = registry.fireModifying('beforeLLM', request(over));
    await vi.advanceTimersByTimeAsync(950);
    expect(await firing).toBeUndefined();
    expect(reasons).toEqual(['it ran over its time of 900 ms']);
  });

  test('an abort of the caller stops the summariser and counts as no failure', async () => {
    const controller = new AbortController();
    const begun = deferred<AbortSignal>();
    let hang = true;
    const options: CompactionOptions = {
      maxTokens: 1_000,
      summarize: (_, { signal }) => (begun.resolve(signal), hang ? new Promise(() => {}) : 'short'),
    };
    const { fire, outcomes } = house(options);
    const firing = fire(request(over), controller.signal);
    const signal = await begun.promise;
    controller.abort(new Error('the user left'));
    await expect(firing).rejects.toMatchObject({ code: 'TH_ABORTED' });
    expect(signal.aborted).toBe(true);
    hang = false;
    expect(await fire(request(over))).toBeDefined();
    expect(outcomes()).toEqual(['done']);

    const plainly = new AbortController();
    hang = true;
    const plain = compactor(options)({ messages: over, tools: [], signal: plainly.signal });
    plainly.abort(new Error('the user left'));
    await expect(plain).rejects.toThrow('the user left');
  });

  test('10,000 compactions leave no listener on the caller’s signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const cut = compactor({ maxTokens: 100 });
    const messages = over.slice(0, 9);
    for (let at = 0; at < 10_000; at++) await cut({ messages, tools: [], signal, runId: `run-${at}` });
    expect(added).toHaveBeenCalledTimes(10_000);
    expect(removed).toHaveBeenCalledTimes(10_000);
  });
});

describe('loops', () => {
  // https://github.com/openclaw/openclaw/issues/66058
  test('a handler that fires the same request from inside a compaction starts no second one', async () => {
    const { registry, fire, told } = house({ maxTokens: 1_000, summarize: () => 'short' });
    const grown = [...over, ...eightyOne().slice(1)];
    let inner: unknown = 'not fired';
    registry.registerModifying('beforeCompaction', async () => {
      inner = await registry.fireModifying('beforeLLM', request(grown), 'all');
    });
    expect(await fire(request(over))).toBeDefined();
    expect(inner).toBeUndefined();
    expect(told.map(({ hook }) => hook)).toEqual(['before', 'after']);
  });

  test('a plain summariser that calls the same callback gets no compaction', async () => {
    let inner: unknown = 'not called';
    const cut = compactor({
      maxTokens: 1_000,
      summarize: async () => {
        inner = await cut({ messages: over, tools: [], runId: 'r' });
        return 'short';
      },
    });
    expect(await cut({ messages: over, tools: [], runId: 'r' })).toBeDefined();
    expect(inner).toBeUndefined();
  });

  // https://github.com/openclaw/openclaw/issues/10613
  test('system text and prompt beyond the budget end in an error on the second step, not in a loop', async () => {
    const { fire } = house({ maxTokens: 60 });
    let messages: readonly Message[] = [system('s'.repeat(400)), user('old'), assistant('old'), user('p'.repeat(100))];
    let calls = 0;
    const turn = async (): Promise<void> => {
      for (;;) {
        messages = ((await fire(request(messages)))?.messages as Message[] | undefined) ?? messages;
        if (++calls > 50) return;
        messages = [...messages, ...group(['f'], 'ok')];
      }
    };
    const error = (await turn().catch((thrown: unknown) => thrown)) as HookError;
    expect(error.cause).toMatchObject({ code: 'TH_COMPACTION_STUCK' });
    expect(calls).toBeLessThan(5);
  });

  // https://github.com/openclaw/openclaw/issues/120455
  test('a first pass that leaves the request over budget is followed by a second in the same step', async () => {
    let round = 0;
    const { fire, outcomes } = house({
      maxTokens: 1_000,
      keepTail: 800,
      summarize: () => 'x'.repeat(round++ === 0 ? 2_600 : 3_300),
    });
    const after = (await fire(request(over)))!.messages! as readonly Message[];
    expect(outcomes()).toEqual(['done', 'done']);
    expect(after.filter(isSummary)).toHaveLength(1);
    expect(estimateTokens(after)).toBeLessThanOrEqual(1_000);
  });

  test('a request that is over budget again right behind a compaction is compacted again', async () => {
    const { fire, outcomes } = house({ maxTokens: 1_000 });
    let messages = (await fire(request(over)))!.messages! as readonly Message[];
    messages = [...messages, user('x'.repeat(3_000)), assistant('x'.repeat(3_000)), user('and now')];
    expect(await fire(request(messages))).toBeDefined();
    expect(outcomes()).toEqual(['done', 'done']);
  });

  test('more runs than are remembered leave what is remembered bounded', async () => {
    const states = new RunStates();
    for (let at = 0; at < 10_000; at++) states.of(`run-${at}`, over);
    expect(states.size).toBe(4_096);
  });

  test('time grows with the history, not with its square', async () => {
    const pairs = (many: number) => [
      system('s'),
      ...Array.from({ length: many }, () => [user('q'.repeat(200)), assistant('a'.repeat(200))]).flat(),
    ];
    const counted = async (many: number): Promise<number> => {
      let reads = 0;
      await compactor({
        maxTokens: 5_000,
        countTokens: (messages, tools) => ((reads += messages.length), estimateTokens(messages, tools)),
      })({ messages: pairs(many), tools: [] });
      return reads;
    };
    expect((await counted(2_000)) / (await counted(1_000))).toBeLessThan(2.2);
  });
});

describe('installing', () => {
  test('uninstalling leaves the point as it was, twice is as once', () => {
    const { registry, uninstall } = house({ maxTokens: 10 });
    expect(registry.plan('beforeLLM').map(({ id }) => id)).toEqual(['compaction']);
    uninstall();
    uninstall();
    expect(registry.plan('beforeLLM')).toEqual([]);
    expect(registry.hasHandlers('beforeLLM', 'all')).toBe(false);
  });

  test('it stands behind the plugins and before the gate, whoever registers first', () => {
    const { registry } = house({ maxTokens: 10 });
    registry.registerModifying('beforeLLM', () => undefined, { id: 'route-gate' });
    registry.forPlugin('late').registerModifying('beforeLLM', () => undefined, { id: 'x' });
    expect(registry.plan('beforeLLM').map(({ id }) => id)).toEqual(['late/x', 'compaction', 'route-gate']);
  });

  const wrong: [string, unknown, RegExp][] = [
    ['no options', undefined, /maxTokens/],
    ['a misspelt option', { maxTokens: 9, keepTial: 1 }, /'keepTial' is no option: did you mean 'keepTail'\?/],
    ['no budget', {}, /maxTokens must be a whole number/],
    ['a budget of NaN', { maxTokens: Number.NaN }, /maxTokens/],
    ['a tail as large as the budget', { maxTokens: 9, keepTail: 9 }, /keepTail.*below maxTokens \(9\)/],
    ['a summariser that is text', { maxTokens: 9, summarize: 'short' }, /summarize must be a function/],
    ['a prune of no characters', { maxTokens: 9, prune: { maxChars: 0 } }, /prune\.maxChars/],
    ['a time of zero', { maxTokens: 9, timeoutMs: 0 }, /timeoutMs/],
  ];
  for (const [what, options, message] of wrong) {
    test(`${what} is refused with the mend`, () => {
      expect(() => compactor(options as CompactionOptions)).toThrow(message);
      const registry = createHookRegistry(agentHooks);
      expect(() => install(registry, options as CompactionOptions)).toThrow(
        expect.objectContaining({ code: 'TH_OPTION_INVALID' }),
      );
      expect(registry.plan('beforeLLM')).toEqual([]);
    });
  }

  test('a counter that gives no number stops the call instead of letting everything pass', async () => {
    const { fire } = house({ maxTokens: 10, countTokens: () => Number.NaN });
    await expect(fire(request(over))).rejects.toMatchObject({ cause: { code: 'TH_OPTION_INVALID' } });
  });

  test('the host’s way to call a model reaches the summariser', async () => {
    const calls: unknown[] = [];
    const { registry } = house({
      maxTokens: 1_000,
      summarize: async (older, { callModel }) => (await callModel!({ older: older.length }, 'summary')) as string,
    });
    const caller = registry.scoped({
      callModel: async (asked, purpose, inHand) => {
        calls.push([asked, purpose, inHand]);
        return 'by a model';
      },
    });
    const after = (await caller.fireModifying('beforeLLM', request(over)))!.messages!;
    expect(textOf(after[1])).toMatch(/by a model$/);
    expect(calls).toEqual([[{ older: 78 }, 'summary', ['compaction']]]);
  });
});

describe('what hangs on Object.prototype', () => {
  const everyone: Record<string, unknown> = Object.prototype as never;
  const poison = () => {
    throw new Error('called');
  };
  test.each<[string, unknown]>([
    ['veto', 'no'],
    ['summary', 'mine'],
    ['summarize', poison],
    ['flush', poison],
    ['countTokens', () => 0],
    ['keepTail', 999],
    ['before', poison],
    ['after', poison],
    ['inject', [user('x'.repeat(50_000))]],
  ])('%s, is no option, no answer and no request of a compaction', async (key, value) => {
    const plain = await compactor({ maxTokens: 1_000 })({ messages: over, tools: [] });
    const made = compactor({ maxTokens: 1_000 });
    Object.defineProperty(everyone, key, { value, configurable: true });
    let late, early;
    try {
      late = await made({ messages: over, tools: [] });
      early = await compactor({ maxTokens: 1_000 })({ messages: over, tools: [] });
    } finally {
      delete everyone[key];
    }
    expect(plain!.messages.length).toBeLessThan(over.length);
    expect([late, early]).toEqual([plain, plain]);
  });

  test('veto, stops no compaction that a handler has only given a summary', async () => {
    const { registry, fire } = house({ maxTokens: 1_000 });
    registry.registerModifying('beforeCompaction', () => ({ summary: 'the summary of a handler' }));
    Object.defineProperty(everyone, 'veto', { value: 'no', configurable: true });
    try {
      expect(JSON.stringify(await fire(request(over)))).toContain('the summary of a handler');
    } finally {
      delete everyone['veto'];
    }
  });
});
