/** Listeners disturb nothing, and a fault that nobody hears is not silent. */
import { errorTable } from '@treblehook/types';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeClock, flush, pass, settle } from '../support/clock.js';
import { deferred, fire, hear, letter, names, register, registryOf } from '../support/points.js';

fakeClock();

const boom = (): never => {
  throw new Error('boom');
};
const never = (): Promise<never> => new Promise(() => undefined);
const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
beforeEach(() => void warn.mockClear());
const warnings = (): string[] =>
  warn.mock.calls.map(([text, options]: any) => `${options?.code ?? options} ${String(text?.message ?? text)}`);

describe('listeners', () => {
  test('`on` gives an `off` that is idempotent and takes off exactly its own', () => {
    const registry = registryOf();
    const calls: string[] = [];
    const same = (): void => void calls.push('same');
    const [off] = [registry.events.on('registered', same), registry.events.on('registered', same)];
    off();
    off();
    registry.registerVoid('seen', () => undefined);
    expect(calls).toEqual(['same']);
  });

  test('nobody outside can emit, clear or mute', async () => {
    const { events } = registryOf();
    expect(Object.keys(events)).toEqual(['on']);
    expect(Object.isFrozen(events)).toBe(true);
    await expect(() => events.on('nothing' as any, () => undefined)).toRefuse('TH_OPTION_INVALID', 'nothing');
    await expect(() => events.on('*' as any, () => undefined)).toRefuse('TH_OPTION_INVALID');
    await expect(() => events.on('fired', undefined as any)).toRefuse('TH_OPTION_INVALID');
  });

  test('an event is frozen: no listener changes what the next one hears', () => {
    const registry = registryOf();
    const heard: any[] = [];
    for (let i = 0; i < 2; i++) {
      registry.events.on('registered', (event: any) => {
        heard.push(event.by.id, Object.isFrozen(event), Object.isFrozen(event.by));
        event.by = undefined;
      });
    }
    registry.registerVoid('seen', () => undefined, { id: 'a' });
    expect(heard).toEqual(['a', true, true, 'a', true, true]);
  });

  test.each<readonly [string, () => unknown]>([
    ['throws', boom],
    ['rejects', () => Promise.reject(new Error('boom'))],
    // oxlint-disable-next-line unicorn/no-thenable
    ['returns a thenable that throws', () => ({ then: boom })],
  ])('one that %s is contained: the fire, the other listeners and the process go on', async (_, listener) => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', listen);
    const registry = registryOf();
    const types = ['registered', 'fired', 'handlerFailed', 'claimed', 'denied', 'keyShadowed'] as const;
    for (const type of types) registry.events.on(type, listener);
    const told = hear(registry, ...types);
    register(registry, 'seen', boom);
    for (const id of ['a', 'b']) register(registry, 'fill', () => ({ text: id }));
    register(registry, 'pick', () => ({ handled: true, name: 'n' }));
    register(registry, 'may', () => ({ deny: 'no' }));
    for (const name of names) await fire(registry, name);
    await flush();
    process.off('unhandledRejection', listen);
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(types));
    expect(rejections).toEqual([]);
    expect(new Set(warnings())).toEqual(
      new Set(types.map((type) => `TH_LISTENER_FAILED a listener of '${type}' failed: boom`)),
    );
    expect(errorTable).toHaveProperty('TH_LISTENER_FAILED');
  });

  test('one that fires or registers does not recurse into the same event without end', async () => {
    const registry = registryOf();
    let heard = 0;
    registry.events.on('handlerFailed', () => {
      heard++;
      if (heard > 50) throw new Error('recursion');
      void registry.fireVoid('seen', letter);
    });
    register(registry, 'seen', boom);
    await registry.fireVoid('seen', letter);
    await flush();
    expect(heard).toBeLessThan(50);
  });
});

describe('a fault that nobody hears', () => {
  test('goes to process.emitWarning, once per handler and code', async () => {
    const registry = registryOf();
    register(registry.forPlugin('acme'), 'seen', boom, { id: 'a' });
    register(registry, 'seen', boom, { id: 'b' });
    register(registry, 'shape', () => ({ unknown: 1 }), { id: 'a' });
    register(registry, 'shape', never, { id: 'slow', timeoutMs: 50 });
    for (let i = 0; i < 3; i++) {
      await fire(registry, 'seen', letter, 'all');
      await settle(fire(registry, 'shape'));
    }
    expect(warnings().length).toBe(4);
    for (const [i, words] of [
      ['TH_HANDLER_FAILED', "'acme/a'", "'seen'", "'acme'", 'boom'],
      ['TH_HANDLER_FAILED', "'b'", "'seen'"],
      ['TH_HANDLER_TIMEOUT', "'slow'", "'shape'", '50 ms'],
      ['TH_RESULT_INVALID', "'a'", "'shape'"],
    ].entries()) {
      for (const word of words) expect(warnings().toSorted()[i]).toContain(word);
    }
  });

  test('is not warned of while somebody hears that event, and is again when nobody does', async () => {
    const registry = registryOf();
    register(registry, 'seen', boom, { id: 'a' });
    const off = registry.events.on('handlerFailed', () => undefined);
    await fire(registry, 'seen');
    expect(warnings()).toEqual([]);
    off();
    await fire(registry, 'seen');
    expect(warnings().length).toBe(1);
  });

  test('of a late answer is warned of no second time', async () => {
    const registry = registryOf();
    const gate = deferred();
    register(registry, 'seen', () => gate.promise, { id: 'late', timeoutMs: 50 });
    await settle(fire(registry, 'seen'));
    gate.resolve();
    await pass(50);
    expect(warnings().length).toBe(1);
  });
});
