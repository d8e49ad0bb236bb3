/** Locks make keys final, terminal keys end a pipeline. */
import { defineHooks, modifyingHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, hear, hearFaults, register, registryOf } from '../support/points.js';

const shape = (registrar: any, id: string, answer: unknown, options: object = {}): (() => void) =>
  register(registrar, 'shape', typeof answer === 'function' ? answer : () => answer, { id, ...options });
const shapes = (registry: any): Promise<any> => {
  hearFaults(registry);
  return fire(registry, 'shape', { text: 'a' }, 'all');
};

describe('locks', () => {
  test('a later stage that returns a locked key loses that key only, and is told so', async () => {
    const registry = registryOf({ order: { shape: ['gate', '*'] }, locks: { shape: { gate: ['text'] } } });
    const told = hear(registry, 'amendmentRefused');
    shape(registry, 'gate', { text: 'gate' });
    shape(registry, 'late', { text: 'late', any: 1 });
    shape(registry.forPlugin('acme'), 'late', { text: 'later' });
    expect(await shapes(registry)).toEqual({ text: 'gate', any: 1 });
    expect(told.map(({ by, code, key }) => [by.id, code, key])).toEqual([
      ['late', 'TH_KEY_LOCKED', 'text'],
      ['acme/late', 'TH_KEY_LOCKED', 'text'],
    ]);
    expect(told[0]!['error'].message).toMatch(/'late'.*'text'.*'shape'.*'gate'/);
  });

  test('what stands before the lock may set the key, the lock holder too', async () => {
    const registry = registryOf({ order: { shape: ['*', 'gate'] }, locks: { shape: { gate: ['text'] } } });
    const told = hearFaults(registry);
    shape(registry, 'early', { text: 'early' });
    shape(registry, 'gate', ({ text }: any) => ({ text: `${text} gate` }));
    expect(await shapes(registry)).toEqual({ text: 'early gate' });
    expect(told).toEqual([]);
  });

  test.each<readonly [string, unknown]>([
    ['spoke', { text: 'gate' }],
    ['abstained', undefined],
    ['answered nonsense', 5],
    [
      'failed',
      () => {
        throw new Error('no');
      },
    ],
  ])('a lock holds from its stage on when the stage %s', async (_, answer) => {
    const registry = registryOf({ order: { shape: ['gate', '*'] }, locks: { shape: { gate: ['text', 'any'] } } });
    const told = hearFaults(registry);
    shape(registry, 'gate', answer);
    shape(registry, 'late', { text: 'late', any: 1, list: [] });
    expect((await shapes(registry))['list']).toEqual([]);
    expect(told.filter((t) => t.startsWith('late'))).toEqual(['late TH_KEY_LOCKED text', 'late TH_KEY_LOCKED any']);
  });

  test('a lock is inert while nobody sits there', async () => {
    const registry = registryOf({ order: { shape: ['gate?', '*'] }, locks: { shape: { gate: ['text'] } } });
    shape(registry, 'late', { text: 'late' });
    expect(await shapes(registry)).toEqual({ text: 'late' });
    const off = shape(registry, 'gate', undefined);
    expect(await shapes(registry)).toBeUndefined();
    off();
    expect(await shapes(registry)).toEqual({ text: 'late' });
  });

  test('a lock of an entry with several handlers starts behind the last', async () => {
    const registry = registryOf({ order: { shape: ['acme', '*'] }, locks: { shape: { acme: ['text'] } } });
    const told = hearFaults(registry);
    shape(registry.forPlugin('acme'), 'a', { text: 'a' });
    shape(registry.forPlugin('acme'), 'b', ({ text }: any) => ({ text: `${text} b` }));
    shape(registry, 'late', { text: 'late' });
    expect(await shapes(registry)).toEqual({ text: 'a b' });
    expect(told).toEqual(['late TH_KEY_LOCKED text']);
    expect(registry.plan('shape', 'all').map((row) => row.locks)).toEqual([[], ['text'], []]);
  });

  test('of two entries that lock one key the first is named, since the key is final behind it', async () => {
    const order = { shape: ['gate', 'seal', '*'] };
    const registry = registryOf({ order, locks: { shape: { seal: ['text', 'any'], gate: ['text'] } } });
    const told = hear(registry, 'amendmentRefused');
    shape(registry, 'gate', undefined);
    shape(registry, 'seal', undefined);
    shape(registry, 'late', { text: 'late', any: 1 });
    expect(await shapes(registry)).toBeUndefined();
    expect(told.map(({ key, error }) => [key, error.details.lock])).toEqual([
      ['text', 'gate'],
      ['any', 'seal'],
    ]);
  });

  test('a lock is the way to stop what a collect key gathers', async () => {
    const registry = registryOf({ order: { shape: ['gate', '*'] }, locks: { shape: { gate: ['tags'] } } });
    shape(registry, 'gate', { tags: [1] });
    shape(registry, 'late', { tags: [2] });
    expect(await shapes(registry)).toEqual({ tags: [1] });
  });

  const hooks = defineHooks({
    shape: modifyingHook<object, { a: string; b: string; stop: string }>({
      discipline: 'pipeline',
      summary: 'Shape.',
      keys: { a: 'string', b: 'string', stop: 'string' },
      terminal: ['stop'],
      order: ['gate?', '*', 'end?'],
      locks: { gate: ['a'] },
    }),
  });
  test("the host's locks of a point replace the house's", async () => {
    const fill = (registry: any): any => {
      shape(registry, 'gate', undefined);
      shape(registry, 'late', { a: '1', b: '2' });
      return registry;
    };
    expect(await shapes(fill(createHookRegistry(hooks)))).toEqual({ b: '2' });
    expect(await shapes(fill(createHookRegistry(hooks, { locks: { shape: { gate: ['b'] } } })))).toEqual({ a: '1' });
    expect(await shapes(fill(createHookRegistry(hooks, { locks: { shape: {} } })))).toEqual({ a: '1', b: '2' });
  });

  test('a lock on an entry that the list lacks is refused at once, a house lock under a host list too', async () => {
    await expect(() => registryOf({ locks: { shape: { gate: ['text'] } } })).toRefuse(
      'TH_ORDER_UNKNOWN',
      'gate',
      'shape',
    );
    await expect(() => createHookRegistry(hooks, { order: { shape: ['*'] } })).toRefuse('TH_ORDER_UNKNOWN', 'gate');
    createHookRegistry(hooks, { order: { shape: ['*'] }, locks: { shape: {} } });
  });

  test('and the refusal writes out the list that would do, and that list does', async () => {
    const order = { shape: ['q?'] };
    const written = "write ['q?', '*', 'gate?'], in your order";
    await expect(() => createHookRegistry(hooks, { order })).toRefuse('TH_ORDER_UNKNOWN', written);
    createHookRegistry(hooks, { order: { shape: ['q?', '*', 'gate?'] } });
  });

  test('a terminal key cannot be locked, and a lock names keys of the point', async () => {
    const order = { shape: ['gate?'] };
    for (const key of ['stop', 'txet', 5, '']) {
      expect(() => registryOf({ order, locks: { shape: { gate: [key] as any } } })).toThrow(/shape/);
    }
    expect(() => registryOf({ order, locks: { shape: { gate: 'text' as any } } })).toThrow(/shape/);
  });

  test('locks exist on pipelines only', async () => {
    for (const name of ['seen', 'fill', 'pick', 'may']) {
      expect(() => registryOf({ order: { [name]: ['a?'] }, locks: { [name]: { a: ['text'] } } as any })).toThrow(name);
    }
    await expect(() => registryOf({ locks: { sahpe: {} } as any })).toRefuse('TH_UNKNOWN_HOOK', 'shape');
  });
});

