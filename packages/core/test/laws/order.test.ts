/** Order is written down. */
import { defineHooks, modifyingHook, voidHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, register, registryOf } from '../support/points.js';
import { caught } from '../support/refusal.js';

const nothing = (): void => undefined;
const rowsOf = (registry: any, plugins: any = 'all'): any[] => registry.plan('seen', plugins);
const idsOf = (registry: any): string[] => rowsOf(registry).map((row) => row.id);
const see = (registrar: any, id?: string, options: object = {}): (() => void) =>
  register(registrar, 'seen', nothing, { ...(id === undefined ? {} : { id }), ...options });
const entry = (order: readonly string[]) => defineHooks({ seen: voidHook<object>({ summary: 'Seen.', order }) });

describe('one list per point', () => {
  test('the house order stands unless the host gives a list, which replaces it whole', () => {
    const fill = (registry: any): any => (see(registry, 'a'), see(registry, 'b'), see(registry, 'c'), registry);
    const house = entry(['c', '*', 'a?']);
    expect(idsOf(fill(createHookRegistry(house)))).toEqual(['c', 'b', 'a']);
    expect(idsOf(fill(createHookRegistry(house, { order: { seen: ['b'] } })))).toEqual(['b', 'a', 'c']);
    expect(idsOf(fill(registryOf()))).toEqual(['a', 'b', 'c']);
  });

  test("'*' takes host handlers, then the plugins in the order of `plugins`, then the others by first registration", () => {
    const registry = registryOf({ plugins: ['p2', 'p1'] });
    const [p1, p2, p3, p4] = ['p1', 'p2', 'p3', 'p4'].map((id) => registry.forPlugin(id));
    register(p4, 'fill', nothing);
    see(p3, 'x');
    see(p1, 'x');
    see(p4, 'x');
    see(registry, 'h1');
    see(p2, 'x');
    see(p1, 'y');
    see(registry, 'h2');
    expect(idsOf(registry)).toEqual(['h1', 'h2', 'p2/x', 'p1/x', 'p1/y', 'p4/x', 'p3/x']);
  });

  test("'*' stands at the end if it is missing", () => {
    const registry = registryOf({ order: { seen: ['b', 'p1'] } });
    see(registry, 'a');
    see(registry, 'b');
    see(registry.forPlugin('p2'), 'x');
    see(registry.forPlugin('p1'), 'x');
    expect(idsOf(registry)).toEqual(['b', 'p1/x', 'a', 'p2/x']);
    expect(rowsOf(registry).map((row) => row.entry)).toEqual(['b', 'p1', '*', '*']);
  });

  test('a plugin id stands for all its handlers that the list does not name', () => {
    const registry = registryOf({ order: { seen: ['acme/last?', '*', 'acme', 'acme/first'] } });
    const acme = registry.forPlugin('acme');
    for (const id of ['first', 'x', 'y']) see(acme, id);
    see(acme);
    see(registry, 'h');
    const rows = rowsOf(registry);
    expect(rows.map((row) => row.id.replace(/~\d+/, '~'))).toEqual(['h', 'acme/x', 'acme/y', 'acme/~', 'acme/first']);
    expect(rows.map((row) => row.entry)).toEqual(['*', 'acme', 'acme', 'acme', 'acme/first']);
  });

  test('a plugin keeps its seat over unregister and register; a host handler stands last among the host’s', () => {
    const registry = registryOf();
    for (const id of ['p1', 'p2']) see(registry.forPlugin(id), 'x');
    const off = see(registry, 'h1');
    see(registry, 'h2');
    registry.unregisterPlugin('p1');
    off();
    see(registry.forPlugin('p1'), 'x');
    see(registry, 'h1');
    expect(idsOf(registry)).toEqual(['h2', 'h1', 'p1/x', 'p2/x']);
  });

  test('a list is copied: changing the array afterwards changes nothing', () => {
    const order = ['b', '*'];
    const plugins = ['p2', 'p1'];
    const registry = registryOf({ order: { seen: order }, plugins });
    order.reverse();
    plugins.reverse();
    for (const id of ['a', 'b']) see(registry, id);
    for (const id of ['p1', 'p2']) see(registry.forPlugin(id), 'x');
    expect(idsOf(registry)).toEqual(['b', 'a', 'p2/x', 'p1/x']);
  });

  test.each<readonly [string, readonly unknown[]]>([
    ['a double entry', ['a', 'b', 'a']],
    ['a double entry, once optional', ['a', 'a?']],
    ["a second '*'", ['*', 'a', '*']],
    ["an optional '*'", ['*?']],
    ['an entry that is no string', [5]],
    ['an empty entry', ['']],
    ["an entry that is only '?'", ['?']],
  ])('%s is refused at once', async (_, order) => {
    await expect(() => registryOf({ order: { seen: order as string[] } })).toRefuse('TH_ORDER_INVALID', 'seen');
    await expect(() => createHookRegistry(entry(order as string[]))).toRefuse('TH_ORDER_INVALID', 'seen');
  });

  test('the order of a point that the catalogue lacks is refused at once', async () => {
    await expect(() => registryOf({ order: { sene: ['*'] } as any })).toRefuse('TH_UNKNOWN_HOOK', 'sene', 'seen');
    await expect(() => registryOf({ order: { seen: 'a' } as any })).toRefuse('TH_ORDER_INVALID', 'seen');
  });

  test('a double or impossible plugin id in `plugins` is refused at once', async () => {
    for (const plugins of [['a', 'a'], ['host'], [''], ['A'], [5], 'a']) {
      await expect(() => registryOf({ plugins: plugins as any })).toRefuse('TH_OPTION_INVALID');
    }
  });
});

