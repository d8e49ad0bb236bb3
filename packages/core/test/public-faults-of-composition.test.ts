/** Faults reported in public of other hook systems: amendments, order, double registration, shared registries, lists. */
import { getEventListeners } from 'node:events';
import { matchName } from '@treblehook/types';
import { describe, expect, test, vi } from 'vitest';
import { after, ask, call, guard, made, type Call, type Registry } from './support/agent.js';
import { fakeClock, settle } from './support/clock.js';
import { hearFaults } from './support/points.js';
import { caught } from './support/refusal.js';

fakeClock();

describe('amendments', () => {
  const rewrite = (c: Call) => ({ args: { ...c.args, command: 'ls' } });
  // https://github.com/anthropics/claude-code/issues/15897
  test('a rewrite survives neighbours that pass, before and behind it', async () => {
    for (const stages of [
      [rewrite],
      [() => undefined, rewrite],
      [rewrite, () => undefined],
      [() => ({}), rewrite, () => null],
    ]) {
      const registry = made();
      for (const stage of stages) registry.registerModifying('before', stage as any);
      expect(await registry.fireModifying('before', call)).toEqual({ args: { command: 'ls' } });
    }
  });

  // https://github.com/openclaw/openclaw/pull/51763
  test('who stands first in the written order wins an override, and its context comes first', async () => {
    const registry = made({ order: { prompt: ['high', '*', 'low'] } });
    hearFaults(registry);
    for (const id of ['low', 'high'])
      registry.registerModifying('prompt', () => ({ system: id, context: [id] }), { id });
    expect(await registry.fireModifying('prompt', { input: '' })).toEqual({ system: 'high', context: ['high', 'low'] });
  });

  // https://github.com/DraconDev/pi-goal-list-loop-audit/issues/56
  test('an empty answer is no answer: it takes nothing from a neighbour', async () => {
    for (const silent of [{}, undefined, null, { handled: false }]) {
      const registry = made();
      const untyped: any = registry;
      untyped.registerClaiming('compact', () => silent);
      registry.registerClaiming('compact', () => ({ handled: true, summary: 'A' }));
      untyped.registerClaiming('compact', () => silent);
      expect(await registry.fireClaiming('compact', {})).toEqual({ handled: true, summary: 'A' });
    }
  });

  // https://github.com/openclaw/openclaw/pull/57615, https://github.com/SchneiderDaniel/cheasee-pi/issues/780
  test('an observer that edits what it is shown changes neither history nor what a guard judges', async () => {
    const registry = made();
    hearFaults(registry);
    const history = { messages: [{ content: [{ text: 'hello' }] }] };
    const before = structuredClone(history);
    const judged: unknown[] = [];
    registry.registerVoid('after', (p: any) => {
      p.messages[0].content[0].text = 'bye';
    });
    registry.registerVoid('after', (p: any) => void p.messages.push('more'));
    guard(registry, (c: any) => (c.args.command = 'ls'));
    registry.registerClaiming('policy', (c) => void judged.push(c));
    await registry.fireVoid('after', history);
    expect(history).toEqual(before);
    expect(await ask(registry)).toMatchObject({ decision: 'deny', verdicts: [{ kind: 'error' }] });
    expect(call.args).toEqual({ command: 'rm -rf /' });
  });
});

describe('order', () => {
  // https://github.com/anthropics/claude-code/issues/57800
  test('guards are asked in order and the first denial stops the rest: one trace over a hundred runs of random delays', async () => {
    const trace: string[] = [];
    const registry = made();
    for (const id of ['a', 'b', 'c']) {
      registry.registerClaiming('policy', async () => {
        await after(Math.floor(Math.random() * 40));
        trace.push(id);
        return id === 'b' ? { deny: 'b' } : undefined;
      });
    }
    for (let run = 0; run < 100; run++) {
      expect(await ask(registry)).toMatchObject({ decision: 'deny', reason: 'b' });
      expect(trace.splice(0)).toEqual(['a', 'b']);
    }
  });

  // https://github.com/vitejs/vite/pull/9326
  test('before means finished before, on every point that runs one after another', async () => {
    const registry = made();
    const trace: string[] = [];
    for (const [id, before, ms] of [
      ['late', [], 0],
      ['early', ['late'], 50],
    ] as const) {
      registry.registerModifying(
        'before',
        async () => (trace.push(`${id} in`), await after(ms), trace.push(`${id} out`), undefined),
        { id, before },
      );
    }
    await settle(registry.fireModifying('before', call));
    expect(trace).toEqual(['early in', 'early out', 'late in', 'late out']);
  });

  // https://github.com/pytest-dev/pluggy/issues/441
  test('a handler that the list puts first runs before one that asks to be last, in all 24 registration orders', () => {
    const specs = { first: {}, last: { after: ['middle'] }, middle: {}, seated: { before: ['first'] } };
    const permutations = (ids: readonly string[]): string[][] =>
      ids.length === 0
        ? [[]]
        : ids.flatMap((id) => permutations(ids.filter((o) => o !== id)).map((rest) => [id, ...rest]));
    for (const ids of permutations(Object.keys(specs))) {
      const registry = made({ order: { before: ['first', '*', 'seated'] } });
      for (const id of ids)
        registry.registerModifying('before', () => undefined, { id, ...specs[id as keyof typeof specs] });
      expect(registry.plan('before').map((row) => row.id)).toEqual(['first', 'middle', 'last', 'seated']);
    }
  });
});

