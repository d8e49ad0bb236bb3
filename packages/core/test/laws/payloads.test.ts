/** The door is the fire: plain data is copied, frozen and marked; what is marked passes by reference. */
import { describe, expect, test } from 'vitest';
import { adopt, frozen } from '../../src/index.js';
import { fire, hearFaults, names, register, registryOf, type Name } from '../support/points.js';

/** What a handler of `name` is given for `payload`. */
async function given(name: Name, payload: unknown): Promise<any> {
  const registry = registryOf();
  let seen: unknown;
  register(registry, name, (p: unknown) => void (seen = p));
  await fire(registry, name, payload);
  return seen;
}
const trap = (): object => {
  const boom = (): never => {
    throw new Error('trap');
  };
  return new Proxy({}, { ownKeys: boom, getOwnPropertyDescriptor: boom });
};
const deep = () => ({ text: 'a', list: [{ n: 1, inner: { m: [1, 2] } }], meta: { k: null, u: undefined } });

describe.each(names)('at the door of %s', (name) => {
  test("the caller's object is left alone and not frozen; the handler's is another one, equal and frozen all the way", async () => {
    const mine = deep();
    const theirs = await given(name, mine);
    expect(theirs).toEqual(deep());
    expect(mine).toEqual(deep());
    expect(theirs).not.toBe(mine);
    expect([mine, mine.list, mine.list[0], mine.meta].some((part) => Object.isFrozen(part))).toBe(false);
    const parts = [theirs, theirs.list, theirs.list[0], theirs.list[0].inner, theirs.list[0].inner.m, theirs.meta];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
    mine.list.push({ n: 2, inner: { m: [] } });
    mine.list[0]!.n = 9;
    expect(theirs).toEqual(deep());
  });

  test('a handler that writes gets the TypeError, and that is its own fault', async () => {
    const registry = registryOf();
    const told = hearFaults(registry);
    const seen: unknown[] = [];
    register(registry, name, (p: any) => (p.text = 'b'), { id: 'top' });
    register(registry, name, (p: any) => p.list[0].inner.m.push(3), { id: 'deep' });
    register(registry, name, (p: any) => delete p.meta.k, { id: 'delete' });
    register(registry, name, (p: any) => void seen.push(p), { id: 'last' });
    await fire(registry, name, deep());
    const faults = name === 'may' ? ['top'] : ['top', 'deep', 'delete'];
    expect(told).toEqual(faults.map((id) => `${id} TH_HANDLER_FAILED`));
    expect(seen).toEqual(name === 'may' ? [] : [deep()]);
  });

  test('what Object.freeze froze is not taken for marked', async () => {
    const inner = { n: 1 };
    const mine = Object.freeze({ text: 'a', list: [inner] });
    const theirs = await given(name, mine);
    expect(theirs).not.toBe(mine);
    inner.n = 2;
    expect(theirs.list[0]).toEqual({ n: 1 });
    expect(Object.isFrozen(inner)).toBe(false);
  });

  test('what is marked passes by reference, at the top and inside', async () => {
    const whole = frozen(deep());
    expect(await given(name, whole)).toBe(whole);
    const part = frozen({ n: 1 });
    const list = adopt([part, frozen({ n: 2 })]);
    const theirs = await given(name, { text: 'a', list, meta: part });
    expect(theirs.list).toBe(list);
    expect(theirs.meta).toBe(part);
    expect(Object.isFrozen(theirs)).toBe(true);
  });

  test('everything that is not plain is opaque: passed by reference, never frozen', async () => {
    class Custom {
      inner = { n: 1 };
    }
    const things = {
      bytes: new Uint8Array([1]),
      url: new URL('https://example.org'),
      date: new Date(0),
      signal: new AbortController().signal,
      map: new Map([[1, { n: 1 }]]),
      set: new Set([1]),
      regexp: /a/,
      error: new Error('e'),
      run: () => 1,
      custom: new Custom(),
      symbol: Symbol('s'),
      big: 1n,
      buffer: new ArrayBuffer(1),
      promise: Promise.resolve(1),
    };
    const theirs = await given(name, { text: 'a', meta: things });
    for (const key of Object.keys(things) as (keyof typeof things)[]) {
      expect(theirs.meta[key], key).toBe(things[key]);
      if (!['symbol', 'big'].includes(key)) expect(Object.isFrozen(things[key]), key).toBe(false);
    }
    expect(Object.isFrozen(things.custom.inner)).toBe(false);
  });

  test.each<readonly [string, () => unknown]>([
    ['a cycle', () => ((ring: Record<string, unknown>) => ((ring['ring'] = ring), { text: 'a', meta: ring }))({})],
    ['a cycle through a list', () => ((list) => (list.push(list), { text: 'a', list }))([] as unknown[])],
    ['a cycle at the top', () => ((top: Record<string, unknown>) => ((top['meta'] = top), top))({ text: 'a' })],
    ['an accessor', () => Object.defineProperty({ text: 'a' }, 'meta', { get: () => ({}), enumerable: true })],
    [
      'a deep accessor',
      () => ({ text: 'a', list: [Object.defineProperty({}, 'n', { get: () => 1, enumerable: true })] }),
    ],
    ['a setter', () => Object.defineProperty({ text: 'a' }, 'meta', { set() {}, enumerable: true })],
    ['a proxy that throws', () => ({ text: 'a', meta: trap() })],
    ['a proxy that throws at the top', trap],
  ])('%s is refused before anybody runs', async (_, payload) => {
    const registry = registryOf();
    let calls = 0;
    register(registry, name, () => void calls++);
    await expect(() => fire(registry, name, payload())).toRefuse('TH_PAYLOAD_INVALID', name);
    expect(calls).toBe(0);
  });

  test('one object that stands twice is no cycle', async () => {
    const shared = { n: 1 };
    expect(await given(name, { text: 'a', list: [shared, shared], meta: shared })).toEqual({
      text: 'a',
      list: [{ n: 1 }, { n: 1 }],
      meta: { n: 1 },
    });
  });

  test('a payload may nest 1,000 levels below itself, and not one more', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'end' : [nested(levels - 1)]);
    expect(await given(name, { text: 'a', list: nested(1_000) })).toHaveProperty('list');
    const registry = registryOf();
    register(registry, name, () => undefined);
    const deeper = { text: 'a', list: nested(1_001) };
    await expect(() => fire(registry, name, deeper)).toRefuse('TH_PAYLOAD_INVALID', 'more than 1000 levels');
  });

  test('a payload that is nested too deep is refused by name, not by a stack overflow', async () => {
    let nest: unknown = 'end';
    for (let i = 0; i < 100_000; i++) nest = [nest];
    const registry = registryOf();
    register(registry, name, () => undefined);
    await expect(() => fire(registry, name, { text: 'a', meta: { nest } })).toRefuse('TH_PAYLOAD_INVALID', name);
  });

  test('objects without a prototype, odd keys and holes survive', async () => {
    const bare = Object.assign(Object.create(null), { n: 1 });
    const odd = JSON.parse('{"__proto__":{"n":1},"constructor":2,"toString":3}');
    const theirs = await given(name, { text: 'a', meta: { bare, odd }, list: [1, undefined, 3] });
    expect({ ...theirs.meta.bare }).toEqual({ n: 1 });
    expect(Object.isFrozen(theirs.meta.bare)).toBe(true);
    expect(Object.keys(theirs.meta.odd)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(theirs.meta.odd)).toBe(Object.prototype);
    expect(theirs.list).toEqual([1, undefined, 3]);
  });
});

