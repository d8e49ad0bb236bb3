/** Lists bind who runs; they are copied, interned, and cannot be forgotten at a fire site. */
import { describe, expect, test } from 'vitest';
import { fire, names, register, registryOf, type Name } from '../support/points.js';

const others = ['seen', 'fill', 'shape', 'pick'] as const;
/** A registry with a host handler and one of p1, p2 and p3 on the point, and who was called. */
function made(name: Name) {
  const registry = registryOf();
  const calls: string[] = [];
  const say = (_: unknown, ctx: any): void => void calls.push(ctx.id);
  register(registry, name, say, { id: 'h' });
  for (const id of ['p1', 'p2', 'p3']) register(registry.forPlugin(id), name, say, { id: 'x' });
  const called = async (caller: any, ...lists: unknown[]): Promise<string[]> => {
    await fire(caller, name, { text: 'a' }, ...lists);
    return calls.splice(0);
  };
  return { registry, called };
}
const everybody = ['h', 'p1/x', 'p2/x', 'p3/x'];

describe.each(names)('the allowlist of %s', (name) => {
  test('is a list of ids or all; left out, only host handlers run', async () => {
    const { registry, called } = made(name);
    for (const [plugins, wanted] of [
      [undefined, ['h']],
      [[], ['h']],
      [['p2'], ['h', 'p2/x']],
      [
        ['p3', 'p1'],
        ['h', 'p1/x', 'p3/x'],
      ],
      [['nobody'], ['h']],
      ['all', everybody],
    ] as const) {
      expect(await called(registry.scoped(plugins === undefined ? {} : { plugins }))).toEqual(wanted);
      expect(await called(registry, ...(plugins === undefined ? [] : [plugins]))).toEqual(wanted);
    }
  });

  test('is copied: changing the array afterwards changes nothing', async () => {
    const { registry, called } = made(name);
    const plugins = ['p1'];
    const caller = registry.scoped({ plugins });
    expect(await called(caller)).toEqual(['h', 'p1/x']);
    plugins[0] = 'p2';
    plugins.push('p3');
    expect(await called(caller)).toEqual(['h', 'p1/x']);
    expect(await called(registry.scoped({ plugins }))).toEqual(['h', 'p2/x', 'p3/x']);
    plugins.length = 0;
    expect(await called(registry, plugins)).toEqual(['h']);
  });

  test('never silences a host handler', async () => {
    const { registry, called } = made(name);
    expect(await called(registry.scoped({ plugins: [], guards: [] }))).toEqual(['h']);
  });

  test('hasHandlers says whether anything would run, for the registry, a registrar and a caller', () => {
    const registry = registryOf();
    expect([registry.hasHandlers(name), registry.hasHandlers(name, 'all')]).toEqual([false, false]);
    const off = register(registry.forPlugin('p1'), name, () => undefined);
    expect([registry.hasHandlers(name), registry.hasHandlers(name, ['p1'])]).toEqual([false, true]);
    expect([registry.hasHandlers(name, ['p2']), registry.hasHandlers(name, 'all')]).toEqual([false, true]);
    const callers = [registry.scoped({}), registry.scoped({ plugins: ['p1'] }), registry.scoped({ plugins: 'all' })];
    expect(callers.map((caller) => caller.hasHandlers(name))).toEqual([false, true, true]);
    off();
    expect(callers.map((caller) => caller.hasHandlers(name))).toEqual([false, false, false]);
    register(registry, name, () => undefined);
    expect(callers.map((caller) => caller.hasHandlers(name))).toEqual([true, true, true]);
  });

  test('a list that is none is refused, and not taken for all or for nobody', async () => {
    const { registry } = made(name);
    for (const plugins of ['p1', 'some', null, 5, {}, [5], [null], true]) {
      await expect(() => registry.scoped({ plugins: plugins as any })).toRefuse('TH_OPTION_INVALID');
      await expect(() => fire(registry, name, undefined, plugins)).toRefuse('TH_OPTION_INVALID');
      await expect(() => registry.plan(name, plugins as any)).toRefuse('TH_OPTION_INVALID');
      await expect(() => registry.hasHandlers(name, plugins as any)).toRefuse('TH_OPTION_INVALID');
    }
  });

  test('the plan shows whom it silences', () => {
    const { registry } = made(name);
    const silenced = (plugins?: any): string[] =>
      registry
        .plan(name, plugins)
        .filter((row) => row.silenced)
        .map((row) => row.id);
    expect(silenced()).toEqual(['p1/x', 'p2/x', 'p3/x']);
    expect(silenced(['p2'])).toEqual(['p1/x', 'p3/x']);
    expect(silenced('all')).toEqual([]);
  });
});

