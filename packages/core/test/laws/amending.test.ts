/** How amendments are read, merged, fed forward and refused. */
import { defineHooks, modifyingHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, hear, hearFaults, letter, register, registryOf } from '../support/points.js';

const both = ['fill', 'shape'] as const;
const add = (registrar: any, name: 'fill' | 'shape', id: string, answer: unknown, options: object = {}): (() => void) =>
  register(registrar, name, typeof answer === 'function' ? answer : () => answer, { id, ...options });

describe('merge', () => {
  test('the first non-null value per key wins, and the loser is told', async () => {
    const registry = registryOf();
    const told = hear(registry, 'keyShadowed');
    add(registry, 'fill', 'a', { text: null, note: 'a' });
    add(registry, 'fill', 'b', { text: 'b', note: 'b' });
    add(registry, 'fill', 'c', { text: 'c' });
    expect(await fire(registry, 'fill')).toEqual({ text: 'b', note: 'a' });
    expect(told.map(({ hook, by, code, key }) => [hook, by.id, code, key])).toEqual([
      ['fill', 'b', 'TH_KEY_TAKEN', 'note'],
      ['fill', 'c', 'TH_KEY_TAKEN', 'text'],
    ]);
    expect(told[0]!['error'].message).toMatch(/'b'.*'note'.*'fill'.*'a'/);
  });

  test('each handler sees the original payload and a read-only view of what is set so far', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    const look = (payload: any, ctx: any): void => {
      seen.push([payload, structuredClone(ctx.merged)]);
      expect(() => (ctx.merged.text = 'mine')).toThrow(TypeError);
      if (ctx.merged.tags) expect(() => ctx.merged.tags.push(0)).toThrow(TypeError);
    };
    add(registry, 'fill', 'a', look);
    add(registry, 'fill', 'b', { text: 'b', tags: [1] });
    add(registry, 'fill', 'c', look);
    add(registry, 'fill', 'd', { tags: [2] });
    add(registry, 'fill', 'e', look);
    expect(await fire(registry, 'fill')).toEqual({ text: 'b', tags: [1, 2] });
    expect(seen).toEqual([
      [letter, {}],
      [letter, { text: 'b', tags: [1] }],
      [letter, { text: 'b', tags: [1, 2] }],
    ]);
  });

  test('the effect does not depend on load order where keys do not meet', async () => {
    const amendments = [{ text: 'a' }, { note: 'b' }, { own: 'c' }];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const registry = registryOf();
      for (const i of order) add(registry, 'fill', `h${i}`, amendments[i]);
      expect(await fire(registry, 'fill')).toEqual({ text: 'a', note: 'b', own: 'c' });
    }
  });
});

describe('pipeline', () => {
  test('each stage sees the payload as amended so far, and the last amendment per key feeds forward', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    for (const id of ['a', 'b', 'c']) {
      add(registry, 'shape', id, (payload: any) => (seen.push(payload), { text: payload.text + id }));
    }
    expect(await fire(registry, 'shape', { text: '', list: [1] })).toEqual({ text: 'abc' });
    expect(seen).toEqual([
      { text: '', list: [1] },
      { text: 'a', list: [1] },
      { text: 'ab', list: [1] },
    ]);
  });

  test('a stage that abstains or fails leaves the next stage what it would have seen', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    hearFaults(registry);
    add(registry, 'shape', 'a', { text: 'a' });
    add(registry, 'shape', 'b', () => {
      throw new Error('no');
    });
    add(registry, 'shape', 'c', { text: 'c', unknown: 1 });
    add(registry, 'shape', 'd', undefined);
    add(registry, 'shape', 'e', (payload: any) => void seen.push(payload));
    expect(await fire(registry, 'shape')).toEqual({ text: 'a' });
    expect(seen).toEqual([{ text: 'a' }]);
  });

  test('collect keys are concatenated in plan order, and the payload shows what is collected so far', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    add(registry, 'shape', 'a', { tags: [1] });
    add(registry, 'shape', 'b', (payload: any) => (seen.push(payload.tags), { tags: [2, 3] }));
    add(registry, 'shape', 'c', (payload: any) => void seen.push(payload.tags));
    expect(await fire(registry, 'shape', { text: '', tags: [0] })).toEqual({ tags: [1, 2, 3] });
    expect(seen).toEqual([
      [0, 1],
      [0, 1, 2, 3],
    ]);
  });

  test('a key in place of a collected one covers all up to there, the own of the payload too; what comes later joins it', async () => {
    const entry = modifyingHook<{ tags: readonly number[] }, { setTags: readonly number[]; tags: readonly number[] }>({
      summary: 'Tags.',
      discipline: 'pipeline',
      keys: { setTags: 'array', tags: 'array' },
      collect: ['tags'],
      replaces: { setTags: 'tags' },
    });
    const registry = createHookRegistry(defineHooks({ mark: entry }));
    const seen: unknown[] = [];
    const look = (answer: object) => (payload: { tags: readonly number[] }) => (seen.push(payload.tags), answer);
    registry.registerModifying('mark', look({ tags: [1] }), { id: 'a' });
    registry.registerModifying('mark', look({ tags: [6], setTags: [5] }), { id: 'b' });
    registry.registerModifying('mark', look({ tags: [7] }), { id: 'c' });
    registry.registerModifying('mark', look({}), { id: 'd' });
    expect(await registry.fireModifying('mark', { tags: [0] })).toEqual({ setTags: [5], tags: [6, 7] });
    expect(seen).toEqual([[0], [0, 1], [5, 6], [5, 6, 7]]);
    registry.registerModifying('mark', () => ({ setTags: [] }), { id: 'e' });
    expect(await registry.fireModifying('mark', { tags: [0] })).toEqual({ setTags: [] });
  });

  test('`[]` replaces a list that is not collected', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    add(registry, 'shape', 'a', { list: [] });
    add(registry, 'shape', 'b', (payload: any) => void seen.push(payload.list));
    expect(await fire(registry, 'shape', { text: '', list: [1] })).toEqual({ list: [] });
    expect(seen).toEqual([[]]);
  });
});