describe('edges', () => {
  test('before and after work inside one entry: the first handler whose predecessors are placed comes next', () => {
    const registry = registryOf();
    see(registry, 'a', { after: ['c'] });
    see(registry, 'b');
    see(registry, 'c');
    see(registry, 'd', { before: ['b'] });
    expect(idsOf(registry)).toEqual(['c', 'a', 'd', 'b']);
  });

  test("they work across owners inside '*', and inside a plugin's entry", () => {
    const registry = registryOf({ order: { seen: ['*', 'p2?'] } });
    see(registry, 'h', { after: ['p1/x'] });
    see(registry.forPlugin('p1'), 'x');
    const p2 = registry.forPlugin('p2');
    see(p2, 'x');
    see(p2, 'y', { before: ['p2/x'] });
    expect(idsOf(registry)).toEqual(['p1/x', 'h', 'p2/y', 'p2/x']);
  });

  test('an edge is inert while nobody has its id, void when it contradicts the list, and held otherwise; the plan shows it', () => {
    const registry = registryOf({ order: { seen: ['late?', '*', 'end?'] } });
    see(registry, 'a', { before: ['ghost', 'late', 'end', 'b'] });
    see(registry, 'b', { after: ['end', 'late'] });
    see(registry, 'late', { after: ['a'] });
    see(registry, 'end');
    expect(idsOf(registry)).toEqual(['late', 'a', 'b', 'end']);
    const edges = Object.fromEntries(
      rowsOf(registry).map((row) => [row.id, row.edges.map((e: any) => `${e.kind} ${e.id} ${e.state}`)]),
    );
    expect(edges).toEqual({
      late: ['after a void'],
      a: ['before ghost inert', 'before late void', 'before end held', 'before b held'],
      b: ['after end void', 'after late held'],
      end: [],
    });
    see(registry, 'ghost');
    expect(idsOf(registry)).toEqual(['late', 'a', 'b', 'ghost', 'end']);
  });

  test('a silenced handler still stands: an allowlist never changes who stands before whom', async () => {
    const calls: string[] = [];
    const registry = registryOf();
    const say = (_: unknown, ctx: any): void => void calls.push(ctx.id);
    register(registry, 'seen', say, { id: 'a', after: ['p1/x'] });
    register(registry, 'seen', say, { id: 'b' });
    register(registry.forPlugin('p1'), 'seen', say, { id: 'x', after: ['b'] });
    await fire(registry, 'seen');
    expect(calls).toEqual(['b', 'a']);
    expect(rowsOf(registry, []).map((row) => `${row.id} ${row.silenced}`)).toEqual(['b false', 'p1/x true', 'a false']);
  });

  test('a cycle is refused with its ids when it is met, over all live handlers whatever the allowlist', async () => {
    const registry = registryOf();
    see(registry, 'a', { before: ['b'] });
    see(registry, 'b', { before: ['p1/x'] });
    see(registry, 'bystander');
    const off = see(registry.forPlugin('p1'), 'x', { before: ['a'] });
    await expect(() => registry.verify()).toRefuse('TH_ORDER_CYCLE', 'seen', "'a'", "'b'", "'p1/x'");
    await expect(() => registry.plan('seen')).toRefuse('TH_ORDER_CYCLE');
    await expect(() => fire(registry, 'seen')).toRefuse('TH_ORDER_CYCLE');
    await expect(() => fire(registry.scoped({ plugins: [] }), 'seen')).toRefuse('TH_ORDER_CYCLE');
    off();
    expect(idsOf(registry)).toEqual(['a', 'b', 'bystander']);
    registry.verify();
  });

  test('a bystander of a cycle is not named', async () => {
    const registry = registryOf();
    see(registry, 'a', { before: ['b'] });
    see(registry, 'b', { before: ['a'] });
    see(registry, 'bystander', { after: ['b'] });
    expect(String(await caught(() => registry.verify()))).not.toContain('bystander');
  });

  test('void and inert edges make no cycle', () => {
    const registry = registryOf({ order: { seen: ['a?', '*'] } });
    see(registry, 'a', { after: ['b'] });
    see(registry, 'b', { after: ['a', 'ghost'] });
    see(registry, 'c', { before: ['ghost'] });
    expect(idsOf(registry)).toEqual(['a', 'b', 'c']);
  });

  test('the order of registration cannot change where edges and list put a handler', () => {
    const specs = [
      ['a', {}],
      ['b', { before: ['a'] }],
      ['c', { after: ['a'] }],
      ['d', {}],
    ] as const;
    const permutations = (items: readonly (typeof specs)[number][]): (typeof specs)[number][][] =>
      items.length === 0
        ? [[]]
        : items.flatMap((item) => permutations(items.filter((i) => i !== item)).map((rest) => [item, ...rest]));
    for (const order of permutations(specs)) {
      const registry = registryOf({ order: { seen: ['d', '*'] } });
      for (const [id, options] of order) see(registry, id, options);
      expect(idsOf(registry)).toEqual(['d', 'b', 'a', 'c']);
    }
  });
});