describe('guards and without', () => {
  test('guards adds ids that count on guard points only: a child is under the union', async () => {
    const { registry, called } = made('may');
    expect(await called(registry.scoped({ plugins: ['p1'], guards: ['p2'] }))).toEqual(['h', 'p1/x', 'p2/x']);
    expect(await called(registry.scoped({ guards: ['p2'] }))).toEqual(['h', 'p2/x']);
    expect(registry.scoped({ guards: ['p2'] }).hasHandlers('may')).toBe(true);
  });

  test.each(others)('guards count for nothing on %s', async (name) => {
    const { registry, called } = made(name);
    expect(await called(registry.scoped({ plugins: ['p1'], guards: ['p2'] }))).toEqual(['h', 'p1/x']);
  });

  test.each(others)('without leaves full ids out of the plans of %s', async (name) => {
    const { registry, called } = made(name);
    expect(await called(registry.scoped({ plugins: 'all', without: ['h', 'p2/x'] }))).toEqual(['p1/x', 'p3/x']);
    expect(await called(registry.scoped({ plugins: 'all', without: ['p2', 'nobody'] }))).toEqual(everybody);
    expect(registry.scoped({ without: ['h'] }).hasHandlers(name)).toBe(false);
    const without = ['h'];
    const caller = registry.scoped({ plugins: ['p1'], without });
    without[0] = 'p1/x';
    expect(await called(caller)).toEqual(['p1/x']);
  });

  test('without never silences a guard', async () => {
    const { registry, called } = made('may');
    const caller = registry.scoped({ plugins: 'all', without: everybody });
    expect(await called(caller)).toEqual(everybody);
    expect(caller.hasHandlers('may')).toBe(true);
  });

  test('lists and signals that are none are refused', async () => {
    const registry = registryOf();
    for (const bad of ['p1', null, 5, {}, [5]]) {
      await expect(() => registry.scoped({ guards: bad as any })).toRefuse('TH_OPTION_INVALID');
      await expect(() => registry.scoped({ without: bad as any })).toRefuse('TH_OPTION_INVALID');
    }
    await expect(() => registry.scoped({ signal: {} as any })).toRefuse('TH_OPTION_INVALID');
    await expect(() => registry.scoped({ callModel: 5 as any })).toRefuse('TH_OPTION_INVALID');
    await expect(() => registry.scoped({ plugin: ['p1'] } as any)).toRefuse('TH_OPTION_INVALID', 'plugin');
  });
});

describe.each(names)('the generation of %s', (name) => {
  test("is another number as soon as this caller's plan has changed, and only then", () => {
    const { registry } = made(name);
    const caller = registry.scoped({ plugins: ['p1'] });
    const numbers = [caller.generation(name)];
    const changed = (run: () => void): boolean => {
      run();
      numbers.push(caller.generation(name));
      return numbers.at(-1) !== numbers.at(-2);
    };
    expect(changed(() => undefined)).toBe(false);
    let off!: () => void;
    expect(changed(() => (off = register(registry, name, () => undefined, { id: 'new' })))).toBe(true);
    expect(changed(off)).toBe(true);
    expect(changed(off)).toBe(false);
    expect(changed(() => registry.unregisterPlugin('p1'))).toBe(true);
    expect(changed(() => register(registry.forPlugin('p1'), name, () => undefined, { id: 'x' }))).toBe(true);
    expect(changed(() => registry.replace('p1', (r) => void register(r, name, () => undefined, { id: 'x' })))).toBe(
      true,
    );
    expect(new Set(numbers).size).toBe(6);
  });

  test('stays when what has changed is no part of the plan, or was taken back', () => {
    const { registry } = made(name);
    const caller = registry.scoped({ plugins: ['p1'] });
    const before = caller.generation(name);
    const off = register(registry.forPlugin('p4'), name, () => undefined);
    expect(caller.generation(name)).toBe(before);
    registry.unregisterPlugin('p2');
    expect(caller.generation(name)).toBe(before);
    off();
    register(registry, name, () => undefined)();
    expect(caller.generation(name)).toBe(before);
  });

  test('equal lists share plans: callers with equal lists have one generation', () => {
    const { registry } = made(name);
    const [one, two] = [registry.scoped({ plugins: ['p1', 'p2'] }), registry.scoped({ plugins: ['p2', 'p1', 'p1'] })];
    expect(one.generation(name)).toBe(two.generation(name));
    register(registry, name, () => undefined);
    expect(one.generation(name)).toBe(two.generation(name));
  });
});

test('a verdict record carries the generation of the plan that answered', async () => {
  const { registry } = made('may');
  const caller = registry.scoped({ plugins: ['p1'] });
  const before = await caller.fireClaiming('may', { text: 'a' });
  expect(before.generation).toBe(caller.generation('may'));
  registry.unregisterPlugin('p1');
  expect(caller.generation('may')).not.toBe(before.generation);
  const after = await caller.fireClaiming('may', { text: 'a' });
  expect(after.generation).toBe(caller.generation('may'));
});

test('a plan that changed while the guards were asked shows in the generation: the record is of the old plan', async () => {
  const registry = registryOf();
  const caller = registry.scoped({});
  registry.registerClaiming('may', () => {
    if (registry.plan('may').length === 1) registry.registerClaiming('may', () => ({ deny: 'no' }));
    return undefined;
  });
  const record = await caller.fireClaiming('may', { text: 'a' });
  expect(record).toMatchObject({ decision: 'clear', verdicts: [{}] });
  expect(record.generation).not.toBe(caller.generation('may'));
});
