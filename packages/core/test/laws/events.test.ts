/** What events tell. */
import { describe, expect, test } from 'vitest';
import { fakeClock, settle } from '../support/clock.js';
import { fire, hear, letter, names, register, registryOf, type Name } from '../support/points.js';

fakeClock();

const boom = (): never => {
  throw new Error('boom');
};
const never = (): Promise<never> => new Promise(() => undefined);
const by = (hook: string, id: string, owner = 'host') => ({ hook, id, owner });

describe('what is told', () => {
  test('a registration and a removal, with hook and who', () => {
    const registry = registryOf();
    const told = hear(registry);
    register(registry.forPlugin('acme'), 'may', () => undefined, { id: 'a' })();
    expect(told).toEqual([
      { type: 'registered', hook: 'may', by: by('may', 'acme/a', 'acme') },
      { type: 'unregistered', hook: 'may', by: by('may', 'acme/a', 'acme') },
    ]);
  });

  test.each(['seen', 'fill', 'shape', 'pick', 'may'] as const)(
    'a handler of %s that fails, with code and error',
    async (name) => {
      const registry = registryOf();
      const told = hear(registry, 'handlerFailed');
      const cause = new Error('boom');
      register(registry.forPlugin('acme'), name, () => Promise.reject(cause), { id: 'a' });
      await fire(registry, name, letter, 'all');
      expect(told).toEqual([
        {
          type: 'handlerFailed',
          hook: name,
          by: by(name, 'acme/a', 'acme'),
          code: 'TH_HANDLER_FAILED',
          error: expect.anything(),
        },
      ]);
      expect(told[0]!['error']).toMatchObject({
        code: 'TH_HANDLER_FAILED',
        hook: name,
        owner: 'acme',
        handlerId: 'acme/a',
        cause,
      });
      expect(told[0]!['error'].message).toMatch(/'acme\/a'.*boom|boom.*'acme\/a'/);
    },
  );

  test('a claim, a denial with its reason and kind, and a faulty denial with its code', async () => {
    const registry = registryOf();
    const told = hear(registry, 'claimed', 'denied');
    register(registry, 'pick', () => ({ handled: true, name: 'n' }), { id: 'c' });
    const off = register(registry, 'may', () => ({ deny: 'no' }), { id: 'd' });
    await fire(registry, 'pick');
    await fire(registry, 'may');
    off();
    register(registry, 'may', boom, { id: 'e' });
    hear(registry, 'handlerFailed');
    await fire(registry, 'may');
    expect(told).toMatchObject([
      { type: 'claimed', hook: 'pick', by: by('pick', 'c') },
      { type: 'denied', hook: 'may', by: by('may', 'd'), kind: 'policy', reason: 'no' },
      { type: 'denied', hook: 'may', by: by('may', 'e'), kind: 'error', code: 'TH_HANDLER_FAILED' },
    ]);
    expect(told[1]).not.toHaveProperty('code');
  });

  test('errors that are no errors are told as text, however they resist', async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerFailed');
    const hostile = { toString: boom, [Symbol.toPrimitive]: boom };
    for (const thrown of ['text', undefined, null, 5, Symbol('s'), hostile, Object.create(null)]) {
      register(registry, 'seen', () => {
        throw thrown;
      });
    }
    await fire(registry, 'seen');
    expect(told.length).toBe(7);
    expect(told.map(({ error }) => error['cause'])).toEqual([
      'text',
      undefined,
      null,
      5,
      expect.any(Symbol),
      hostile,
      {},
    ]);
  });
});

