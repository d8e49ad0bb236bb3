/** Misuse and odd names: what looks like something else is not taken for it. */
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, hear, names, points, register, registryOf, type Name } from '../support/points.js';
import { caught } from '../support/refusal.js';

const idsOf = (registry: any, name: Name): string[] => registry.plan(name, 'all').map((row: any) => row.id);

describe('lists', () => {
  const called = async (scope: object): Promise<string[]> => {
    const registry = registryOf();
    const calls: string[] = [];
    for (const id of ['a', 'b', 'c']) register(registry.forPlugin(id), 'seen', () => void calls.push(id), { id: 'x' });
    // Plans of other lists are made first, so that a list that is taken for another one finds its plan.
    for (const plugins of [['a', 'b'], 'all', ['a'], []] as const) await fire(registry.scoped({ plugins }), 'seen');
    calls.length = 0;
    await fire(registry.scoped(scope), 'seen');
    return calls;
  };
  test.each([',', '|', '\0', ' ', '\n', ';', '","', '/', ':', '\u0001'])(
    'an entry with %o in it is not taken for two',
    async (separator) => {
      expect(await called({ plugins: [`a${separator}b`] })).toEqual([]);
      expect(await called({ plugins: [`"a"${separator}"b"`] })).toEqual([]);
      expect(await called({ plugins: 'all', without: [`a/x${separator}b/x`] })).toEqual(['a', 'b', 'c']);
    },
  );

  test("the list ['all'] is a list of nobody, and not everybody", async () => {
    expect(await called({ plugins: ['all'] })).toEqual([]);
    expect(await called({ plugins: ['*'] })).toEqual([]);
    expect(await called({ plugins: ['host'] })).toEqual([]);
    expect(await called({ plugins: [''] })).toEqual([]);
  });

  test('a list moved between plugins, guards and without is another list', async () => {
    const registry = registryOf();
    const calls: string[] = [];
    for (const id of ['a', 'b']) register(registry.forPlugin(id), 'may', () => void calls.push(id), { id: 'x' });
    const asked = async (scope: object): Promise<string> => {
      calls.length = 0;
      await fire(registry.scoped(scope), 'may');
      return calls.join('');
    };
    expect(await asked({ plugins: ['a'], guards: ['b'] })).toBe('ab');
    expect(await asked({ plugins: ['a', 'b'] })).toBe('ab');
    expect(await asked({ plugins: ['a'] })).toBe('a');
    expect(await asked({ guards: ['b'] })).toBe('b');
    expect(await asked({ plugins: ['a'], without: ['b/x'] })).toBe('a');
  });
});

describe('names of Object.prototype', () => {
  test.each(names)('are ids, plugin ids and edges of %s like any others', async (name) => {
    const registry = registryOf({ budgets: { [`${name}/toString`]: 77 }, order: { [name]: ['valueOf?', '*'] } });
    const calls: string[] = [];
    const say = (_: unknown, ctx: any): void => void calls.push(ctx.id);
    register(registry.forPlugin('constructor'), name, say, { id: 'hasOwnProperty' });
    register(registry, name, say, { id: 'toString', before: ['hasOwnProperty', 'isPrototypeOf'] });
    register(registry, name, say, { id: 'valueOf' });
    expect(idsOf(registry, name)).toEqual(['valueOf', 'toString', 'constructor/hasOwnProperty']);
    expect(registry.plan(name).map((row) => row.budgetMs)[1]).toBe(77);
    await fire(registry, name);
    expect(calls).toEqual(['valueOf', 'toString']);
    await fire(registry, name, undefined, ['constructor']);
    expect(calls.slice(2)).toEqual(['valueOf', 'toString', 'constructor/hasOwnProperty']);
  });
});

describe('options that are not', () => {
  test('a registry option that is none is refused: a misspelt lock is no lock', async () => {
    for (const options of [{ lock: {} }, { orders: {} }, { budget: {} }, { plugin: [] }]) {
      await expect(() => registryOf(options as any)).toRefuse('TH_OPTION_INVALID', Object.keys(options)[0]!);
    }
    const wrong = [null, 5, { order: 5 }, { order: null }, { locks: [] }, { budgets: 'x' }, { plugins: {} }];
    for (const options of [...wrong, { order: { seen: null } }, { locks: { shape: null } }, { locks: { shape: [] } }]) {
      expect(await caught(() => createHookRegistry(points, options as any)), JSON.stringify(options)).toMatchObject({
        name: 'HookError',
      });
    }
    for (const scope of [null, 5, []])
      await expect(() => registryOf().scoped(scope as any)).toRefuse('TH_OPTION_INVALID');
  });

  test('options of a registration that are no object are refused', async () => {
    for (const options of [null, 5, 'id', true, () => undefined]) {
      await expect(() => register(registryOf(), 'seen', () => undefined, options)).toRefuse('TH_OPTION_INVALID');
    }
  });

  test('options are read once: a getter cannot change its mind', () => {
    const registry = registryOf();
    const reads = { pluginId: 0, id: 0 };
    const options = {
      get pluginId(): string {
        return reads.pluginId++ === 0 ? 'acme' : 'zeta';
      },
      get id(): string {
        return reads.id++ === 0 ? 'x' : 'y';
      },
    };
    register(registry, 'seen', () => undefined, options);
    expect(registry.plan('seen', 'all').map(({ id, owner }) => [id, owner])).toEqual([['acme/x', 'acme']]);
    expect(reads).toEqual({ pluginId: 1, id: 1 });
  });
});

