/** Faults that people met in other hook systems and reported in public: verdicts, and one bad plugin among good ones. */
import { getEventListeners } from 'node:events';
import { claimingHook, defineHooks } from '@treblehook/types';
import { describe, expect, test, vi } from 'vitest';
import { createHookRegistry } from '../src/index.js';
import { after, ask, call, guard, made, never } from './support/agent.js';
import { fakeClock, pass, settle } from './support/clock.js';
import { deferred, hear, hearFaults } from './support/points.js';

fakeClock();

describe('verdicts', () => {
  // https://github.com/anthropics/claude-code/issues/39344
  test('an ask never skips a denial, whichever was registered first', async () => {
    for (const order of [
      [{ deny: 'no' }, { ask: 'sure?' }],
      [{ ask: 'sure?' }, { deny: 'no' }],
    ] as const) {
      const registry = made();
      for (const answer of order) guard(registry, answer);
      expect(await ask(registry)).toMatchObject({ decision: 'deny', reason: 'no' });
    }
  });

  // https://github.com/anthropics/claude-code/issues/35136
  test('a denial at any position among five guards stands against four that say allow, and the record names who denied', async () => {
    for (let position = 0; position < 5; position++) {
      const registry = made();
      const told = hear(registry, 'denied');
      for (let i = 0; i < 5; i++) {
        const pluginId = i === position ? 'tool-policy' : `other${i}`;
        const answer = i === position ? { deny: 'policy' } : i < position ? undefined : { decision: 'allow' };
        guard(registry, answer, { pluginId, id: 'g' });
      }
      expect(await ask(registry)).toMatchObject({ decision: 'deny', by: { owner: 'tool-policy' }, reason: 'policy' });
      expect(told.map(({ by }) => by.id)).toEqual(['tool-policy/g']);
    }
  });

  // https://github.com/openai/codex/issues/41979, https://github.com/PrimeIntellect-ai/prime-agent/issues/985
  // https://github.com/anthropics/claude-code/issues/80697
  test.each<readonly [string, () => any]>([
    ['error', () => Promise.reject(new Error('crash'))],
    ['timeout', never],
    ['invalid', () => ({ permit: 'yes' })],
    ['policy', () => ({ deny: 'no' })],
  ])(
    'a guard that crashes, hangs or talks garbage denies, and its kind tells that from a wish: %s',
    async (kind, answer) => {
      const registry = made();
      hearFaults(registry);
      registry.events.on('denied', () => undefined);
      guard(registry, answer, { id: 'g', timeoutMs: 50 });
      expect(await ask(registry)).toMatchObject({
        decision: 'deny',
        verdicts: [{ by: { id: 'g' }, verdict: 'deny', kind }],
      });
    },
  );

  // https://github.com/github/copilot-cli/issues/2893
  test('the clock of a guard starts when that guard starts: eight parallel calls get eight real verdicts', async () => {
    const registry = made();
    const told = hear(registry, 'handlerTimedOut');
    registry.registerClaiming('policy', () => after(40), { timeoutMs: 100 });
    const records = await Promise.all(Array.from({ length: 8 }, () => ask(registry)));
    expect(records.map(({ decision, verdicts }) => [decision, verdicts.length])).toEqual(
      records.map(() => ['clear', 1]),
    );
    expect(told).toEqual([]);
  });

  // https://github.com/openclaw/openclaw/pull/101686
  test('a guard that never settles and sets no limit is denied by the default, and every awaited point has one', async () => {
    const registry = made();
    hearFaults(registry);
    for (const point of registry.describe().hooks) {
      const method = { void: 'registerVoid', modifying: 'registerModifying', claiming: 'registerClaiming' }[
        point.model
      ];
      (registry as any)[method](point.name, never);
    }
    for (const point of registry.describe().hooks) expect(point.plan[0]!.budgetMs).toBeGreaterThan(0);
    expect(await ask(registry)).toMatchObject({ decision: 'deny', verdicts: [{ kind: 'timeout' }] });
  });

  // https://github.com/openai/openai-agents-js/issues/1770
  test('nothing is decided while a guard is still open', async () => {
    const registry = made();
    const gate = deferred<any>();
    registry.registerClaiming('policy', () => undefined);
    guard(registry, () => gate.promise);
    const settled: unknown[] = [];
    const running = registry.fireClaiming('policy', call).then((record) => settled.push(record));
    await pass(1_000);
    expect(settled).toEqual([]);
    gate.resolve({ deny: 'late but heard' });
    await running;
    expect(settled).toMatchObject([{ decision: 'deny', reason: 'late but heard' }]);
  });

  // https://github.com/anomalyco/opencode/issues/5894, https://github.com/anthropics/claude-code/issues/24558
  test("a child's smaller list cannot shed a guard of its parent", async () => {
    const registry = made();
    registry.registerClaiming('policy', () => ({ deny: 'parent' }), { pluginId: 'strict' });
    const child = registry.scoped({ plugins: ['harmless'], guards: ['strict'], without: ['strict/~1', 'strict/~0'] });
    expect(await child.fireClaiming('policy', call)).toMatchObject({ decision: 'deny', by: { owner: 'strict' } });
  });
});

