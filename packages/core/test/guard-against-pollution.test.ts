/* oxlint-disable unicorn/no-thenable, no-extend-native -- that is what this file attacks with */
/** Hostile answers and a polluted Object.prototype: what a guard said cannot be bent into silence. */
import { claimingHook, defineHooks, type VerdictRecord } from '@treblehook/types';
import { afterEach, describe, expect, test } from 'vitest';
import { createHookRegistry } from '../src/index.js';

const hooks = defineHooks({
  may: claimingHook<object, { readonly detail: string }>({
    discipline: 'guard',
    summary: 'Before a thing is done.',
    keys: { detail: 'string' },
  }),
});
function guarded(...answers: (() => unknown)[]) {
  const registry = createHookRegistry(hooks);
  for (const type of ['handlerFailed', 'denied'] as const) registry.events.on(type, () => undefined);
  for (const answer of answers) registry.registerClaiming('may', answer as any);
  return (): Promise<VerdictRecord> => registry.fireClaiming('may', {});
}

type Then = (go: (value?: unknown) => void, no: (error: unknown) => void) => void;
const thenable = (then: Then): object => Object.fromEntries([['then', then]]);

const pollute = (descriptor: PropertyDescriptor): void =>
  void Object.defineProperty(Object.prototype, 'then', { ...descriptor, configurable: true });
const cleanse = (): void => void Reflect.deleteProperty(Object.prototype, 'then');
afterEach(cleanse);

/** Turns every object that is awaited into an abstention. */
const bend = function then(this: unknown, resolve: (value: unknown) => void): void {
  resolve(undefined);
};
const bends = { 'a function': { value: bend, writable: true }, 'a getter': { get: () => bend } } as const;
const said = {
  'a denial': () => ({ deny: 'no' }),
  'an ask': () => ({ ask: 'sure?' }),
  'an allow': () => ({ allow: true }),
};

describe.each(Object.entries(bends))('a `then` on Object.prototype that is %s', (_, descriptor) => {
  describe.each(Object.entries(said))('%s', (_, answer) => {
    /** The record is taken apart while the pollution stands, then held against the law when it is gone. */
    async function verdictOf(fire: () => Promise<VerdictRecord>): Promise<readonly string[]> {
      const record = await fire();
      const found = [record?.decision, record?.verdicts?.at(-1)?.kind ?? 'none'];
      cleanse();
      return found;
    }

    test.each<readonly [string, () => unknown]>([
      ['that stands before the fire, sync', answer],
      ['that stands before the fire, async', async () => answer()],
      ['that stands before the fire, behind a thenable', () => thenable((go) => go(answer()))],
    ])('%s, is a denial of kind invalid', async (_, handler) => {
      const fire = guarded(handler, () => undefined);
      pollute(descriptor);
      expect(await verdictOf(fire)).toEqual(['deny', 'invalid']);
    });

    test.each<readonly [string, () => unknown]>([
      [
        'that comes during the call, sync',
        () => {
          pollute(descriptor);
          return answer();
        },
      ],
      [
        'that comes during the call, async',
        async () => {
          pollute(descriptor);
          return answer();
        },
      ],
      [
        'that comes behind an await',
        async () => {
          await Promise.resolve();
          pollute(descriptor);
          return answer();
        },
      ],
    ])('%s, never becomes silence', async (_, handler) => {
      const [decision, kind] = await verdictOf(guarded(handler, () => undefined));
      expect(decision).toBe('deny');
      expect(['invalid', 'policy', 'error']).toContain(kind);
    });
  });
});

test('a `then` that came with the answer of a guard is seen, though reading that answer takes it away', async () => {
  const silence = new Proxy(
    {},
    {
      get: () => undefined,
      getPrototypeOf: (target) => {
        cleanse();
        return Reflect.getPrototypeOf(target);
      },
    },
  );
  const fire = guarded(async () => {
    await Promise.resolve();
    pollute({ value: (go: (answer: unknown) => void) => go(silence), writable: true });
    return { deny: 'no' };
  });
  const { decision, verdicts } = await fire();
  expect([decision, verdicts.at(-1)?.kind]).toEqual(['deny', 'invalid']);
});

