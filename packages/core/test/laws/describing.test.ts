/** What a registry says of itself, what it refuses as a whole, and how its errors read. */
import { defineHooks, errorTable, HookError, isHookError, textOf, voidHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, names, points, register, registryOf } from '../support/points.js';
import { caught } from '../support/refusal.js';

const full = () => {
  const registry = registryOf({
    order: { shape: ['gate?', '*', 'acme?'] },
    locks: { shape: { gate: ['text'] } },
    budgets: { 'shape/gate': 120_000 },
  });
  registry.registerModifying('shape', () => undefined, { id: 'gate', onError: 'abort' });
  const acme = registry.forPlugin('acme');
  acme.registerModifying('shape', () => undefined, { id: 'a', after: ['gate', 'ghost'] });
  acme.registerModifying('shape', () => undefined, { id: 'b', before: ['acme/a', 'gate'], timeoutMs: 70 });
  acme.registerClaiming('may', () => undefined, { id: 'g' });
  registry.registerVoid('seen', () => undefined, { id: 'tenant', timeoutMs: 'caller' });
  return registry;
};

describe('plan', () => {
  test('rows say who, why there, what binds them, and whether they run', () => {
    const registry = full();
    expect(registry.plan('shape')).toEqual([
      {
        id: 'gate',
        owner: 'host',
        entry: 'gate',
        why: expect.any(String),
        edges: [],
        locks: ['text'],
        silenced: false,
        budgetMs: 120_000,
        onError: 'abort',
      },
      {
        id: 'acme/b',
        owner: 'acme',
        entry: 'acme',
        why: expect.any(String),
        edges: [
          { kind: 'before', id: 'acme/a', state: 'held' },
          { kind: 'before', id: 'gate', state: 'void' },
        ],
        locks: [],
        silenced: true,
        budgetMs: 70,
        onError: 'isolate',
      },
      {
        id: 'acme/a',
        owner: 'acme',
        entry: 'acme',
        why: expect.any(String),
        edges: [
          { kind: 'after', id: 'gate', state: 'held' },
          { kind: 'after', id: 'ghost', state: 'inert' },
        ],
        locks: [],
        silenced: true,
        budgetMs: 10_000,
        onError: 'isolate',
      },
    ]);
    for (const row of registry.plan('shape')) expect(row.why.length).toBeGreaterThan(3);
    expect(registry.plan('may', 'all').map((row) => [row.onError, row.silenced])).toEqual([['deny', false]]);
    expect(registry.plan('seen').map((row) => row.budgetMs)).toEqual([undefined]);
  });

  test('is frozen all the way and is no door into the registry', () => {
    const registry = full();
    const plan = registry.plan('shape', 'all');
    const parts = [plan, ...plan, ...plan.flatMap((row) => [row.edges, row.locks, ...row.edges])];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
    expect(JSON.stringify(plan)).not.toContain('=>');
  });

  test('is what fires, in that order, but for the silenced', async () => {
    for (const plugins of [[], ['acme'], 'all'] as const) {
      const registry = registryOf({ order: { fill: ['b?', '*', 'acme/z?'] } });
      const calls: string[] = [];
      const say = (_: unknown, ctx: any): void => void calls.push(ctx.id);
      for (const id of ['a', 'b']) register(registry, 'fill', say, { id });
      for (const id of ['z', 'y']) register(registry.forPlugin('acme'), 'fill', say, { id });
      await fire(registry, 'fill', undefined, plugins);
      expect(calls).toEqual(
        registry
          .plan('fill', plugins)
          .filter((row) => !row.silenced)
          .map((row) => row.id),
      );
      expect(calls.length).toBe(plugins.length === 0 ? 2 : 4);
    }
  });
});

describe('the description', () => {
  test('gives the catalogue and all plans as plain data: no functions, no payloads', () => {
    const registry = full();
    const { hooks } = registry.describe();
    expect(hooks.map((hook) => hook.name)).toEqual([...names]);
    expect(structuredClone(hooks)).toEqual(hooks);
    const shape = hooks.find((hook) => hook.name === 'shape')!;
    expect(shape).toMatchObject({
      model: 'modifying',
      discipline: 'pipeline',
      summary: points.shape.summary,
      keys: points.shape.keys,
      collect: ['tags'],
      replaces: {},
      terminal: ['stop', 'fail'],
      hostKeys: [],
      order: ['gate?', '*', 'acme?'],
      locks: { gate: ['text'] },
    });
    expect(shape.plan.map((row) => row.id)).toEqual(['gate', 'acme/b', 'acme/a']);
    expect(hooks.find((hook) => hook.name === 'seen')!.aka).toEqual(['letter_seen', 'onLetter']);
    expect(hooks.find((hook) => hook.name === 'fill')!.order).toEqual(['*']);
  });
});

test('a row says in words why its handler stands there, and what it asks for besides', () => {
  const registry = full();
  registry.registerModifying('shape', () => undefined, { id: 'mine' });
  registry.forPlugin('zeta').registerModifying('shape', () => undefined, { id: 'z', after: ['mine', 'x'] });
  expect(registry.plan('shape').map(({ id, why }) => `${id}: ${why}`)).toEqual([
    'gate: named by the order list',
    "mine: '*': host handlers come first",
    "zeta/z: '*': by the place of its plugin; asks to stand after 'mine', after 'x'",
    "acme/b: the list names its plugin 'acme'; asks to stand before 'acme/a', before 'gate'",
    "acme/a: the list names its plugin 'acme'; asks to stand after 'gate', after 'ghost'",
  ]);
});