test('a list entry that nobody registered is refused by verify unless it is optional', async () => {
  const registry = registryOf({ order: { seen: ['audit', 'acme', '*', 'redact?'] } });
  await expect(() => registry.verify()).toRefuse('TH_VERIFY_FAILED', 'audit', 'acme', 'seen');
  see(registry, 'audit');
  await expect(() => registry.verify()).toRefuse('TH_ORDER_UNKNOWN', "'acme'", "'acme?'", 'seen');
  see(registry.forPlugin('acme'), 'x');
  expect(registry.verify()).toBeUndefined();
});

test('a list entry that is registered on other points is told where, and a misspelt one what it may mean', async () => {
  const registry = registryOf({ order: { seen: ['acme', '*'] } });
  registry.forPlugin('acme').registerModifying('fill', () => undefined, { id: 'x' });
  registry.forPlugin('acme').registerModifying('shape', () => undefined, { id: 'x' });
  await expect(() => registry.verify()).toRefuse(
    'TH_ORDER_UNKNOWN',
    "names 'acme', which is registered on 'fill', 'shape' and not here: take it out of the list, or write 'acme?'",
  );
  const misspelt = registryOf({ order: { seen: ['acmee', '*'] } });
  misspelt.forPlugin('acme').registerModifying('fill', () => undefined, { id: 'x' });
  await expect(() => misspelt.verify()).toRefuse(
    'TH_ORDER_UNKNOWN',
    "which nobody registered: did you mean 'acme'? It is registered on 'fill' and not here",
  );
  see(misspelt, 'acme2');
  await expect(() => misspelt.verify()).toRefuse('TH_ORDER_UNKNOWN', "did you mean 'acme2'?");
});

test('after verify has passed, a registration that would break the order throws and changes nothing', async () => {
  const registry = registryOf();
  see(registry, 'a', { before: ['b'] });
  registry.verify();
  await expect(() => see(registry, 'b', { before: ['a'] })).toRefuse('TH_ORDER_CYCLE', "'a'", "'b'");
  expect(idsOf(registry)).toEqual(['a']);
  see(registry, 'b');
  expect(idsOf(registry)).toEqual(['a', 'b']);
  registry.verify();
});

test('a pipeline runs in the written order and feeds forward in it', async () => {
  const hooks = defineHooks({
    text: modifyingHook<{ readonly text: string }, { text: string }>({
      discipline: 'pipeline',
      summary: 'Text.',
      keys: { text: 'string' },
      order: ['first?', '*', 'last?'],
    }),
  });
  const registry = createHookRegistry(hooks);
  for (const id of ['last', 'middle', 'first']) {
    registry.registerModifying('text', ({ text }) => ({ text: `${text} ${id}` }), { id });
  }
  expect(await registry.fireModifying('text', { text: 'a' })).toEqual({ text: 'a first middle last' });
});
