/* oxlint-disable no-extend-native -- that is what the last part attacks with */
/** Laws of `adopt` and `MarkedList`: nothing bears the kernel's mark but what is frozen all the way down. */
import { afterEach, describe, expect, test } from 'vitest';
import { adopt, append, frozen, MarkedList } from '../../src/index.js';
import { caught } from '../support/refusal.js';
import { fire, register, registryOf } from '../support/points.js';

const refused = (run: () => unknown, what: string) => expect(run).toRefuse('TH_PAYLOAD_INVALID', what);
/** What a handler gets under `list`. */
async function given(list: unknown): Promise<any> {
  const registry = registryOf();
  let seen: any;
  register(registry, 'seen', (p: any) => void (seen = p.list));
  await fire(registry, 'seen', { text: 'a', list });
  return seen;
}
const isMarked = (value: unknown): boolean => frozen(value) === value && Object.isFrozen(value);
class Opaque {
  inner = { n: 1 };
}
const mutable: readonly (readonly [string, () => object])[] = [
  ['an object', () => ({ n: 1 })],
  ['an object that Object.freeze froze', () => Object.freeze({ inner: { n: 1 } })],
  ['an object without a prototype', () => Object.create(null) as object],
  ['a list', () => []],
];

describe('adopt', () => {
  test.each([
    ['a list', [frozen({ n: 1 }), 'text', null, undefined]],
    ['an object', { part: frozen({ n: 1 }), text: 'text', none: undefined }],
    ['an object without a prototype', Object.assign(Object.create(null), { text: 'a' })],
  ])('gives %s of marked values as a marked copy, its parts the same', async (_, mine: any) => {
    const adopted = adopt(mine);
    expect(adopted).toStrictEqual(mine);
    expect(Object.getPrototypeOf(adopted)).toBe(Object.getPrototypeOf(mine));
    for (const key of Object.keys(mine)) expect(adopted[key]).toBe(mine[key]);
    expect([isMarked(adopted), Object.isFrozen(mine), adopt(adopted) === adopted]).toEqual([true, false, true]);
    expect(await given(adopt([adopted]))).toEqual([adopted]);
  });

  test('takes opaque parts as they are, and never freezes them', () => {
    const [url, own, run] = [new URL('https://example.org'), new Opaque(), () => 1];
    expect(adopt([url, own, run])).toEqual([url, own, run]);
    expect([url, own, run].some((part) => Object.isFrozen(part))).toBe(false);
  });

  test.each(mutable)('refuses %s as a part, names its place and the mend', async (_, make) => {
    await refused(() => adopt([1, make()]), '/1 is not frozen: pass it through frozen() first');
    await refused(() => adopt({ a: 1, part: make() }), '/part is not frozen');
    const mine = [make()];
    await caught(() => adopt(mine));
    expect(isMarked(mine)).toBe(false);
  });

  test('a refusal names no hook, and says which payload it is not about', async () => {
    const error = await caught(() => adopt([{}]));
    expect([error.hook, error.message]).toEqual([
      undefined,
      'the payload is refused: /0 is not frozen: pass it through frozen() first',
    ]);
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const cyclic = await caught(() => frozen(cycle));
    expect([cyclic.hook, cyclic.message]).toEqual([undefined, 'the payload is refused: it has a cycle at /self']);
  });

  test('refuses an accessor, which is never called', async () => {
    let calls = 0;
    const get = () => ++calls;
    await refused(() => adopt(Object.defineProperty([1], 0, { get, enumerable: true })), 'an accessor at /0');
    await refused(() => adopt(Object.defineProperty({}, 'a', { get, enumerable: true })), 'an accessor at /a');
    expect(calls).toBe(0);
  });

  class List extends Array<unknown> {}
  test.each([
    ['an instance', new Opaque()],
    ['an instance of a class of lists', List.from([1])],
    ['a function', () => 1],
    ['a map', new Map()],
  ])('refuses %s, which is neither a plain list nor a plain object', async (_, other) => {
    await expect(() => adopt(other)).toRefuse('TH_PAYLOAD_INVALID', 'only a list or a plain object');
  });

  test('a proxy cannot show one part to the look and keep another', async () => {
    const kept = { n: 1 };
    let looks = 0;
    const target: unknown[] = [kept];
    const liar = new Proxy(target, {
      getOwnPropertyDescriptor: (of, key) => {
        const own = Reflect.getOwnPropertyDescriptor(of, key);
        return key === '0' && looks++ === 0 ? { ...own, value: 'harmless' } : own;
      },
    });
    expect(await given(adopt(liar))).toEqual(['harmless']);
    expect([isMarked(liar), Object.isFrozen(target)]).toEqual([false, false]);
  });
});

