// oxlint-disable no-thenable, no-this-alias -- the attacks
/** Answers, errors and receivers with which a plugin once got past another handler, or took the fire down with it. */
import { claimingHook, defineHooks, modifyingHook, voidHook } from '@treblehook/types';
import { afterEach, expect, test, vi } from 'vitest';
import { createHookRegistry } from '../../src/index.js';

const points = defineHooks({
  seen: voidHook<object>({ summary: 'Something was seen.' }),
  shape: modifyingHook<{ readonly text: string }, { readonly text: string; readonly list: readonly unknown[] }>({
    discipline: 'pipeline',
    summary: 'It may be rewritten.',
    keys: { text: 'string', list: 'array' },
  }),
  pick: claimingHook<object, { readonly desk: string }>({
    discipline: 'route',
    summary: 'Whose?',
    keys: { desk: 'string' },
  }),
  may: claimingHook<object>({ discipline: 'guard', summary: 'May it?' }),
});
const nativeThen = Promise.prototype.then;
const made = () => createHookRegistry(points);
/** Registers what no typed author could write. */
const untyped = (registry: ReturnType<typeof made>): Record<string, (...args: unknown[]) => () => void> =>
  registry as never;
const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));

const pollution = Object.prototype as { then?: unknown };
afterEach(() => {
  delete pollution.then;
});

test('a promise whose own then is not the native one answers for nobody else', async () => {
  const registry = made();
  untyped(registry)['registerClaiming']!('may', () => {
    let reads = 0;
    const get = (): unknown =>
      reads++ === 0
        ? nativeThen
        : (answered: () => void) => {
            answered();
            setImmediate(answered);
          };
    return Object.defineProperty(Promise.resolve(), 'then', { get });
  });
  registry.registerClaiming('may', async () => later({ deny: 'no' }), { id: 'policy' });
  expect(await registry.fireClaiming('may', {})).toMatchObject({ decision: 'deny', by: { id: 'policy' } });
});

test('a promise whose constructor becomes another is a fault, and none of that kind is built', async () => {
  const registry = made();
  let built = 0;
  class Other<T> extends Promise<T> {
    constructor(run: ConstructorParameters<typeof Promise<T>>[0]) {
      built++;
      super(run);
    }
  }
  untyped(registry)['registerClaiming']!('may', () => {
    let reads = 0;
    return Object.defineProperty(Promise.resolve(), 'constructor', { get: () => (reads++ === 0 ? Promise : Other) });
  });
  registry.events.on('handlerFailed', () => undefined);
  expect(await registry.fireClaiming('may', {})).toMatchObject({ decision: 'deny', verdicts: [{ kind: 'error' }] });
  expect(built).toBe(0);
});

test('a then that stands on Object.prototype between two guards is a denial, though it is gone at the end', async () => {
  const registry = made();
  registry.registerClaiming('may', () => {
    pollution.then = (answered: (value: unknown) => void) => answered(undefined);
  });
  registry.registerClaiming('may', async () => ({ deny: 'no' }));
  registry.registerClaiming('may', () => {
    delete pollution.then;
  });
  expect((await registry.fireClaiming('may', {})).decision).toBe('deny');
});

test('a handler is called without a receiver', async () => {
  const registry = made();
  let receiver: unknown = 'none';
  registry.registerVoid('seen', function (this: unknown) {
    receiver = this;
  });
  registry.registerModifying('shape', function (this: unknown) {
    receiver = [receiver, this];
  });
  await registry.fireVoid('seen', {});
  await registry.fireModifying('shape', { text: 'a' });
  expect(receiver).toEqual([undefined, undefined]);
});

test.each([
  ['a proxy of a promise', () => new Proxy(Promise.resolve(), {})],
  ['an object that inherits from promises', () => Object.create(Promise.prototype) as object],
])('%s is a fault of its handler, and the others run once', async (_what, answer) => {
  const registry = made();
  const faults: string[] = [];
  registry.events.on('handlerFailed', ({ by }) => faults.push(by.id));
  let calls = 0;
  for (const [register, name] of [
    ['registerVoid', 'seen'],
    ['registerModifying', 'shape'],
  ] as const) {
    untyped(registry)[register]!(name, answer, { id: 'odd' });
    untyped(registry)[register]!(name, () => void calls++, { id: 'fine' });
  }
  await registry.fireVoid('seen', {});
  await registry.fireModifying('shape', { text: 'a' });
  expect(faults).toEqual(['odd', 'odd']);
  expect(calls).toBe(2);
});

