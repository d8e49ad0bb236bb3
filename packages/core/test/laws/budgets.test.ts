/** Each awaited handler has a budget of its own, on one coarse clock. */
import assert from 'node:assert/strict';
import { defineHooks, voidHook } from '@treblehook/types';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fakeClock, flush, pass, settle } from '../support/clock.js';
import { deferred, fire, hear, letter, names, register, registryOf, type Name } from '../support/points.js';
import { caught } from '../support/refusal.js';

fakeClock();
afterEach(async () => {
  await pass(50);
  assert.equal(vi.getTimerCount(), 0, 'the clock still ticks');
});

const never = (): Promise<never> => new Promise(() => undefined);
const later = (ms: number, value?: unknown): Promise<any> => new Promise((go) => setTimeout(go, ms, value));
const budgetOf = (registry: any, name: Name): (number | undefined)[] =>
  registry.plan(name, 'all').map((row: any) => row.budgetMs);
const answers = {
  seen: undefined,
  fill: { text: 'in time' },
  shape: { text: 'in time' },
  pick: { handled: true, name: 'in time' },
  may: { deny: 'in time' },
} as const;

/** Milliseconds on the fake clock until the fire settled. */
async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await settle(run());
  return performance.now() - began;
}

describe.each(names)('a handler of %s', (name) => {
  test('that hangs is left behind when its budget is over, and reported; others go on', async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerTimedOut');
    const calls: string[] = [];
    register(registry.forPlugin('acme'), name, never, { id: 'hang', timeoutMs: 100 });
    register(registry.forPlugin('acme'), name, () => void calls.push('next'));
    const ms = await elapsed(() => fire(registry, name, letter, 'all'));
    expect(ms).toBeGreaterThanOrEqual(100);
    expect(ms).toBeLessThanOrEqual(150);
    expect(calls).toEqual(name === 'may' ? [] : ['next']);
    expect(told.map(({ hook, by, code, late }) => [hook, by, code, late])).toEqual([
      [name, { hook: name, id: 'acme/hang', owner: 'acme' }, 'TH_HANDLER_TIMEOUT', undefined],
    ]);
    expect(told[0]!['error'].message).toMatch(/'acme\/hang'.*100 ms.*'acme'/);
  });

  test("that answers within its own budget is heard, though the point's default is shorter", async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerTimedOut');
    register(registry, name, () => later(6_000, answers[name]), { timeoutMs: 20_000 });
    const result = await settle(fire(registry, name));
    if (name === 'may') expect(result).toMatchObject({ reason: 'in time' });
    else expect(result).toEqual(answers[name]);
    expect(told).toEqual([]);
  });

  test('has the default of its discipline: no awaited handler is without', async () => {
    const registry = registryOf();
    hear(registry, 'handlerTimedOut');
    register(registry, name, never);
    const wanted = name === 'seen' ? 5_000 : 10_000;
    expect(budgetOf(registry, name)).toEqual([wanted]);
    const ms = await elapsed(() => fire(registry, name));
    expect(ms).toBeGreaterThanOrEqual(wanted);
    expect(ms).toBeLessThanOrEqual(wanted + 50);
  });

  test('that is a host handler with the caller’s budget has none of its own, whatever the operator says', async () => {
    const registry = registryOf({ budgets: { [name]: 50, [`${name}/tenant`]: 50 } });
    const told = hear(registry, 'handlerTimedOut');
    const controller = new AbortController();
    register(registry, name, never, { id: 'tenant', timeoutMs: 'caller' });
    expect(budgetOf(registry, name)).toEqual([undefined]);
    const running = fire(registry.scoped({ signal: controller.signal }), name);
    let settled = false;
    const end = (): boolean => (settled = true);
    void running.then(end, end);
    await pass(30_000);
    expect([settled, told]).toEqual([false, []]);
    controller.abort();
    const error = await caught(() => settle(running));
    expect(error?.code).toBe(name === 'seen' ? undefined : 'TH_ABORTED');
  });

  test.each(['answer', 'error'] as const)('that comes late with an %s is dropped and reported once', async (kind) => {
    const registry = registryOf();
    const told = hear(registry, 'handlerTimedOut', 'handlerFailed', 'amendmentRefused');
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', listen);
    const gate = deferred<unknown>();
    register(registry, name, () => gate.promise, { id: 'late', timeoutMs: 50 });
    const result = await settle(fire(registry, name));
    if (kind === 'answer') gate.resolve(answers[name]);
    else gate.reject(new Error('late'));
    await pass(50);
    process.off('unhandledRejection', listen);
    expect(JSON.stringify(result ?? null)).not.toContain('in time');
    expect(told.map(({ type, by, late }) => [type, by.id, late])).toEqual([
      ['handlerTimedOut', 'late', undefined],
      ['handlerTimedOut', 'late', kind],
    ]);
    expect(rejections).toEqual([]);
  });
});