describe('registering twice', () => {
  const setup = (registry: Registry): void =>
    void registry.forPlugin('acme').registerVoid('after', () => undefined, { id: 'x' });
  // https://github.com/vectorize-io/hindsight/issues/1404, https://github.com/anthropics/claude-code/issues/76297
  test('one plugin set up twice on one registry never runs twice, and a fresh registry gets its own', async () => {
    const registry = made();
    setup(registry);
    await expect(() => setup(registry)).toRefuse('TH_ID_TAKEN', 'acme/x');
    registry.replace('acme', (r) => void r.registerVoid('after', () => undefined, { id: 'x' }));
    const fresh = made();
    setup(fresh);
    expect([registry, fresh].map((r) => r.plan('after', 'all').length)).toEqual([1, 1]);
  });
});

describe('registries', () => {
  // https://github.com/openclaw/openclaw/pull/50493, https://github.com/openclaw/openclaw/pull/12455
  test('a second, empty registry takes nothing from the first, however their fires interleave', async () => {
    const traces: string[][] = [[], []];
    const both = [made(), made()];
    for (const [i, registry] of both.entries()) {
      registry.registerVoid('after', async () => (await after(10), void traces[i]!.push(`r${i}`)), { id: 'same' });
    }
    made();
    await settle(Promise.all([both[0]!, both[1]!, both[0]!].map((registry) => registry.fireVoid('after', {}))));
    expect(traces).toEqual([['r0', 'r0'], ['r1']]);
  });

  // https://github.com/openclaw/openclaw/issues/30784
  test("a plugin's captured registrar of before a reload throws, and is no silent no-op", async () => {
    const registry = made();
    const kept = registry.forPlugin('acme');
    registry.unregisterPlugin('acme');
    await expect(() => kept.registerVoid('after', () => undefined)).toRefuse('TH_DISPOSED', 'acme');
  });

  // https://github.com/plastic-labs/openclaw-honcho/pull/55
  test('a replacement inside a replacement loses no handler: what was said last stands', async () => {
    const registry = made();
    const nested = await caught(() =>
      registry.replace('acme', (outer) => {
        outer.registerVoid('after', () => undefined, { id: 'outer' });
        registry.replace('zeta', (inner) => void inner.registerVoid('after', () => undefined, { id: 'inner' }));
      }),
    );
    const ids = registry.plan('after', 'all').map((row) => row.id);
    expect(nested === undefined ? ids.toSorted() : ids).toEqual(
      nested === undefined ? ['acme/outer', 'zeta/inner'] : [],
    );
  });

  // https://github.com/Gentleman-Programming/engram/issues/591
  test('a context that a handler kept says that it is stale', async () => {
    const registry = made();
    let kept: any;
    registry.registerVoid('after', (_, ctx) => void (kept = ctx));
    await registry.fireVoid('after', {});
    await expect(() => kept.fire.fireVoid('after', {})).toRefuse('TH_DISPOSED');
  });
});

describe('listeners and lists', () => {
  // https://github.com/QwenLM/qwen-code/pull/4366, https://github.com/MoonshotAI/kimi-code/pull/3241
  test('two hundred steps and a hundred parallel fires leave no listener on the signal of the run', async () => {
    const registry = made();
    const { signal } = new AbortController();
    const caller = registry.scoped({ signal });
    registry.registerModifying('before', async (_, ctx) => void ctx.signal.aborted);
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    for (let step = 0; step < 200; step++) await caller.fireModifying('before', call);
    await Promise.all(Array.from({ length: 100 }, () => caller.fireModifying('before', call)));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });

  // https://github.com/openclaw/openclaw/issues/62700, https://github.com/anthropics/claude-code/issues/39307
  test('a plugin that a persona does not list is called zero times; one that is taken off is skipped by the next fire', async () => {
    const registry = made();
    const calls: string[] = [];
    for (const pluginId of ['p1', 'p2']) registry.registerVoid('after', () => void calls.push(pluginId), { pluginId });
    await registry.fireVoid('after', {}, ['p1']);
    await registry.fireVoid('after', {});
    registry.unregisterPlugin('p1');
    await registry.fireVoid('after', {}, ['p1']);
    expect(calls).toEqual(['p1']);
  });

  // https://github.com/anthropics/claude-code/issues/44446, https://github.com/anthropics/claude-plugins-official/issues/1268
  test('a name glob is the whole name: a prefix needs its star', () => {
    const matches = (glob: string): string[] =>
      ['srv__a', 'srv__b', 'send', 'mcp__1f__send'].filter((name) => matchName(glob, name));
    expect([matches('srv'), matches('srv*'), matches('*send'), matches('sen')]).toEqual([
      [],
      ['srv__a', 'srv__b'],
      ['send', 'mcp__1f__send'],
      [],
    ]);
  });
});