test('an error that cannot be printed is a fault like any other', async () => {
  const registry = made();
  const faults: string[] = [];
  registry.events.on('handlerFailed', ({ error }) => faults.push(error.message));
  const unprintable = Object.assign(new Error('x'), {
    message: Object.assign(new Error('y'), { message: Symbol('z') }),
  });
  let calls = 0;
  registry.registerVoid('seen', () => {
    throw unprintable;
  });
  registry.registerVoid('seen', async () => Promise.reject(unprintable));
  registry.registerVoid('seen', () => void calls++);
  await registry.fireVoid('seen', {});
  expect(faults).toHaveLength(2);
  expect(calls).toBe(1);
});

test('an answer that throws a hostile proxy while it is read is refused', async () => {
  const registry = made();
  const trap = (): never => {
    throw new Error('trap');
  };
  const hostile = new Proxy({}, { getPrototypeOf: trap });
  const answer = (): object =>
    new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw hostile;
        },
        ownKeys: () => {
          throw hostile;
        },
      },
    );
  registry.events.on('amendmentRefused', () => {});
  registry.events.on('denied', () => {});
  untyped(registry)['registerModifying']!('shape', answer);
  untyped(registry)['registerClaiming']!('may', answer);
  await expect(registry.fireModifying('shape', { text: 'a' })).resolves.toBeUndefined();
  expect((await registry.fireClaiming('may', {})).verdicts[0]).toMatchObject({ verdict: 'deny', kind: 'invalid' });
});

test('a list that is mostly holes is refused, not filled', async () => {
  const registry = made();
  const refused: string[] = [];
  registry.events.on('amendmentRefused', ({ error }) => refused.push(error.message));
  registry.registerModifying('shape', () => {
    const list: unknown[] = [];
    list[300_000_000] = 1;
    return { list };
  });
  expect(await registry.fireModifying('shape', { text: 'a' })).toBeUndefined();
  expect(refused[0]).toContain('holes');
});

test.each([
  [
    'an instance of a class of lists',
    () => Object.setPrototypeOf(['x'], class extends Array {}.prototype) as unknown[],
  ],
  ['a list without a prototype', () => Object.setPrototypeOf(['x'], null) as unknown[]],
])('%s is no list of an answer', async (_what, list) => {
  const registry = made();
  registry.events.on('amendmentRefused', () => {});
  untyped(registry)['registerModifying']!('shape', () => ({ list: list() }));
  expect(await registry.fireModifying('shape', { text: 'a' })).toBeUndefined();
});

test('a claim says that it is one, however it was spelt', async () => {
  const registry = made();
  untyped(registry)['registerClaiming']!('pick', () =>
    Object.defineProperty({ desk: 'x' }, 'handled', { value: true }),
  );
  expect(await registry.fireClaiming('pick', {})).toEqual({ handled: true, desk: 'x' });
});

test('a listener cannot rewrite what a guard has said', async () => {
  const registry = made();
  registry.events.on('handlerFailed', ({ error }) => {
    expect(Object.isFrozen(error)).toBe(true);
    Reflect.set(error, 'message', { forged: true });
  });
  registry.registerClaiming('may', () => {
    throw new Error('broken');
  });
  expect((await registry.fireClaiming('may', {})).reason).toContain('broken');
});

test('a fault that its listener is too busy to hear is a warning', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    const registry = made();
    registry.registerVoid('seen', () => {
      throw new Error('one');
    });
    registry.registerModifying('shape', () => {
      throw new Error('two');
    });
    registry.events.on('handlerFailed', ({ hook }) => {
      if (hook === 'seen') void registry.fireModifying('shape', { text: 'a' });
    });
    await registry.fireVoid('seen', {});
    await later(undefined);
    expect(warn.mock.calls.map(([text]) => String(text)).join()).toContain('two');
  } finally {
    warn.mockRestore();
  }
});

