/** What an abort of the caller does, and what signals leave behind: nothing. */
import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { fakeClock, flush, pass, settle } from '../support/clock.js';
import { deferred, fire, hear, names, register, registryOf, type Name } from '../support/points.js';
import { caught } from '../support/refusal.js';

fakeClock();

const reason = new Error('the user left');
const answers = {
  seen: undefined,
  fill: { text: 'a' },
  shape: { stop: 'a' },
  pick: { handled: true, name: 'a' },
  may: { deny: 'a' },
} as const;
const never = (): Promise<never> => new Promise(() => undefined);
/** Void resolves; the others reject with `TH_ABORTED`, hook and cause. */
async function expectAborted(name: Name, running: () => Promise<unknown>): Promise<void> {
  const error = await caught(() => settle(running()));
  if (name === 'seen') expect(error).toBeUndefined();
  else expect(error).toMatchObject({ code: 'TH_ABORTED', hook: name, cause: reason });
}

describe.each(names)('an abort of %s', (name) => {
  test('before the fire counts the same, with an empty plan too, and starts nobody', async () => {
    const registry = registryOf();
    const signal = AbortSignal.abort(reason);
    let calls = 0;
    await expectAborted(name, () => fire(registry.scoped({ signal }), name));
    register(registry, name, () => void calls++);
    await expectAborted(name, () => fire(registry.scoped({ signal }), name));
    expect(calls).toBe(0);
  });

  test('in the middle starts no further handler, and there is no partial result', async () => {
    for (const mode of ['sync', 'async'] as const) {
      const registry = registryOf();
      const controller = new AbortController();
      const calls: string[] = [];
      register(registry, name, () => (name === 'fill' || name === 'shape' ? { text: 'a' } : undefined));
      register(registry, name, () => {
        controller.abort(reason);
        return mode === 'sync' ? undefined : Promise.resolve();
      });
      register(registry, name, () => void calls.push('after'));
      await expectAborted(name, () => fire(registry.scoped({ signal: controller.signal }), name));
      expect(calls).toEqual([]);
    }
  });

  test('abandons a handler that is running, at once and not at its budget', async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerTimedOut', 'handlerFailed');
    const controller = new AbortController();
    register(registry, name, never);
    const began = performance.now();
    const running = fire(registry.scoped({ signal: controller.signal }), name);
    await flush();
    controller.abort(reason);
    await expectAborted(name, () => running);
    expect(performance.now() - began).toBeLessThanOrEqual(50);
    expect(told).toEqual([]);
  });

  test('is heard although the last answer would have been the result: it came first', async () => {
    const registry = registryOf();
    const controller = new AbortController();
    register(registry, name, async () => {
      await Promise.resolve();
      controller.abort(reason);
      return answers[name];
    });
    await expectAborted(name, () => fire(registry.scoped({ signal: controller.signal }), name));
    expect(controller.signal.aborted).toBe(true);
  });

  test('after the last answer changes nothing', async () => {
    const registry = registryOf();
    const controller = new AbortController();
    register(registry, name, () => answers[name]);
    const running = fire(registry.scoped({ signal: controller.signal }), name);
    controller.abort(reason);
    const result = await settle(running);
    if (name === 'may') expect(result).toMatchObject({ decision: 'deny' });
    else expect(result).toEqual(answers[name]);
  });

  test.each(['answer', 'error'])('makes no unhandled rejection of a late %s', async (kind) => {
    const rejections: unknown[] = [];
    const listen = (thrown: unknown): void => void rejections.push(thrown);
    process.on('unhandledRejection', listen);
    const registry = registryOf();
    const controller = new AbortController();
    const gate = deferred<unknown>();
    register(registry, name, () => gate.promise);
    const running = fire(registry.scoped({ signal: controller.signal }), name);
    controller.abort(reason);
    await expectAborted(name, () => running);
    if (kind === 'answer') gate.resolve(answers[name]);
    else gate.reject(new Error('late'));
    await pass(50);
    process.off('unhandledRejection', listen);
    expect(rejections).toEqual([]);
  });
});

