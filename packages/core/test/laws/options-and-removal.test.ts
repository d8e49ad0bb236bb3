/** The options of a registration, and what removing leaves behind. */
import { describe, expect, test } from 'vitest';
import { fire, hear, names, register, registryOf, type Name } from '../support/points.js';
import { caught } from '../support/refusal.js';

const idsOf = (registry: any, name: Name): string[] => registry.plan(name, 'all').map((row: any) => row.id);
const nothing = (): void => undefined;

describe('options', () => {
  test.each(names)('a budget of %s is a whole number of ms, or the caller for a host handler', async (name) => {
    const registry = registryOf();
    for (const timeoutMs of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 31, '5', null, 'never']) {
      await expect(() => register(registry, name, nothing, { timeoutMs })).toRefuse('TH_OPTION_INVALID');
    }
    await expect(() => register(registry, name, nothing, { timeoutMs: 'caller', pluginId: 'acme' })).toRefuse(
      'TH_OPTION_INVALID',
      'acme',
    );
    for (const timeoutMs of [1, 2 ** 31 - 1, 'caller']) register(registry, name, nothing, { timeoutMs });
    expect(registry.plan(name).map((row) => row.budgetMs)).toEqual([1, 2 ** 31 - 1, undefined]);
  });

  test('onError on an observer is refused in plain words', async () => {
    await expect(() => register(registryOf(), 'seen', nothing, { onError: 'abort' })).toRefuse(
      'TH_OPTION_INVALID',
      'an observe point has a policy of its own',
    );
  });

  test('onError can only tighten, and only an amender has it', async () => {
    const registry = registryOf();
    for (const name of ['seen', 'pick', 'may'] as const) {
      for (const onError of ['abort', 'isolate']) {
        await expect(() => register(registry, name, nothing, { onError })).toRefuse('TH_OPTION_INVALID', name);
      }
    }
    for (const name of ['fill', 'shape'] as const) {
      for (const onError of ['ignore', '', null, true]) {
        await expect(() => register(registry, name, nothing, { onError })).toRefuse('TH_OPTION_INVALID', name);
      }
      register(registry, name, nothing, { onError: 'abort' });
      register(registry, name, nothing, { onError: 'isolate' });
      register(registry, name, nothing);
      expect(registry.plan(name).map((row) => row.onError)).toEqual(['abort', 'isolate', 'isolate']);
    }
  });

  test('an option that is not one is refused: nothing is silently ignored', async () => {
    for (const options of [{ priority: 1 }, { locks: ['text'] }, { timeout: 5 }, { once: true }]) {
      await expect(() => register(registryOf(), 'seen', nothing, options)).toRefuse(
        'TH_OPTION_INVALID',
        Object.keys(options)[0]!,
      );
    }
  });

  test('edges are lists of ids, copied at registration', async () => {
    const registry = registryOf();
    for (const edges of ['a', {}, null, 5]) {
      await expect(() => register(registry, 'seen', nothing, { before: edges })).toRefuse('TH_OPTION_INVALID');
    }
    registry.registerVoid('seen', nothing, { id: 'a' });
    const before = ['a'];
    registry.registerVoid('seen', nothing, { id: 'b', before });
    before[0] = 'c';
    expect(idsOf(registry, 'seen')).toEqual(['b', 'a']);
  });
});

describe('removing', () => {
  test.each(names)(
    'an unregister of %s removes exactly its own registration, is idempotent and never throws',
    async (name) => {
      const calls: string[] = [];
      const registry = registryOf();
      const same = (_: unknown, ctx: any): void => void calls.push(ctx.id);
      const off = register(registry, name, same, { id: 'a' });
      register(registry, name, same, { id: 'b' });
      off();
      off();
      register(registry, name, same, { id: 'a' });
      off();
      await fire(registry, name);
      expect(calls).toEqual(['b', 'a']);
      expect(idsOf(registry, name)).toEqual(['b', 'a']);
    },
  );

  test('an unregister needs no `this` and tells `unregistered` once', () => {
    const registry = registryOf();
    const told = hear(registry, 'registered', 'unregistered');
    const { registerVoid } = registry;
    const off = registerVoid('seen', nothing, { id: 'a' });
    off();
    off();
    const by = { hook: 'seen', id: 'a', owner: 'host' };
    expect(told).toEqual([
      { type: 'registered', hook: 'seen', by },
      { type: 'unregistered', hook: 'seen', by },
    ]);
  });

  test("unregisterPlugin removes all of an owner's handlers, and its captured registrar is dead", async () => {
    const registry = registryOf();
    const acme = registry.forPlugin('acme');
    const another = registry.forPlugin('acme');
    const off = acme.registerVoid('seen', nothing, { id: 'a' });
    another.registerModifying('fill', () => undefined);
    registry.forPlugin('zeta').registerVoid('seen', nothing, { id: 'z' });
    registry.unregisterPlugin('acme');
    expect([idsOf(registry, 'seen'), idsOf(registry, 'fill')]).toEqual([['zeta/z'], []]);
    off();
    for (const dead of [acme, another]) {
      await expect(() => dead.registerVoid('seen', nothing)).toRefuse('TH_DISPOSED', 'acme');
      await expect(() => dead.registerModifying('fill', () => undefined)).toRefuse('TH_DISPOSED', 'acme');
      await expect(() => dead.registerClaiming('may', () => undefined)).toRefuse('TH_DISPOSED', 'acme');
      await expect(() => dead.plan('seen')).toRefuse('TH_DISPOSED', 'acme');
      await expect(() => dead.hasHandlers('seen')).toRefuse('TH_DISPOSED', 'acme');
    }
    registry.forPlugin('acme').registerVoid('seen', nothing, { id: 'a' });
    expect(idsOf(registry, 'seen')).toEqual(['acme/a', 'zeta/z']);
  });

  test('unregisterPlugin of nobody does nothing', () => {
    const registry = registryOf();
    registry.registerVoid('seen', nothing, { id: 'a' });
    registry.unregisterPlugin('acme');
    expect(idsOf(registry, 'seen')).toEqual(['a']);
  });

  test('no plugin is called host: its handlers cannot be removed by that name', async () => {
    const registry = registryOf();
    registry.registerClaiming('may', () => ({ deny: 'no' }), { id: 'policy' });
    await caught(() => registry.unregisterPlugin('host'));
    expect(idsOf(registry, 'may')).toEqual(['policy']);
  });
});