describe('terminal keys', () => {
  test('a terminal key ends the pipeline at once; what earlier stages set stands', async () => {
    const registry = registryOf();
    const calls: string[] = [];
    shape(registry, 'a', { text: 'b', any: 1 });
    shape(registry, 'b', { stop: 'enough', any: 2 });
    shape(registry, 'c', () => void calls.push('c'));
    expect(await shapes(registry)).toEqual({ text: 'b', any: 2, stop: 'enough' });
    expect(calls).toEqual([]);
  });

  test('two terminal keys in one amendment both stand', async () => {
    const registry = registryOf();
    shape(registry, 'a', { stop: 's', fail: 'f' });
    shape(registry, 'b', { text: 'never' });
    expect(await shapes(registry)).toEqual({ stop: 's', fail: 'f' });
  });

  test.each([undefined, null])('a key that is %s is not set and ends nothing', async (value) => {
    const registry = registryOf();
    shape(registry, 'a', { stop: value, text: value });
    shape(registry, 'b', { any: 1 });
    expect(await shapes(registry)).toEqual({ any: 1 });
  });

  test("'', 0, false and [] are values: an empty veto vetoes", async () => {
    const registry = registryOf();
    shape(registry, 'a', { any: 0, list: [], text: '' });
    shape(registry, 'b', { stop: '' });
    shape(registry, 'c', { text: 'never' });
    expect(await shapes(registry)).toEqual({ any: 0, list: [], text: '', stop: '' });
    const more = registryOf();
    shape(more, 'a', { any: false });
    expect(await shapes(more)).toEqual({ any: false });
  });

  test('a terminal key of an amendment that is refused ends nothing', async () => {
    const registry = registryOf();
    const told = hearFaults(registry);
    shape(registry, 'a', { stop: 's', unknown: 1 });
    shape(registry, 'b', { stop: 5 });
    shape(registry, 'c', { text: 'c' });
    expect(await shapes(registry)).toEqual({ text: 'c' });
    expect(told).toEqual(['a TH_RESULT_INVALID', 'b TH_RESULT_INVALID']);
  });
});