describe.each(names)('ctx.signal on %s', (name) => {
  const signalled = async (
    act: (controller: AbortController, gate: ReturnType<typeof deferred<void>>) => Promise<void>,
  ): Promise<AbortSignal> => {
    const registry = registryOf();
    hear(registry, 'handlerTimedOut');
    const controller = new AbortController();
    const gate = deferred<void>();
    let signal!: AbortSignal;
    register(
      registry,
      name,
      (_: unknown, ctx: any) => {
        signal = ctx.signal;
        expect(ctx.signal).toBe(signal);
        expect(signal.aborted).toBe(false);
        return gate.promise;
      },
      { timeoutMs: 100 },
    );
    const running = fire(registry.scoped({ signal: controller.signal }), name);
    const over = caught(() => running);
    await act(controller, gate);
    await settle(over);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    return signal;
  };

  test('aborts with the caller, at once and with its reason', async () => {
    const signal = await signalled(async (controller) => {
      await flush();
      controller.abort(reason);
    });
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  });

  test("aborts when this handler's budget is over", async () => {
    const signal = await signalled(() => pass(200));
    expect(signal.aborted).toBe(true);
  });

  test('does not abort because the handler answered', async () => {
    const signal = await signalled(async (_, gate) => gate.resolve());
    expect(signal.aborted).toBe(false);
  });

  test('is its own: the budget of one handler aborts no other', async () => {
    const registry = registryOf();
    hear(registry, 'handlerTimedOut');
    const signals: AbortSignal[] = [];
    const gate = deferred();
    const keep = (answer: Promise<unknown>) => (_: unknown, ctx: any) => (signals.push(ctx.signal), answer);
    register(registry, name, keep(gate.promise), { timeoutMs: 1_000 });
    register(registry, name, keep(never()), { timeoutMs: 50 });
    const running = fire(registry, name);
    gate.resolve();
    await settle(running);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true]);
  });

  test('of a caller that has no signal is a signal all the same', async () => {
    const registry = registryOf();
    let signal: any;
    register(registry, name, (_: unknown, ctx: any) => void (signal = ctx.signal));
    await fire(registry, name);
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(signal.aborted).toBe(false);
  });

  test('that is first read after the call links to nothing', async () => {
    const registry = registryOf();
    const controller = new AbortController();
    let kept: any;
    register(registry, name, (_: unknown, ctx: any) => void (kept = ctx));
    await fire(registry.scoped({ signal: controller.signal }), name);
    await caught(() => kept.signal);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('that is first read when the caller has aborted is aborted', async () => {
    const registry = registryOf();
    const controller = new AbortController();
    let seen: unknown;
    register(registry, name, (_: unknown, ctx: any) => {
      controller.abort(reason);
      seen = [ctx.signal.aborted, ctx.signal.reason];
    });
    await expectAborted(name, () => fire(registry.scoped({ signal: controller.signal }), name));
    expect(seen).toEqual([true, reason]);
  });
});

describe('10,000 fires on one signal leave no listener and no timer behind', () => {
  test.each<readonly [string, (ctx: any) => unknown]>([
    ['sync handlers', () => undefined],
    ['async handlers', async () => undefined],
    ['sync handlers that read the signal', (ctx) => void ctx.signal],
    ['async handlers that read the signal', async (ctx) => void ctx.signal.aborted],
    [
      'handlers that read the signal and throw',
      (ctx) => {
        throw ctx.signal;
      },
    ],
  ])('with %s', async (_, handler) => {
    const add = vi.spyOn(AbortSignal.prototype, 'addEventListener');
    const { signal } = new AbortController();
    const registry = registryOf();
    hear(registry, 'handlerFailed');
    for (const name of names) register(registry, name, (_payload: unknown, ctx: any) => handler(ctx));
    const caller = registry.scoped({ signal });
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', listen);
    for (let i = 0; i < 2_000; i++) await Promise.all(names.map((name) => fire(caller, name)));
    await pass(50);
    process.off('warning', listen);
    const touched = add.mock.contexts.filter((context) => context === signal).length;
    add.mockRestore();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    expect(warnings).toEqual([]);
    if (!String(handler).includes('signal')) expect(touched).toBe(0);
  });
});