describe('MarkedList', () => {
  const one = frozen({ n: 1 });
  const two = frozen({ n: 2 });
  const front = frozen({ n: 0 });
  const listOf = (...items: unknown[]): MarkedList<unknown> => {
    const list = new MarkedList<unknown>();
    for (const item of items) list.append(item);
    return list;
  };

  test('gives out what was appended, marked, the same list until more is appended', () => {
    const list = listOf(one, 'text');
    const before = list.list();
    expect([before, isMarked(before), list.list() === before]).toEqual([[one, 'text'], true, true]);
    list.append(two);
    expect([before, list.list()]).toEqual([
      [one, 'text'],
      [one, 'text', two],
    ]);
    expect([list.length, list.at(0), list.at(2), list.at(3), list.at(-1)]).toEqual([3, one, two, undefined, undefined]);
  });

  test('gives all behind a front item, which is kept by no later list', () => {
    const list = listOf(one, two);
    const led = list.behind(front);
    expect([led, isMarked(led)]).toEqual([[front, one, two], true]);
    expect([list.list(), list.behind('x'), list.length]).toEqual([[one, two], ['x', one, two], 2]);
    expect([listOf().list(), listOf().behind(front), listOf().length]).toEqual([[], [front], 0]);
  });

  test.each(mutable)('refuses %s as an item and as a front, and stays as it was', async (_, make) => {
    const list = listOf(one);
    await refused(() => list.append(make()), '/1 is not frozen');
    await refused(() => list.behind(make()), '/0 is not frozen');
    expect([list.list(), list.length]).toEqual([[one], 1]);
  });

  test('what it has given out is no way to its items', async () => {
    const list = listOf(one);
    for (const given of [list.list(), list.behind(front)] as unknown[][]) {
      expect(() => given.push({})).toThrow(TypeError);
      expect(() => (given[0] = {})).toThrow(TypeError);
    }
    expect(await given(list.list())).toBe(list.list());
  });
});

describe('an attack on MarkedList', () => {
  const own = frozen({ n: 1 });
  const polluted: PropertyKey[] = [];
  const pollute = (key: PropertyKey, descriptor: PropertyDescriptor): void => {
    polluted.push(key);
    Object.defineProperty(Object.prototype, key, { ...descriptor, configurable: true });
  };
  const cleanse = (): void => {
    for (const key of polluted.splice(0)) Reflect.deleteProperty(Object.prototype, key);
  };
  afterEach(cleanse);

  test('a subclass marks nothing that the class refuses', async () => {
    class Loose extends MarkedList<unknown> {
      override append(item: unknown): void {
        MarkedList.prototype.append.call(this, item);
      }
      override at(): unknown {
        return { mutable: true };
      }
      override get length(): number {
        return -1;
      }
    }
    const loose = new Loose();
    await refused(() => loose.append({}), 'is not frozen');
    loose.append(own);
    expect(loose.list()).toEqual([own]);
  });

  test('its methods are final and lead to no class', () => {
    const list = new MarkedList();
    expect(Object.isFrozen(MarkedList.prototype)).toBe(true);
    expect((list as { constructor?: unknown }).constructor).toBeUndefined();
    expect(() => Object.assign(MarkedList.prototype, { append: () => {} })).toThrow(TypeError);
  });

  test('an index on Object.prototype takes no item and gives none', () => {
    const taken: unknown[] = [];
    const list = new MarkedList<unknown>();
    const given: unknown[] = [];
    for (const key of ['-1', '0', '1', '2', '3'])
      pollute(key, { get: () => 'theirs', set: (item) => void taken.push(item) });
    try {
      list.append(own);
      list.append('b');
      append(given, list.list());
      append(given, list.behind('front'));
      append(given, adopt([own, 'b']));
      append(given, [list.at(2), list.at(-2)]);
    } finally {
      cleanse();
    }
    expect(given).toEqual([
      [own, 'b'],
      ['front', own, 'b'],
      [own, 'b'],
      [undefined, undefined],
    ]);
    expect([taken, given.slice(0, 3).every(isMarked)]).toEqual([[], true]);
  });

  test('a hole is no place for what stands on Object.prototype', async () => {
    pollute('0', { value: { mutable: true } });
    const holed: unknown[] = [];
    holed.length = 1;
    const error = await caught(() => adopt(holed));
    cleanse();
    expect(error.message).toContain('a hole at /0');
  });

  test.each([true, false])('Symbol.isConcatSpreadable %s on Object.prototype shows nobody its own list', (value) => {
    const list = new MarkedList<unknown>();
    list.append(own);
    pollute(Symbol.isConcatSpreadable, { value });
    const led = list.behind('front');
    cleanse();
    expect(led).toEqual(['front', own]);
  });
});