describe('amendments', () => {
  test.each(['fill', 'shape'] as const)(
    'what comes out of %s is frozen, marked and no object of the handler',
    async (name) => {
      const registry = registryOf();
      const mine = { tags: [{ n: 1 }] };
      register(registry, name, () => mine);
      const result = await fire(registry, name);
      expect(result).toEqual(mine);
      expect(frozen(result.tags)).toBe(result.tags);
      expect([result.tags, result.tags[0]].every((part: unknown) => Object.isFrozen(part))).toBe(true);
      expect(result.tags[0]).not.toBe(mine.tags[0]);
    },
  );

  test('marked data in an amendment passes by reference to later stages and to the caller', async () => {
    const registry = registryOf();
    const message = frozen({ n: 1 });
    const list = adopt([message]);
    let seen: any;
    register(registry, 'shape', () => ({ list, any: message }));
    register(registry, 'shape', (p: any) => void (seen = p));
    const result = await fire(registry, 'shape');
    expect([seen.list, seen.any, result.list, result.any]).toEqual([list, message, list, message]);
    expect([seen.list === list, seen.any === message, result.list === list, result.any === message]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test('a part of the payload that a stage gives back is the same reference: nothing is walked twice', async () => {
    const registry = registryOf();
    const whole = frozen({ text: 'a', list: [{ n: 1 }, { n: 2 }] });
    register(registry, 'shape', (p: any) => ({ list: p.list.slice(1) }));
    const result = await fire(registry, 'shape', whole);
    expect(result.list).not.toBe(whole.list);
    expect(result.list[0]).toBe(whole.list[1]);
  });

  test('opaque values in an amendment pass by reference', async () => {
    const registry = registryOf();
    const url = new URL('https://example.org');
    register(registry, 'shape', () => ({ any: { url } }));
    expect((await fire(registry, 'shape')).any.url).toBe(url);
    expect(Object.isFrozen(url)).toBe(false);
  });

  test('a claim is frozen and no object of the handler', async () => {
    const registry = registryOf();
    const mine = { handled: true, name: 'a' };
    register(registry, 'pick', () => mine);
    const claim = await fire(registry, 'pick');
    expect(claim).toEqual(mine);
    mine.name = 'b';
    expect([claim.name, Object.isFrozen(claim)]).toEqual(['a', true]);
  });
});

describe('frozen', () => {
  test('frozen copies plain data, freezes and marks the copy, and gives marked data back', () => {
    const mine = deep();
    const copy = frozen(mine);
    expect(copy).toEqual(mine);
    expect(copy).not.toBe(mine);
    expect(Object.isFrozen(copy.list[0]!.inner.m)).toBe(true);
    expect(frozen(copy)).toBe(copy);
    expect(frozen(copy.list)).toBe(copy.list);
    expect(frozen({ copy }).copy).toBe(copy);
  });

  test('frozen leaves opaque and primitive values as they are', () => {
    const url = new URL('https://example.org');
    expect(frozen(url)).toBe(url);
    for (const value of [1, 'a', null, undefined, true]) expect(frozen(value)).toBe(value);
    expect(Object.isFrozen(url)).toBe(false);
  });
});