describe('changes in the middle of a change', () => {
  test('a replacement inside a replacement of the same plugin leaves one set, not two and not none', async () => {
    const registry = registryOf();
    registry.forPlugin('acme').registerVoid('seen', () => undefined, { id: 'old' });
    await caught(() =>
      registry.replace('acme', (outer) => {
        outer.registerVoid('seen', () => undefined, { id: 'outer' });
        registry.replace('acme', (inner) => void inner.registerVoid('seen', () => undefined, { id: 'inner' }));
      }),
    );
    expect(['acme/old', 'acme/inner', 'acme/outer']).toContain(idsOf(registry, 'seen').join());
  });

  test('a replacement that fails takes back nothing of others', async () => {
    const registry = registryOf();
    await caught(() =>
      registry.replace('acme', (r) => {
        r.registerVoid('seen', () => undefined, { id: 'a' });
        registry.registerVoid('seen', () => undefined, { id: 'hostess' });
        registry.forPlugin('zeta').registerVoid('seen', () => undefined, { id: 'z' });
        throw new Error('no');
      }),
    );
    expect(idsOf(registry, 'seen')).toEqual(['hostess', 'zeta/z']);
  });

  test('removing the plugin inside its own replacement leaves no half', async () => {
    const registry = registryOf();
    registry.forPlugin('acme').registerVoid('seen', () => undefined, { id: 'old' });
    await caught(() =>
      registry.replace('acme', (r) => {
        r.registerVoid('seen', () => undefined, { id: 'a' });
        registry.unregisterPlugin('acme');
        r.registerVoid('seen', () => undefined, { id: 'b' });
      }),
    );
    expect(['', 'acme/a,acme/b']).toContain(idsOf(registry, 'seen').join());
  });

  test('a fire from inside a replacement sees the old set', async () => {
    const registry = registryOf();
    const calls: string[] = [];
    registry.forPlugin('acme').registerVoid('seen', () => void calls.push('old'), { id: 'a' });
    let running: unknown;
    registry.replace('acme', (r) => {
      r.registerVoid('seen', () => void calls.push('new'), { id: 'a' });
      running = fire(registry, 'seen', undefined, 'all');
    });
    await running;
    await fire(registry, 'seen', undefined, 'all');
    expect(calls).toEqual(['old', 'new']);
  });

  test('a listener that registers or removes while it is told does not break what it is told of', async () => {
    const registry = registryOf();
    let offs: (() => void)[] = [];
    registry.events.on('registered', ({ by }) => {
      if (by.id === 'a') offs.push(registry.registerVoid('seen', () => undefined, { id: 'b', before: ['a'] }));
    });
    registry.events.on('unregistered', () => {
      for (const off of offs) off();
    });
    const told = hear(registry, 'registered', 'unregistered');
    const off = registry.registerVoid('seen', () => undefined, { id: 'a' });
    offs.push(off);
    expect(idsOf(registry, 'seen')).toEqual(['b', 'a']);
    off();
    expect(idsOf(registry, 'seen')).toEqual([]);
    expect(told.map(({ type, by }) => `${type} ${by.id}`).toSorted()).toEqual([
      'registered a',
      'registered b',
      'unregistered a',
      'unregistered b',
    ]);
    offs = [];
  });
});

test('functions of a registry, a registrar and a caller need no `this`, and none of them can be replaced', async () => {
  const registry = registryOf();
  const { forPlugin, scoped, plan, verify, describe: description, unregisterPlugin, replace, hasHandlers } = registry;
  const { registerVoid } = forPlugin('acme');
  registerVoid('seen', () => undefined, { id: 'x' });
  const { fireVoid, generation } = scoped({ plugins: 'all' });
  await fireVoid('seen', { text: 'a' });
  verify();
  replace('acme', () => undefined);
  unregisterPlugin('acme');
  expect([plan('seen').length, description().hooks.length, hasHandlers('seen'), typeof generation('seen')]).toEqual([
    0,
    5,
    false,
    'number',
  ]);
  for (const face of [registry, registry.forPlugin('acme'), registry.scoped({}), registry.events]) {
    expect(Object.isFrozen(face)).toBe(true);
  }
});