describe.each(both)('amendments of %s', (name) => {
  test.each([undefined, null, {}, { text: undefined }, { text: null }, { tags: [] }, Object.create(null)])(
    '%o abstains: nil in, nil out',
    async (answer) => {
      const registry = registryOf();
      const told = hearFaults(registry);
      add(registry, name, 'a', answer);
      add(registry, name, 'b', async () => answer);
      expect(await fire(registry, name)).toBeUndefined();
      expect(told).toEqual([]);
    },
  );

  test('no handler at all changes nothing', async () => {
    expect(await fire(registryOf(), name)).toBeUndefined();
  });

  const ring: Record<string, unknown> = {};
  ring['ring'] = ring;
  test.each<readonly [string, unknown]>([
    ['a string', 'text'],
    ['a number', 5],
    ['true', true],
    ['a list', [{ text: 'a' }]],
    ['a function', () => undefined],
    [
      'an instance',
      new (class Letter {
        text = 'a';
      })(),
    ],
    ['a map', new Map([['text', 'a']])],
    ['an unknown key beside a known one', { text: 'a', txet: 'b' }],
    ['an unknown key alone', { txet: 'b' }],
    ['a value of another kind', { text: 5 }],
    ['a list of another kind', { tags: 'a' }],
    ['an accessor', Object.defineProperty({}, 'text', { get: () => 'a', enumerable: true })],
    ['a deep accessor', { tags: [Object.defineProperty({}, 'x', { get: () => 'a', enumerable: true })] }],
    ['a cycle', { tags: [ring] }],
    ['an own __proto__', JSON.parse('{"__proto__":{"text":"a"}}')],
    ['a name of Object.prototype', { constructor: 'a' }],
    ['a proxy that throws', trap()],
    ['a deep proxy that throws', { tags: [trap()] }],
  ])('%s is refused whole, told as TH_RESULT_INVALID, and the chain goes on', async (_, answer) => {
    for (const handler of [() => answer, async () => answer]) {
      const registry = registryOf();
      const told = hear(registry, 'amendmentRefused', 'handlerFailed');
      add(registry, name, 'bad', handler);
      add(registry, name, 'good', { tags: ['good'] });
      expect(await fire(registry, name)).toEqual({ tags: ['good'] });
      expect(told.map(({ type, by, code, key }) => [type, by.id, code, key])).toEqual([
        ['amendmentRefused', 'bad', 'TH_RESULT_INVALID', undefined],
      ]);
      expect(told[0]!['error'].message).toMatch(`'bad' gave '${name}'`);
    }
  });

  test.each<readonly [string, PropertyDescriptor]>([
    ['a value', { value: 'polluted', writable: true }],
    ['a value that cannot be written', { value: 'polluted' }],
    ['a getter', { get: () => 'polluted' }],
    ['a setter', { set: () => undefined }],
  ])('inherited properties are not read, nor is a property lost to %s on Object.prototype', async (_, descriptor) => {
    const registry = registryOf();
    const seen: unknown[] = [];
    hearFaults(registry);
    add(registry, name, 'a', Object.create({ text: 'inherited' }));
    expect(await fire(registry, name)).toBeUndefined();
    add(registry, name, 'b', { tags: [1] });
    add(
      registry,
      name,
      'c',
      (payload: any) => (seen.push(Object.hasOwn(payload, 'text') && payload.text), { text: 'c' }),
    );
    try {
      // oxlint-disable-next-line no-extend-native
      Object.defineProperty(Object.prototype, 'text', { ...descriptor, configurable: true });
      seen.push({ ...(await fire(registry, name)) });
    } finally {
      Reflect.deleteProperty(Object.prototype, 'text');
    }
    expect(seen).toEqual(['hello', { tags: [1], text: 'c' }]);
  });

  test('what a handler keeps of its amendment cannot change what was accepted', async () => {
    const registry = registryOf();
    const mine = { text: 'a', tags: [{ deep: 1 }] };
    add(registry, name, 'a', () => mine);
    add(registry, name, 'b', () => {
      mine.text = 'b';
      mine.tags[0]!.deep = 2;
      mine.tags.push({ deep: 3 });
    });
    expect(await fire(registry, name)).toEqual({ text: 'a', tags: [{ deep: 1 }] });
    expect(Object.isFrozen(mine)).toBe(false);
  });

  test('a failed handler is not retried', async () => {
    const registry = registryOf();
    hearFaults(registry);
    let calls = 0;
    add(registry, name, 'a', () => {
      calls++;
      throw new Error('no');
    });
    await fire(registry, name);
    expect(calls).toBe(1);
  });
});

function trap(): unknown {
  const get = (): never => {
    throw new Error('no');
  };
  return new Proxy({}, { ownKeys: get, getOwnPropertyDescriptor: get });
}