describe('fired', () => {
  const stages = (event: any): unknown[] =>
    event.stages.map(({ by: { id }, outcome, amendment }: any) => [id, outcome, ...(amendment ? [amendment] : [])]);
  /** The `fired` event of one fire of handlers by id. */
  async function fired(name: Name, handlers: Record<string, unknown>, options: any = {}): Promise<any> {
    const registry = registryOf(options);
    const told = hear(registry, 'fired', 'handlerFailed', 'handlerTimedOut', 'amendmentRefused');
    for (const [id, answer] of Object.entries(handlers)) {
      const handler = typeof answer === 'function' ? answer : () => answer;
      register(id === 'plugin' ? registry.forPlugin('acme') : registry, name, handler, { id, timeoutMs: 50 });
    }
    await settle(fire(registry, name, letter, 'all'));
    const events = told.filter(({ type }) => type === 'fired');
    expect(events.length).toBe(1);
    return events[0];
  }

  test('carries what went in, what came out and each stage, frozen', async () => {
    const event = await fired('shape', {
      a: { text: 'a' },
      b: undefined,
      c: () => boom(),
      d: { unknown: 1 },
      e: never,
      f: { stop: '' },
      g: { any: 1 },
    });
    expect(event).toMatchObject({
      hook: 'shape',
      payload: letter,
      result: { text: 'a', stop: '' },
      ms: expect.any(Number),
    });
    expect(stages(event)).toEqual([
      ['a', 'amended', { text: 'a' }],
      ['b', 'passed'],
      ['c', 'failed'],
      ['d', 'refused'],
      ['e', 'timeout'],
      ['f', 'amended', { stop: '' }],
    ]);
    expect(
      [event.stages, ...event.stages, event.payload, event.result].every((part: unknown) => Object.isFrozen(part)),
    ).toBe(true);
    expect(event.stages.every(({ ms }: any) => typeof ms === 'number' && ms >= 0)).toBe(true);
    expect(event.stages[4].ms).toBeGreaterThanOrEqual(50);
    expect(event.ms).toBeGreaterThanOrEqual(event.stages[4].ms);
  });

  test('shows an amendment as it stands after refusals', async () => {
    const locks = { order: { shape: ['a', '*'] }, locks: { shape: { a: ['text'] } } };
    const event = await fired('shape', { a: undefined, b: { text: 'b', any: 1 }, c: { text: 'c' } }, locks);
    expect(stages(event)).toEqual([
      ['a', 'passed'],
      ['b', 'amended', { any: 1 }],
      ['c', 'refused'],
    ]);
    const merge = await fired('fill', { a: { text: 'a' }, b: { text: 'b', note: 'b' }, plugin: { own: 'mine' } });
    expect(stages(merge)).toEqual([
      ['a', 'amended', { text: 'a' }],
      ['b', 'amended', { note: 'b' }],
      ['acme/plugin', 'refused'],
    ]);
  });

  test('tells of guards, routes and observers in their own words', async () => {
    const guard = await fired('may', { a: undefined, b: { ask: '?' }, c: { deny: 'no' }, d: undefined });
    expect(stages(guard)).toEqual([
      ['a', 'passed'],
      ['b', 'asked'],
      ['c', 'denied'],
    ]);
    expect(guard.result).toMatchObject({ decision: 'deny', reason: 'no' });
    const route = await fired('pick', { a: { handled: false }, b: 5, c: { handled: true, name: 'c' }, d: undefined });
    expect(route.stages.map((stage: any) => stage.outcome)).toEqual(['passed', 'refused', 'claimed']);
    expect(route.result).toEqual({ handled: true, name: 'c' });
    const observe = await fired('seen', { a: undefined, b: () => boom(), c: never });
    expect(stages(observe)).toEqual([
      ['a', 'passed'],
      ['b', 'failed'],
      ['c', 'timeout'],
    ]);
    expect(observe.result).toBeUndefined();
  });

  test.each(names)('is told of an empty fire of %s too, with a payload that nobody can write to', async (name) => {
    const registry = registryOf();
    const told = hear(registry, 'fired');
    const mine = { text: 'a', list: [{ n: 1 }] };
    await fire(registry, name, mine);
    expect(told).toMatchObject([{ hook: name, payload: mine, stages: [] }]);
    expect(Object.isFrozen(told[0]!['payload'].list[0])).toBe(true);
    expect(Object.isFrozen(mine.list[0])).toBe(false);
  });

  test.each(names)('hearing it changes no result of %s', async (name) => {
    const answers = {
      seen: undefined,
      fill: { text: 'a' },
      shape: { text: 'a' },
      pick: { handled: true, name: 'a' },
      may: { ask: 'a' },
    };
    const results = [];
    for (const heard of [false, true]) {
      const registry = registryOf();
      if (heard) hear(registry);
      register(registry, name, () => answers[name], { id: 'a' });
      register(registry, name, async () => answers[name], { id: 'b' });
      const result = await fire(registry, name);
      results.push(name === 'may' ? { ...result, ms: 0, generation: 0 } : result);
    }
    expect(results[1]).toEqual(results[0]);
  });
});