describe('verify', () => {
  const broken = () => {
    const registry = registryOf({ order: { seen: ['audit', '*'], shape: ['gate', 'redact'] } });
    registry.registerModifying('fill', () => undefined, { id: 'a', before: ['b'] });
    registry.registerModifying('fill', () => undefined, { id: 'b', before: ['a'] });
    return registry;
  };
  test('throws one error that lists every fault', async () => {
    const error = await caught(() => broken().verify());
    expect(error).toMatchObject({ code: 'TH_VERIFY_FAILED' });
    expect(error.faults.map((fault: HookError) => `${fault.code} ${fault.hook}`).toSorted()).toEqual([
      'TH_ORDER_CYCLE fill',
      'TH_ORDER_UNKNOWN seen',
      'TH_ORDER_UNKNOWN shape',
      'TH_ORDER_UNKNOWN shape',
    ]);
    for (const word of ['4', 'audit', 'gate', 'redact', "'a'", "'b'"]) expect(error.message).toContain(word);
  });

  test('that failed binds nobody: registering goes on as before', async () => {
    const registry = broken();
    await caught(() => registry.verify());
    expect(() => registry.registerModifying('fill', () => undefined, { before: ['a'], after: ['b'] })).not.toThrow();
  });

  test.each([
    ['a handler of the host', 'compacton', "did you mean 'compaction'?"],
    ['a plugin', 'acmee', "did you mean 'acme'?"],
    ['a handler of a plugin', 'acme/redatc', "did you mean 'acme/redact'?"],
    ['nobody', 'audit', "register it, or write 'audit?' if it may be missing"],
  ])('an entry that looks like %s has its own mend', async (_, entry, mend) => {
    const registry = registryOf({ order: { seen: [entry, '*'] } });
    registry.registerVoid('seen', () => undefined, { id: 'compaction' });
    registry.forPlugin('acme').registerVoid('seen', () => undefined, { id: 'redact' });
    await expect(() => registry.verify()).toRefuse('TH_ORDER_UNKNOWN', `'${entry}'`, mend);
  });

  test('passes an empty registry', () => {
    expect(registryOf().verify()).toBeUndefined();
  });
});

describe('errors', () => {
  test('every code has a template and says when; a message names hook, owner and fix', async () => {
    for (const row of Object.values(errorTable)) {
      expect(row.message.length).toBeGreaterThan(10);
      expect(row.when.length).toBeGreaterThan(10);
    }
    const error = await caught(() => (registryOf().forPlugin('redact') as any).registerVoid('shape', () => undefined));
    expect(error.message).toBe("'shape' is modifying: use registerModifying (plugin 'redact')");
    expect(error).toMatchObject({ name: 'HookError', code: 'TH_WRONG_MODEL', hook: 'shape', owner: 'redact' });
  });

  test('no message has a hole where a detail should be', async () => {
    const registry: any = registryOf({ order: { seen: ['a', '*'] } });
    registry.registerVoid('seen', () => undefined, { id: 'b' });
    const runs: (() => unknown)[] = [
      () => registry.registerVoid('nope', () => undefined),
      () => registry.registerVoid('seen'),
      () => registry.registerVoid('seen', () => undefined, { id: 'b' }),
      () => registry.registerVoid('seen', () => undefined, { timeoutMs: 0 }),
      () => registry.fireVoid('seen', 5),
      () => registry.verify(),
      () => registry.scoped({ signal: AbortSignal.abort() }).fireModifying('fill', {}),
      () => registry.forPlugin('HOST'),
      () => registryOf({ order: { seen: ['a', 'a'] } }),
      () => registryOf({ locks: { shape: { nobody: ['text'] } } }),
    ];
    for (const run of runs) {
      const error = await caught(run);
      expect(error).toBeInstanceOf(HookError);
      expect(error.message).not.toMatch(/\{|\}|undefined|\[object| {2}|''/);
    }
  });

  test('an error of another copy of the package is known by its marker, for messages only', () => {
    const error = new HookError('TH_UNKNOWN_HOOK', { hook: 'a' });
    expect([isHookError(error), isHookError(new Error('a')), isHookError(null)]).toEqual([true, false, false]);
    class Foreign extends Error {}
    Object.defineProperty(Foreign.prototype, Symbol.for('treblehook.error'), { value: true });
    expect(isHookError(new Foreign())).toBe(true);
    expect(textOf({ toString: null })).toEqual(expect.any(String));
  });
});

test('there is no module-level state: a registry made while another is busy starts empty', async () => {
  const hooks = defineHooks({ seen: voidHook<object>({ summary: 'Seen.' }) });
  const one = createHookRegistry(hooks, { plugins: ['acme'], budgets: { seen: 5 }, order: { seen: ['x?', '*'] } });
  one.registerVoid('seen', async () => {
    const two = createHookRegistry(hooks);
    expect([two.plan('seen', 'all'), two.describe().hooks[0]!.order]).toEqual([[], ['*']]);
    two.registerVoid('seen', () => undefined);
    expect(two.plan('seen').map((row) => row.budgetMs)).toEqual([5_000]);
  });
  const told: unknown[] = [];
  one.events.on('handlerFailed', (event) => told.push(event.error));
  await one.fireVoid('seen', {});
  expect(told).toEqual([]);
});
