/** Ids and owners, and what a refused registration leaves behind. */
import { describe, expect, test } from 'vitest';
import { hear, points, register, registryOf, type Name } from '../support/points.js';
import { createHookRegistry } from '../../src/index.js';
import { claimingHook, defineHooks, modifyingHook, voidHook } from '@treblehook/types';

const idsOf = (registry: any, name: Name): string[] => registry.plan(name, 'all').map((row: any) => row.id);
const ownersOf = (registry: any, name: Name): string[] => registry.plan(name, 'all').map((row: any) => row.owner);
const nothing = (): void => undefined;

describe('ids', () => {
  test("a host handler's full id is bare, a plugin's begins with its plugin id", () => {
    const registry = registryOf();
    registry.registerVoid('seen', nothing, { id: 'audit' });
    registry.registerVoid('seen', nothing, { id: 'audit', pluginId: 'acme' });
    registry.forPlugin('zeta').registerVoid('seen', nothing, { id: 'audit' });
    expect(idsOf(registry, 'seen')).toEqual(['audit', 'acme/audit', 'zeta/audit']);
    expect(ownersOf(registry, 'seen')).toEqual(['host', 'acme', 'zeta']);
  });

  test('without an id a handler gets `<owner>/~<n>`, each its own', () => {
    const registry = registryOf();
    for (let i = 0; i < 2; i++) {
      registry.registerVoid('seen', nothing);
      registry.forPlugin('acme').registerVoid('seen', nothing);
    }
    const ids = idsOf(registry, 'seen');
    expect(ids.map((id) => id.replace(/\d+$/, 'n'))).toEqual(['host/~n', 'host/~n', 'acme/~n', 'acme/~n']);
    expect(new Set(ids).size).toBe(4);
  });

  test('two live registrations cannot share a full id on one point', async () => {
    const registry = registryOf();
    const off = registry.registerVoid('seen', nothing, { id: 'audit' });
    registry.forPlugin('acme').registerVoid('seen', nothing, { id: 'a' });
    await expect(() => registry.registerVoid('seen', nothing, { id: 'audit' })).toRefuse(
      'TH_ID_TAKEN',
      'audit',
      'seen',
    );
    await expect(() => registry.registerVoid('seen', nothing, { id: 'a', pluginId: 'acme' })).toRefuse(
      'TH_ID_TAKEN',
      'acme/a',
    );
    expect(idsOf(registry, 'seen')).toEqual(['audit', 'acme/a']);
    registry.registerModifying('fill', () => undefined, { id: 'audit' });
    off();
    registry.registerVoid('seen', nothing, { id: 'audit' });
    expect(idsOf(registry, 'seen')).toEqual(['audit', 'acme/a']);
  });

  test('a plugin cannot take a seat of the host by its id', async () => {
    const registry = registryOf({ order: { shape: ['*', 'gate?'] } });
    registry.registerModifying('shape', () => undefined, { id: 'gate' });
    registry.forPlugin('acme').registerModifying('shape', () => undefined, { id: 'gate' });
    expect(idsOf(registry, 'shape')).toEqual(['acme/gate', 'gate']);
    for (const id of ['../gate', 'x/gate', '/gate', 'acme/gate']) {
      await expect(() => registry.forPlugin('acme').registerVoid('seen', nothing, { id })).toRefuse(
        'TH_OPTION_INVALID',
      );
      await expect(() => registry.registerVoid('seen', nothing, { id })).toRefuse('TH_OPTION_INVALID');
    }
  });

  test('host handlers and plugins share one namespace', async () => {
    const registry = registryOf();
    registry.registerVoid('seen', nothing, { id: 'redact' });
    await expect(() => registry.registerModifying('fill', () => undefined, { pluginId: 'redact' })).toRefuse(
      'TH_ID_TAKEN',
      'redact',
    );
    await expect(() => registry.forPlugin('redact').registerVoid('seen', nothing)).toRefuse('TH_ID_TAKEN', 'redact');
    registry.forPlugin('acme').registerVoid('seen', nothing);
    await expect(() => registry.registerModifying('fill', () => undefined, { id: 'acme' })).toRefuse(
      'TH_ID_TAKEN',
      'acme',
    );
    expect(idsOf(registry, 'fill')).toEqual([]);
  });

  test('the name of a plugin is its own as soon as somebody holds its registrar', async () => {
    const registry = registryOf();
    const registrar = registry.forPlugin('acme');
    await expect(() => registry.registerVoid('seen', nothing, { id: 'acme' })).toRefuse('TH_ID_TAKEN', 'acme');
    registrar.registerVoid('seen', nothing, { id: 'a' });
    expect(idsOf(registry, 'seen')).toEqual(['acme/a']);
  });

  test("a name that an entry's firedBy or house lock uses is the host's", async () => {
    const hooks = defineHooks(points, {
      inner: voidHook<object>({ summary: 'Inner.', firedBy: 'compaction' }),
      sealed: modifyingHook<object, { a: string }>({
        discipline: 'pipeline',
        summary: 'Sealed.',
        keys: { a: 'string' },
        order: ['*', 'gate?'],
        locks: { gate: ['a'] },
      }),
    });
    const registry = createHookRegistry(hooks);
    for (const id of ['compaction', 'gate']) {
      await expect(() => registry.registerVoid('seen', nothing, { pluginId: id })).toRefuse('TH_ID_TAKEN', id);
      await expect(() => registry.forPlugin(id).registerVoid('seen', nothing)).toRefuse('TH_ID_TAKEN', id);
      registry.registerVoid('seen', nothing, { id });
    }
  });

  test('an id cannot look like one that the kernel gives, and no list or edge can name such a one', async () => {
    const registry = registryOf();
    for (const id of ['', '~1', '~', 'a b', '*', 'a?', 5, null, {}]) {
      await expect(() => register(registry, 'seen', nothing, { id })).toRefuse('TH_OPTION_INVALID');
    }
    for (const edge of ['host/~1', 'acme/~2', '', 5]) {
      await expect(() => register(registry, 'seen', nothing, { before: [edge] })).toRefuse('TH_OPTION_INVALID');
      await expect(() => register(registry, 'seen', nothing, { after: [edge] })).toRefuse('TH_OPTION_INVALID');
    }
    for (const entry of ['host/~1', 'acme/~2', 'acme/~2?']) {
      await expect(() => registryOf({ order: { seen: [entry] } })).toRefuse('TH_ORDER_INVALID', 'seen');
    }
    expect(idsOf(registry, 'seen')).toEqual([]);
  });
});