describe('whose budget it is', () => {
  const hooks = defineHooks({
    slow: voidHook<object>({ summary: 'Slow.', budgetMs: 70 }),
    plain: voidHook<object>({ summary: 'Plain.' }),
  });
  test.each<readonly [string, Record<string, number>, number | undefined, number]>([
    ['the entry’s over the discipline’s', {}, undefined, 70],
    ['the handler’s over the entry’s', {}, 80, 80],
    ['the operator’s for the point over the handler’s', { slow: 90 }, 80, 90],
    ['the operator’s for the id over the operator’s for the point', { slow: 90, 'slow/acme/x': 95 }, 80, 95],
    ['the operator’s for the id, shorter than all', { slow: 90, 'slow/acme/x': 60 }, undefined, 60],
    ['not the operator’s for another id or point', { plain: 1, 'slow/x': 2, 'slow/acme/y': 3 }, 80, 80],
  ])('%s', async (_, budgets, timeoutMs, wanted) => {
    const registry = createHookRegistry(hooks, { budgets });
    hear(registry, 'handlerTimedOut');
    registry.registerVoid('slow', never, {
      id: 'x',
      pluginId: 'acme',
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    expect(registry.plan('slow', 'all').map((row) => row.budgetMs)).toEqual([wanted]);
    const ms = await elapsed(() => registry.fireVoid('slow', {}, 'all'));
    expect(ms).toBeGreaterThanOrEqual(wanted);
    expect(ms).toBeLessThanOrEqual(wanted + 50);
  });

  test('a budget of the operator is a whole number of ms, and names a point that exists', async () => {
    for (const ms of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 31, '5', null]) {
      await expect(() => createHookRegistry(hooks, { budgets: { slow: ms as any } })).toRefuse(
        'TH_OPTION_INVALID',
        'slow',
      );
    }
    await expect(() => createHookRegistry(hooks, { budgets: { slwo: 5 } })).toRefuse('TH_UNKNOWN_HOOK', 'slwo', 'slow');
    await expect(() => createHookRegistry(hooks, { budgets: { 'slwo/x': 5 } })).toRefuse(
      'TH_UNKNOWN_HOOK',
      'slwo',
      'slow',
    );
  });
});

describe('the clock', () => {
  test('a budget counts from the start of its handler, not of the fire', async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerTimedOut');
    for (let i = 0; i < 8; i++) register(registry, 'may', () => later(40), { timeoutMs: 100 });
    const record = await settle(fire(registry, 'may'));
    expect(record).toMatchObject({ decision: 'clear' });
    expect([record.verdicts.length, told.length]).toEqual([8, 0]);
    expect(record.ms).toBeGreaterThanOrEqual(320);
  });

  test('Void handlers wait together: the slowest decides how long', async () => {
    const registry = registryOf();
    hear(registry, 'handlerTimedOut');
    for (const ms of [50, 200, 100]) register(registry, 'seen', never, { timeoutMs: ms });
    expect(await elapsed(() => fire(registry, 'seen'))).toBeLessThanOrEqual(250);
  });

  test('it ticks while fires are open, keeps the process alive, and stops: one timer for all', async () => {
    const registry = registryOf();
    const gates = [deferred(), deferred(), deferred()];
    let i = 0;
    register(registry, 'seen', () => gates[i++]!.promise);
    expect(vi.getTimerCount()).toBe(0);
    const running = gates.map(() => fire(registry, 'seen'));
    await flush();
    expect(vi.getTimerCount()).toBe(1);
    gates[0]!.resolve();
    gates[2]!.resolve();
    await flush();
    expect(vi.getTimerCount()).toBe(1);
    gates[1]!.resolve();
    await Promise.all(running);
    await pass(25);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(names)('a fire of %s whose handlers answer synchronously takes no timer', async (name) => {
    const set = vi.spyOn(globalThis, 'setInterval');
    const registry = registryOf();
    register(registry, name, () => undefined);
    await fire(registry, name);
    expect(set).not.toHaveBeenCalled();
    set.mockRestore();
  });

  test('a budget of the longest length does not fire at once', async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerTimedOut');
    register(registry, 'seen', () => later(1_000), { timeoutMs: 2 ** 31 - 1 });
    await settle(fire(registry, 'seen'));
    expect(told).toEqual([]);
  });

  test.each([25, 30, 100, 500])(
    'a busy process that ticks every %i ms stretches a budget by a tick or two, not by its busyness',
    async (step) => {
      let now = 0;
      let tick: (() => void) | undefined;
      vi.stubGlobal('performance', { now: () => now });
      vi.stubGlobal('setInterval', (run: () => void) => ((tick = run), {}));
      vi.stubGlobal('clearInterval', () => (tick = undefined));
      const registry = registryOf();
      hear(registry, 'handlerTimedOut');
      register(registry, 'may', never, { timeoutMs: 2_000 });
      const ends: number[] = [];
      const running = fire(registry, 'may').then(() => ends.push(now));
      for (let i = 0; i < 1_000 && ends.length === 0; i++) {
        now += step;
        tick?.();
        await flush();
      }
      vi.unstubAllGlobals();
      await running;
      expect(ends[0]).toBeGreaterThanOrEqual(2_000);
      expect(ends[0]).toBeLessThanOrEqual(2_000 + 3 * step);
    },
  );
});
