import { describe, expect, it } from 'vitest';
import { seal } from '../src/door/seal.js';

const tool = { source: 'host', name: 'write', digest: 'd' };
const refused = (args: unknown): string => {
  try {
    seal(tool, args);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was sealed');
};
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let at = 0; at < levels; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
};

describe('a sealed call', () => {
  it('holds a frozen copy that shares nothing with what was given', () => {
    const given = { path: 'a', deep: { list: [1, { x: true }] } };
    const { args } = seal(tool, given);
    given.path = 'b';
    given.deep.list.push(2);
    expect(args).toEqual({ path: 'a', deep: { list: [1, { x: true }] } });
    const deep = (args as typeof given).deep;
    for (const part of [args, deep, deep.list, deep.list[1]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('inherits nothing: what is put on Object.prototype is not read for a missing argument', () => {
    const { args } = seal(tool, { path: 'a', deep: {} });
    const polluted = Object.prototype as { target?: unknown };
    polluted.target = 'elsewhere';
    try {
      expect((args as { target?: unknown }).target).toBeUndefined();
      expect((args as { deep: { target?: unknown } }).deep.target).toBeUndefined();
    } finally {
      delete polluted.target;
    }
  });

  it('reads each property once', () => {
    let reads = 0;
    const shifty = new Proxy<Record<string, unknown>>(
      { path: 'a' },
      {
        getOwnPropertyDescriptor(target, key) {
          if (key === 'path') reads++;
          return {
            value: reads > 1 ? 'evil' : target[key as string],
            enumerable: true,
            configurable: true,
            writable: true,
          };
        },
        get: () => 'evil',
      },
    );
    expect(seal(tool, shifty).args).toEqual({ path: 'a' });
    expect(reads).toBe(1);
  });

  it('has a digest that names the tool and the arguments', () => {
    const { digest } = seal(tool, { a: 1 });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(seal(tool, JSON.parse('{"a":1.0}')).digest).toBe(digest);
    expect(seal(tool, { a: 2 }).digest).not.toBe(digest);
    for (const changed of [{ source: 'mcp:x' }, { name: 'read' }, { digest: 'e' }]) {
      expect(seal({ ...tool, ...changed }, { a: 1 }).digest).not.toBe(digest);
    }
  });

  it('runs the zero that its digest names', () => {
    const { args, digest } = seal(tool, { n: -0 });
    expect(Object.is((args as { n: number }).n, 0)).toBe(true);
    expect(digest).toBe(seal(tool, { n: 0 }).digest);
  });

  it.each([
    [
      'an accessor',
      {
        get a() {
          return 1;
        },
      },
      /an accessor at \/a/,
    ],
    ['a class instance', { a: new Date(0) }, /a class instance at \/a/],
    ['a subclass of Array', { a: new (class extends Array {})() }, /a class instance at \/a/],
    ['a Map', new Map(), /a class instance/],
    ['a function', { a: () => 1 }, /a function at \/a/],
    ['a symbol', { a: Symbol('s') }, /a symbol at \/a/],
    ['a symbol key', { [Symbol('s')]: 1 }, /the symbol key/],
    ['undefined', { a: undefined }, /undefined at \/a/],
    ['undefined alone', undefined, /undefined/],
    ['NaN', { a: [Number.NaN] }, /the number NaN at \/a\/0/],
    ['Infinity', { a: -Infinity }, /the number -Infinity/],
    ['a bigint', { a: 1n }, /a bigint/],
    ['a hole', { a: [1, , 3] }, /a hole at 1 at \/a/], // oxlint-disable-line no-sparse-arrays
    ['a long hole', { a: Object.assign([], { length: 5 }) }, /a hole at 0/],
    ['an extra property of a list', { a: Object.assign([1], { extra: 1 }) }, /a list with the property 'extra'/],
    ['a key __proto__', JSON.parse('{"a":{"__proto__":{"x":1}}}'), /the key '__proto__' at \/a/],
    ['a hidden property', Object.defineProperty({}, 'a', { value: 1 }), /a hidden property at \/a/],
    ['a lone surrogate', { a: 'x\ud800' }, /a lone surrogate at \/a/],
    ['a lone surrogate in a key', { 'x\udc00': 1 }, /a key with a lone surrogate/],
    [
      'a revoked proxy',
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
      /revoked/,
    ],
  ])('cannot have %s', (_, args, why) => {
    expect(refused(args)).toMatch(why);
    expect(refused(args)).toMatch(/^the arguments of 'write' cannot be sealed/);
  });

  it('cannot have a cycle, but may have one value twice', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = [cycle];
    expect(refused(cycle)).toMatch(/a cycle at \/self\/0/);
    const shared = { x: 1 };
    expect(seal(tool, { a: shared, b: shared }).args).toEqual({ a: { x: 1 }, b: { x: 1 } });
  });

  it('nests 256 levels and no more', () => {
    expect(() => seal(tool, nested(256))).not.toThrow();
    expect(refused(nested(257))).toMatch(/more than 256 levels/);
  });

  it('is refused when its shared parts stand for more than memory holds', () => {
    let bomb: unknown = 1;
    for (let at = 0; at < 60; at++) bomb = [bomb, bomb];
    expect(refused(bomb)).toMatch(/more than 1000000 values/);
    const long: unknown[] = [];
    long.length = 4_000_000_000;
    expect(refused(long)).toMatch(/more than 1000000 values/);
  });
});