describe('owners', () => {
  test('no handler of the host is called like the owner: a row would not say whom it names', async () => {
    const registry = registryOf();
    await expect(() => registry.registerVoid('seen', () => undefined, { id: 'host' })).toRefuse(
      'TH_ID_TAKEN',
      "'host'",
      'the name of the owner',
    );
    register(registry.forPlugin('acme'), 'seen', () => undefined, { id: 'host' });
    expect(registry.plan('seen').map((row) => row.id)).toEqual(['acme/host']);
  });

  test.each([
    '',
    'Acme',
    '1acme',
    '-acme',
    'acme.redact',
    'acme/redact',
    'acme redact',
    'ácme',
    'host',
    'core',
    'hooks',
    'all',
  ])("'%s' is no plugin id", async (pluginId) => {
    const registry = registryOf();
    await expect(() => registry.registerVoid('seen', nothing, { pluginId })).toRefuse('TH_OPTION_INVALID');
    await expect(() => registry.forPlugin(pluginId)).toRefuse('TH_OPTION_INVALID');
    await expect(() => registry.replace(pluginId, nothing)).toRefuse('TH_OPTION_INVALID');
    expect(idsOf(registry, 'seen')).toEqual([]);
  });

  test('a plugin id that is no string is refused, and not taken for the host', async () => {
    const registry = registryOf();
    for (const pluginId of [null, 0, false, {}, []]) {
      await expect(() => register(registry, 'seen', nothing, { pluginId })).toRefuse('TH_OPTION_INVALID');
      await expect(() => registry.forPlugin(pluginId as any)).toRefuse('TH_OPTION_INVALID');
    }
    await expect(() => registry.forPlugin(undefined as any)).toRefuse('TH_OPTION_INVALID');
  });

  test('a registrar of a plugin registers and inspects, and cannot pose as another owner', async () => {
    const registry = registryOf();
    const acme: any = registry.forPlugin('acme');
    for (const pluginId of ['zeta', 'host', '']) {
      await expect(() => acme.registerVoid('seen', nothing, { pluginId })).toRefuse('TH_OPTION_INVALID', 'acme');
    }
    acme.registerVoid('seen', nothing, { id: 'a', pluginId: 'acme' });
    expect(acme.plan('seen', 'all')).toEqual(registry.plan('seen', 'all'));
    expect([acme.hasHandlers('seen'), acme.hasHandlers('seen', ['acme'])]).toEqual([false, true]);
    const surface = ['registerVoid', 'registerModifying', 'registerClaiming', 'hasHandlers', 'plan'];
    expect(Object.keys(acme).toSorted()).toEqual(surface.toSorted());
  });
});

test('what throws at registration has changed nothing: no handler, no event, no seat', async () => {
  const registry = registryOf();
  const told = hear(registry);
  const bad = { timeoutMs: 0 };
  await expect(() => registry.registerVoid('seen', nothing, { ...bad, pluginId: 'acme' })).toRefuse(
    'TH_OPTION_INVALID',
  );
  await expect(() => register(registry, 'fill', undefined, { pluginId: 'acme' })).toRefuse('TH_OPTION_INVALID');
  expect(told).toEqual([]);
  registry.registerVoid('seen', nothing, { id: 'z', pluginId: 'zeta' });
  registry.registerVoid('seen', nothing, { id: 'a', pluginId: 'acme' });
  expect(idsOf(registry, 'seen')).toEqual(['zeta/z', 'acme/a']);
});

test('two registries of one catalogue never see each other', async () => {
  const hooks = defineHooks({ may: claimingHook<object>({ discipline: 'guard', summary: 'May.' }) });
  const [one, two] = [createHookRegistry(hooks), createHookRegistry(hooks)];
  one.registerClaiming('may', () => ({ deny: 'no' }), { id: 'a', pluginId: 'acme' });
  const told: unknown[] = [];
  two.events.on('denied', (event) => told.push(event));
  two.registerClaiming('may', () => undefined, { id: 'acme' });
  expect((await two.fireClaiming('may', {}, 'all')).decision).toBe('clear');
  expect((await one.fireClaiming('may', {}, 'all')).decision).toBe('deny');
  expect(told).toEqual([]);
  two.unregisterPlugin('acme');
  expect(one.hasHandlers('may', 'all')).toBe(true);
});