describe('hostile answers are denials', () => {
  const revoked = (): unknown => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  test.each<readonly [string, unknown]>([
    ['true', true],
    ['a string', 'allow'],
    ['a number', 0],
    ['false', false],
    ['a symbol', Symbol('allow')],
    ['a bigint', 0n],
    ['an array', []],
    ['a function', () => undefined],
    ['a map', new Map()],
    ['a date', new Date(0)],
    ['an error', new Error('no')],
    ['an inherited denial', Object.create({ deny: 'no' })],
    ['an inherited ask', Object.create({ ask: 'sure?' })],
    ['an allow', { allow: true }],
    ['a claim', { handled: true }],
    ['a claim that allows', { handled: true, decision: 'allow' }],
    ['a decision', { decision: 'clear' }],
    ['a denial that is no text', { deny: true }],
    ['a denial that is undefined', { deny: undefined }],
    ['a denial that is null', { deny: null }],
    ['an ask that is undefined', { ask: undefined }],
    ['an ask with a key that nobody declared', { ask: 'sure?', allow: true }],
    ['an ask with a detail of another kind', { ask: 'sure?', detail: 5 }],
    ['an ask that is handled', { ask: 'sure?', handled: true }],
    ['an own __proto__', JSON.parse('{"__proto__":{"handled":false}}')],
    ['an accessor', Object.defineProperty({}, 'ask', { get: () => 'sure?', enumerable: true })],
    [
      'an accessor that throws',
      Object.defineProperty({}, 'deny', {
        get: () => {
          throw new Error('no');
        },
        enumerable: true,
      }),
    ],
    ['a hidden key', Object.defineProperty({}, 'allow', { value: true, enumerable: false })],
    ['a symbol key', { [Symbol('allow')]: true }],
    ['a revoked proxy', revoked()],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
    ],
    [
      'a `then` that throws when it is read',
      Object.defineProperty({}, 'then', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('%s', async (_, answer) => {
    for (const handler of [() => answer, async () => answer]) {
      const record = await guarded(handler, () => undefined)();
      expect(record.decision).toBe('deny');
      expect(record.verdicts.length).toBe(1);
      expect(record.verdicts[0]!.kind).toMatch(/^(invalid|error)$/);
    }
  });

  test.each<readonly [string, Then, string]>([
    ['answers twice: the first answer counts', (go) => (go({ deny: 'no' }), go(undefined)), 'policy'],
    ['answers, then fails: the answer counts', (go, no) => (go({ deny: 'no' }), no(new Error('late'))), 'policy'],
    ['fails, then answers: the failure counts', (go, no) => (no(new Error('no')), go(undefined)), 'error'],
    [
      'throws before it answers: a failure',
      () => {
        throw new Error('no');
      },
      'error',
    ],
    ['answers by another thenable: that one is awaited', (go) => go(thenable((on) => on({ deny: 'no' }))), 'policy'],
  ])('a thenable that %s', async (_, then, kind) => {
    const record = await guarded(
      () => thenable(then),
      () => undefined,
    )();
    expect(record.decision).toBe('deny');
    expect(record.verdicts).toMatchObject([{ verdict: 'deny', kind }]);
  });

  test('a thenable of a class is awaited', async () => {
    class Later {
      // oxlint-disable-next-line unicorn/no-thenable
      then(go: (value: unknown) => void): void {
        go({ deny: 'no' });
      }
    }
    const record = await guarded(() => new Later())();
    expect(record.verdicts).toMatchObject([{ verdict: 'deny', kind: 'policy' }]);
  });
});

describe('legal answers are what they are', () => {
  test.each<readonly [string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['an empty object', {}],
    ['an empty object without a prototype', Object.create(null)],
    ['not handled', { handled: false }],
  ])('%s abstains', async (_, answer) => {
    for (const handler of [() => answer, async () => answer]) {
      const record = await guarded(handler)();
      expect(record).toMatchObject({ decision: 'clear', verdicts: [{ verdict: 'pass', kind: 'policy' }] });
    }
  });

  test('deny beats ask in one value', async () => {
    const record = await guarded(() => ({ deny: 'no', ask: 'sure?' }))();
    expect(record).toMatchObject({ decision: 'deny', reason: 'no', asks: [], verdicts: [{ kind: 'policy' }] });
  });

  test('an ask is kept with its rule and its detail', async () => {
    const record = await guarded(
      () => ({ ask: 'sure?', rule: 'r1', detail: 'd' }),
      () => ({ ask: '' }),
    )();
    expect(record.decision).toBe('ask');
    expect(record.asks).toMatchObject([{ ask: 'sure?', rule: 'r1', detail: 'd' }, { ask: '' }]);
    expect(record.asks.map((ask) => Object.keys(ask).toSorted().join())).toEqual(['ask,by,detail,rule', 'ask,by']);
    expect(record.asks[0]!.by).toEqual({ hook: 'may', id: expect.stringMatching(/^host\/~\d+$/), owner: 'host' });
  });

  test('a halt stands in the record of the denial that said it, and in no other', async () => {
    expect(await guarded(() => ({ deny: 'no', halt: true }))()).toMatchObject({ decision: 'deny', halt: true });
    expect(Object.hasOwn(await guarded(() => ({ deny: 'no' }))(), 'halt')).toBe(false);
  });
});