test('nonsense of a guard that nobody hears is a warning', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    const registry = made();
    untyped(registry)['registerClaiming']!('may', () => ({ allow: true }), { id: 'odd' });
    await registry.fireClaiming('may', {});
    await registry.fireClaiming('may', {});
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining("'odd' gave 'may'")]);
    registry.events.on('denied', () => {});
    untyped(registry)['registerClaiming']!('may', () => ({ allow: true }), { id: 'heard', before: ['odd'] });
    await registry.fireClaiming('may', {});
    expect(warn).toHaveBeenCalledTimes(1);
  } finally {
    warn.mockRestore();
  }
});

test('another handler under a used id is warned of anew', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    const registry = made();
    for (let nth = 0; nth < 2; nth++) {
      const off = registry.registerVoid(
        'seen',
        () => {
          throw new Error('again');
        },
        { id: 'a' },
      );
      await registry.fireVoid('seen', {});
      await registry.fireVoid('seen', {});
      off();
    }
    expect(warn).toHaveBeenCalledTimes(2);
  } finally {
    warn.mockRestore();
  }
});

test('a registration that failed has taken no name', () => {
  const registry = made();
  expect(() => untyped(registry)['registerVoid']!('nope', () => {}, { pluginId: 'tidy' })).toThrow();
  expect(() => registry.registerVoid('seen', () => {}, { id: 'tidy' })).not.toThrow();
});

test('a get on Object.prototype breaks no fire', async () => {
  const registry = made();
  registry.registerModifying('shape', () => ({ text: 'b' }));
  const polluted = Object.prototype as { get?: unknown };
  polluted.get = 1;
  const fired = registry.fireModifying('shape', { text: 'a' });
  delete polluted.get;
  expect(await fired).toEqual({ text: 'b' });
});

test('what a fire resolves to cannot be replaced by a then on Object.prototype', async () => {
  const registry = made();
  registry.registerModifying('shape', () => {
    pollution.then = (answered: (value: unknown) => void) => answered('forged');
    return { text: 'b' };
  });
  const amended: unknown = await registry.fireModifying('shape', { text: 'a' });
  const unclaimed: unknown = await registry.fireClaiming('pick', {});
  delete pollution.then;
  expect(amended).toEqual({ text: 'b' });
  expect(unclaimed).toEqual({ handled: false });
});

test('verify lists a cycle of every seat, and a set that mends one of them may replace', () => {
  const registry = createHookRegistry(points, { order: { seen: ['acme', '*'] } });
  registry.registerVoid('seen', () => {}, { id: 'a', after: ['b'] });
  registry.registerVoid('seen', () => {}, { id: 'b', after: ['a'] });
  const acme = registry.forPlugin('acme');
  acme.registerVoid('seen', () => {}, { id: 'x', after: ['acme/y'] });
  acme.registerVoid('seen', () => {}, { id: 'y', after: ['acme/x'] });
  expect(() => registry.verify()).toThrow(
    expect.objectContaining({ code: 'TH_VERIFY_FAILED', details: expect.objectContaining({ count: 2 }) }),
  );
  expect(() => registry.replace('acme', (fresh) => fresh.registerVoid('seen', () => {}, { id: 'x' }))).not.toThrow();
  expect(() => registry.verify()).toThrow(expect.objectContaining({ code: 'TH_ORDER_CYCLE' }));
});

test.each([
  'denial',
  'asks',
  'verdicts',
  'ended',
  'awaiting',
  'context',
  'settled',
  'resolve',
  'at',
  'isTainted',
  'fire',
  'handler',
])("a setter under the name '%s' on Object.prototype swallows no verdict", async (name) => {
  const registry = made();
  registry.registerClaiming('may', async () => later(undefined));
  registry.registerClaiming('may', async () => later({ deny: 'no' }));
  const caught: unknown[] = [];
  // oxlint-disable-next-line no-extend-native
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    get: () => undefined,
    set(this: unknown) {
      caught.push(this);
    },
  });
  const fired = registry.fireClaiming('may', {});
  await later(undefined);
  await later(undefined);
  await later(undefined);
  delete (Object.prototype as Record<string, unknown>)[name];
  expect((await fired).decision).toBe('deny');
  expect(caught.filter((one) => Object.hasOwn(Object(one), 'plan'))).toEqual([]);
});