describe('one bad plugin', () => {
  // https://github.com/PrimeIntellect-ai/prime-agent/issues/985, https://github.com/anomalyco/opencode/issues/28958
  test.each<readonly [string, () => any]>([
    [
      'throws',
      () => {
        throw new Error('crash');
      },
    ],
    ['rejects', () => Promise.reject(new Error('crash'))],
  ])('an observer that %s stops no other, in its own fire or in one beside it: one report', async (_, crash) => {
    const registry = made();
    const told = hearFaults(registry);
    const calls: string[] = [];
    registry.registerVoid('after', crash, { pluginId: 'bad', id: 'x' });
    registry.registerVoid('after', async () => void calls.push('second'));
    registry.registerVoid('after', () => void calls.push('third'));
    await Promise.all([registry.fireVoid('after', {}, ['bad']), registry.fireVoid('after', {})]);
    expect(calls.toSorted()).toEqual(['second', 'second', 'third', 'third']);
    expect(told).toEqual(['bad/x TH_HANDLER_FAILED']);
  });

  // https://github.com/kuzzleio/kuzzle/pull/1621
  test('an observer and the observer of its error both reject: no unhandled rejection, no recursion', async () => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', listen);
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const registry = made();
    let heard = 0;
    registry.events.on('handlerFailed', async () => {
      heard++;
      throw new Error('and so does this');
    });
    registry.registerVoid('after', () => Promise.reject(new Error('crash')));
    await registry.fireVoid('after', {});
    await pass(50);
    process.off('unhandledRejection', listen);
    warn.mockRestore();
    expect([heard, rejections]).toEqual([1, []]);
  });

  // https://github.com/openclaw/openclaw/issues/48534
  test('an amender that waits on a dead network is left behind at its limit, and a warning names plugin and hook', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const registry = made();
    registry.registerModifying('prompt', never, { pluginId: 'netty', id: 'x', timeoutMs: 50 });
    registry.registerModifying('prompt', () => ({ context: ['still here'] }));
    const began = performance.now();
    expect(await settle(registry.fireModifying('prompt', { input: '' }, 'all'))).toEqual({ context: ['still here'] });
    expect(performance.now() - began).toBeLessThanOrEqual(100);
    expect(String((warn.mock.calls[0]![0] as Error).message ?? warn.mock.calls[0]![0])).toMatch(
      /'netty\/x'.*'prompt'.*'netty'/,
    );
    warn.mockRestore();
  });

  // https://github.com/openclaw/openclaw/issues/75158
  test("a handler's own larger limit counts, not an outer constant", async () => {
    const limits = defineHooks({
      slow: claimingHook<object, { readonly n: number }>({
        discipline: 'route',
        summary: 'Slow.',
        keys: { n: 'number' },
        budgetMs: 50,
      }),
    });
    const registry = createHookRegistry(limits);
    const answer = async () => {
      await after(120);
      return { handled: true, n: 1 } as const;
    };
    registry.registerClaiming('slow', answer, { timeoutMs: 200 });
    expect(await settle(registry.fireClaiming('slow', {}))).toEqual({ handled: true, n: 1 });
  });

  // https://github.com/openclaw/openclaw/issues/115450
  test('a handler over its limit is told by its signal, and turns leave nothing behind', async () => {
    const registry = made();
    hearFaults(registry);
    const controller = new AbortController();
    let open = 0;
    registry.registerModifying(
      'before',
      (_, { signal }) =>
        new Promise((go) => {
          open++;
          signal.addEventListener('abort', () => (open--, go(undefined)), { once: true });
        }),
      { timeoutMs: 50 },
    );
    for (let turn = 0; turn < 2; turn++)
      await settle(registry.scoped({ signal: controller.signal }).fireModifying('before', call));
    await pass(50);
    expect([open, getEventListeners(controller.signal, 'abort').length, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });
});
