/** One frozen catalogue, and what it refuses to callers without a compiler. */
import { agentHooks, claimingHook, defineHooks, matchName, modifyingHook, voidHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { names, points, register, registryOf } from '../support/points.js';

const loose = { void: voidHook as any, modifying: modifyingHook as any, claiming: claimingHook as any };
const sound = { summary: 'A point.', keys: { a: 'string', l: 'array', stop: 'string' } };

test('a catalogue is one frozen value, and so is each entry', () => {
  const all = defineHooks(points, { more: voidHook<object>({ summary: 'More.', aka: ['plus'] }) });
  expect(Object.keys(all)).toEqual([...names, 'more']);
  expect([all, all.more, all.more.aka, all.shape.keys].every((part) => Object.isFrozen(part))).toBe(true);
  expect(createHookRegistry(all).catalogue).toBe(all);
});

test('a name declared twice throws, wherever it stands', async () => {
  const twice = { fill: voidHook<object>({ summary: 'Again.' }) };
  await expect(() => (defineHooks as any)(points, twice)).toRefuse('TH_DECLARED_TWICE', "'fill'");
  await expect(() => (defineHooks as any)(points, agentHooks, { ...twice })).toRefuse('TH_DECLARED_TWICE', "'fill'");
});

test('a name of Object.prototype is a name like any other', async () => {
  const odd = defineHooks({ constructor: voidHook<object>({ summary: 'Odd.' }) } as any) as any;
  const registry: any = createHookRegistry(odd);
  let called = 0;
  registry.registerVoid('constructor', () => void called++);
  await registry.fireVoid('constructor', {});
  expect(called).toBe(1);
  for (const name of ['toString', 'hasOwnProperty', '__proto__', 'valueOf']) {
    await expect(() => registry.registerVoid(name, () => undefined)).toRefuse('TH_UNKNOWN_HOOK', name);
    await expect(() => registryOf().plan(name as any)).toRefuse('TH_UNKNOWN_HOOK', name);
  }
});

test.each<readonly [string, () => unknown]>([
  ['an entry of another making', () => ({ model: 'void', discipline: 'guard', summary: '' })],
  ['no entry', () => undefined],
  ['a modifying point without keys', () => loose.modifying({ summary: '', discipline: 'merge' })],
  ['a discipline of another model', () => loose.modifying({ ...sound, discipline: 'guard' })],
  ['a terminal key that is no key', () => loose.modifying({ ...sound, discipline: 'pipeline', terminal: ['halt'] })],
  ['a collect key that is no array', () => loose.modifying({ ...sound, discipline: 'merge', collect: ['a'] })],
  [
    'a key in place of one that is not collected',
    () => loose.modifying({ ...sound, discipline: 'pipeline', replaces: { l: 'a' } }),
  ],
  [
    'a key in place of another on a merge',
    () =>
      loose.modifying({
        ...sound,
        discipline: 'merge',
        keys: { l: 'array', m: 'array' },
        collect: ['l'],
        replaces: { m: 'l' },
      }),
  ],
  [
    'a key that replaces and is none',
    () => loose.modifying({ ...sound, discipline: 'pipeline', collect: ['l'], replaces: { none: 'l' } }),
  ],
  ['a host key that is no key', () => loose.modifying({ ...sound, discipline: 'merge', hostKeys: ['own'] })],
  ['a terminal key on a merge', () => loose.modifying({ ...sound, discipline: 'merge', terminal: ['stop'] })],
  ['locks on a merge', () => loose.modifying({ ...sound, discipline: 'merge', locks: { x: ['a'] } })],
  ['a kind that is none', () => loose.modifying({ ...sound, discipline: 'merge', keys: { a: 'text' } })],
  ['a field kind that is none', () => loose.void({ summary: '', fields: { a: 'text' } })],
  ['a check that is no function', () => loose.modifying({ ...sound, discipline: 'merge', check: true })],
  ['a budget of zero', () => loose.void({ summary: '', budgetMs: 0 })],
  ['a missing summary', () => loose.void({})],
  ['a collect key on a guard', () => loose.claiming({ ...sound, discipline: 'guard', collect: ['l'] })],
  ['an owner and a handler of the host', () => loose.void({ summary: '', owner: 'acme', firedBy: 'filler' })],
  ['an owner that no plugin can be', () => loose.void({ summary: '', owner: 'Acme' })],
  ['an owner that is no text', () => loose.void({ summary: '', owner: 5 })],
  ['the host as the owner', () => loose.void({ summary: '', owner: 'host' })],
  ['a handler of a plugin in firedBy', () => loose.void({ summary: '', firedBy: 'acme/filler' })],
  ['the host in firedBy', () => loose.void({ summary: '', firedBy: 'host' })],
  ['an empty firedBy', () => loose.void({ summary: '', firedBy: '' })],
  ['an alias that stands in it twice', () => loose.void({ summary: '', aka: ['a', 'b', 'a'] })],
  ['an alias that is its own name', () => loose.void({ summary: '', aka: ['odd'] })],
])('an entry that contradicts itself is refused: %s', async (_, entry) => {
  await expect(() => (defineHooks as any)({ odd: entry() })).toRefuse('TH_POINT_INVALID', "'odd'");
});

describe('an alias stands for one point of the whole catalogue', () => {
  const aliased = (...aka: string[]) => voidHook<object>({ summary: 'A point.', aka });

  test.each<readonly [string, () => unknown, string]>([
    ['a name declared before it', () => defineHooks({ a: aliased(), b: aliased('a') }), "a name or an alias of 'a'"],
    ['a name declared behind it', () => defineHooks({ a: aliased('b'), b: aliased() }), "a name or an alias of 'b'"],
    ['an alias of another point', () => defineHooks({ a: aliased('x'), b: aliased('x') }), "an alias of 'a'"],
    [
      'an alias of another catalogue',
      () => defineHooks({ a: aliased('x') }, { b: aliased('y') }, { c: aliased('x') }),
      "an alias of 'a'",
    ],
  ])('it is refused when it is %s', async (_, compose, whose) => {
    await expect(compose).toRefuse('TH_POINT_INVALID', whose);
  });

  test('names of Object.prototype are aliases like any other', () => {
    const { a } = defineHooks({ a: aliased('constructor', 'toString') });
    expect(a.aka).toEqual(['constructor', 'toString']);
  });
});

describe('untyped callers get the refusals of the compiler', () => {
  test('registering under the wrong model names the right function and the owner', async () => {
    const registry: any = registryOf();
    await expect(() => registry.registerVoid('shape', () => 1)).toRefuse(
      'TH_WRONG_MODEL',
      "'shape' is modifying",
      'registerModifying',
    );
    await expect(() => registry.registerModifying('may', () => 1)).toRefuse(
      'TH_WRONG_MODEL',
      "'may' is claiming",
      'registerClaiming',
    );
    await expect(() => registry.registerClaiming('seen', () => 1)).toRefuse(
      'TH_WRONG_MODEL',
      "'seen' is void",
      'registerVoid',
    );
    await expect(() => registry.forPlugin('redact').registerVoid('fill', () => 1)).toRefuse(
      'TH_WRONG_MODEL',
      "plugin 'redact'",
    );
  });

  test('firing under the wrong model rejects and names the right function', async () => {
    const registry: any = registryOf();
    for (const caller of [registry, registry.scoped({})]) {
      await expect(() => caller.fireVoid('shape', {})).toRefuse('TH_WRONG_MODEL', 'fireModifying');
      await expect(() => caller.fireModifying('may', {})).toRefuse('TH_WRONG_MODEL', 'fireClaiming');
      await expect(() => caller.fireClaiming('seen', {})).toRefuse('TH_WRONG_MODEL', 'fireVoid');
    }
  });

  test('an unknown name is refused everywhere, with the nearest name or the name that an alias stands for', async () => {
    const registry: any = registryOf();
    await expect(() => registry.registerVoid('sene', () => 1)).toRefuse('TH_UNKNOWN_HOOK', "'sene'", 'seen');
    await expect(() => registry.registerVoid('letter_seen', () => 1)).toRefuse(
      'TH_UNKNOWN_HOOK',
      'letter_seen',
      "'seen'",
    );
    await expect(() => registry.registerVoid('nothingNearIt', () => 1)).toRefuse('TH_UNKNOWN_HOOK', "'nothingNearIt'");
    for (const run of [
      () => registry.fireVoid('sene', {}),
      () => registry.scoped({}).fireVoid('sene', {}),
      () => registry.plan('sene'),
      () => registry.hasHandlers('sene'),
      () => registry.scoped({}).hasHandlers('sene'),
      () => registry.scoped({}).generation('sene'),
      () => registry.forPlugin('acme').plan('sene'),
    ]) {
      await expect(run).toRefuse('TH_UNKNOWN_HOOK', 'seen');
    }
    for (const name of [undefined, null, 5, Symbol('seen'), {}]) {
      await expect(() => registry.registerVoid(name, () => 1)).toRefuse('TH_UNKNOWN_HOOK');
    }
  });

  test.each(names)('a handler of %s that is no function is refused', async (name) => {
    for (const handler of [undefined, null, {}, 'handler']) {
      await expect(() => register(registryOf(), name, handler)).toRefuse('TH_OPTION_INVALID');
    }
  });
});

test('the check of an entry refuses an amendment whole, and the next stage sees what it would have seen', async () => {
  const seen: unknown[] = [];
  const hooks = defineHooks({
    price: modifyingHook<{ readonly cents: number }, { cents: number; note: string }>({
      discipline: 'pipeline',
      summary: 'A price.',
      keys: { cents: 'number', note: 'string' },
      check: (payload, amendment) => (amendment.cents! < payload.cents / 2 ? 'more than half off' : undefined),
    }),
  });
  const registry = createHookRegistry(hooks);
  const told: unknown[] = [];
  registry.events.on('amendmentRefused', (event) =>
    told.push([event.by.id, event.code, event.key, event.error.message]),
  );
  registry.registerModifying('price', () => ({ cents: 80 }), { id: 'mild' });
  registry.registerModifying('price', () => ({ cents: 10, note: 'sale' }), { id: 'wild' });
  registry.registerModifying('price', (payload) => void seen.push(payload), { id: 'last' });
  expect(await registry.fireModifying('price', { cents: 100 })).toEqual({ cents: 80 });
  expect(seen).toEqual([{ cents: 80 }]);
  expect(told).toEqual([['wild', 'TH_RESULT_INVALID', undefined, expect.stringContaining('more than half off')]]);
});

test('a check that throws refuses the amendment, and is no fault of anybody else', async () => {
  const hooks = defineHooks({
    price: modifyingHook<object, { note: string }>({
      discipline: 'merge',
      summary: 'A price.',
      keys: { note: 'string' },
      check: () => {
        throw new Error('broken check');
      },
    }),
  });
  const registry = createHookRegistry(hooks);
  const told: unknown[] = [];
  registry.events.on('amendmentRefused', (event) => told.push(event.code));
  registry.events.on('handlerFailed', (event) => told.push(event.code));
  registry.registerModifying('price', () => ({ note: 'a' }));
  expect(await registry.fireModifying('price', {})).toBeUndefined();
  expect(told.length).toBe(1);
});

test.each([
  ['*', 'a.b:c/d', true],
  ['mcp:*', 'mcp:server/tool', true],
  ['mcp:*', 'mcp', false],
  ['*end', 'toolEnd', false],
  ['*End', 'toolEnd', true],
  ['tool*Path', 'toolEndWithPath', true],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'axxcyyb', false],
  ['', '', true],
  ['', 'a', false],
  ['a.b', 'axb', false],
  ['**', '', true],
])("the name glob '%s' against '%s' is %s", (glob, name, wanted) => {
  expect(matchName(glob, name)).toBe(wanted);
});
