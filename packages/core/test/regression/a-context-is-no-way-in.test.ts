/** A plugin once reached the kernel's registrations through `ctx.constructor` and replaced the policy's handler. */
import { claimingHook, defineHooks, voidHook } from '@treblehook/types';
import { afterEach, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';

const points = defineHooks({
  looked: voidHook<object>({ summary: 'Something was looked at.' }),
  may: claimingHook<{ readonly items: readonly string[] }>({ discipline: 'guard', summary: 'May it?' }),
});

afterEach(() => {
  delete (Object.prototype as { 0?: unknown })[0];
});

test('a context shows its own few names, and no class', async () => {
  const registry = createHookRegistry(points);
  let seen: object | undefined;
  registry.registerVoid('looked', (_payload, ctx) => {
    seen = ctx;
  });
  await registry.fireVoid('looked', {});

  const proto = Object.getPrototypeOf(seen) as object;
  expect(Reflect.ownKeys(proto)).not.toContain('constructor');
  expect(Object.isFrozen(proto)).toBe(true);
  expect((seen as { constructor: unknown }).constructor).toBe(Object);
  expect(Reflect.ownKeys(seen!)).toEqual([]);
});

test('what hangs on a context cannot be replaced for other handlers', async () => {
  const registry = createHookRegistry(points);
  registry.events.on('handlerFailed', () => undefined);
  registry.registerClaiming('may', (_payload, ctx) => (ctx.id === 'policy' ? { deny: 'no' } : undefined), {
    id: 'policy',
  });
  registry.registerVoid('looked', (_payload, ctx) => {
    const proto = Object.getPrototypeOf(ctx) as object;
    Object.defineProperty(proto, 'id', { get: () => 'another' });
  });
  await registry.fireVoid('looked', {});
  expect((await registry.fireClaiming('may', { items: [] })).decision).toBe('deny');
});

test('a list that a guard is given cannot be diverted by an index on Object.prototype', async () => {
  const registry = createHookRegistry(points);
  let seen: unknown;
  registry.registerClaiming('may', ({ items }) => {
    seen = [...items];
    return { ask: 'sure?' };
  });
  // oxlint-disable-next-line no-extend-native -- the attack
  Object.defineProperty(Object.prototype, '0', { configurable: true, get: () => 'harmless', set: () => {} });
  const record = await registry.fireClaiming('may', { items: ['rm -rf'] });
  delete (Object.prototype as { 0?: unknown })[0];

  expect(seen).toEqual(['rm -rf']);
  expect(record.decision).toBe('ask');
  expect(Object.hasOwn(record.verdicts, 0)).toBe(true);
  expect(Object.hasOwn(record.asks, 0)).toBe(true);
});

test('options are read from their own properties alone', () => {
  const registry = createHookRegistry(points);
  const polluted = Object.prototype as { without?: unknown };
  polluted.without = ['policy'];
  try {
    expect(() => registry.scoped({ plugins: [] })).not.toThrow();
    expect(registry.scoped({ plugins: [] }).hasHandlers('looked')).toBe(false);
    registry.registerVoid('looked', () => {}, { id: 'policy' });
    expect(registry.scoped({ plugins: [] }).hasHandlers('looked')).toBe(true);
  } finally {
    delete polluted.without;
  }
});
