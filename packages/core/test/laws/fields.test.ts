/** The declared fields of a payload: looked at on every fire that somebody gets. */
import { defineHooks, voidHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, names, register, registryOf } from '../support/points.js';

describe('fields of a payload', () => {
  const hooks = defineHooks({
    told: voidHook<any>({ summary: 'Told.', fields: { id: 'number', name: 'string?', tags: 'array' } as any }),
  });
  const bad = [
    {},
    { id: 1 },
    { id: '1', tags: [] },
    { id: 1, tags: {} },
    { id: 1, tags: [], name: 5 },
    { id: null, tags: [] },
  ];

  // https://github.com/openclaw/openclaw/pull/40781
  test('a payload without a required field, or with one of another kind, is refused before anybody runs', async () => {
    const registry = createHookRegistry(hooks);
    let calls = 0;
    registry.registerVoid('told', () => void calls++);
    for (const payload of bad) {
      await expect(() => registry.fireVoid('told', payload)).toRefuse('TH_PAYLOAD_INVALID', "'told'");
    }
    expect(calls).toBe(0);
    for (const payload of [
      { id: 1, tags: [] },
      { id: 0, tags: [], name: null },
      { id: 1, tags: [], name: '', more: 1 },
    ]) {
      await registry.fireVoid('told', payload);
    }
    expect(calls).toBe(3);
  });

  test('an empty plan neither walks nor checks the payload, whoever listens', async () => {
    const registry = createHookRegistry(hooks);
    for (const payload of bad) expect(await registry.fireVoid('told', payload)).toBeUndefined();
    registry.events.on('fired', () => undefined);
    for (const payload of bad) expect(await registry.fireVoid('told', payload)).toBeUndefined();
  });

  test('a payload that is no object is refused', async () => {
    for (const name of names) {
      const registry = registryOf();
      register(registry, name, () => undefined);
      for (const payload of [null, 5, 'text', true]) {
        await expect(() => fire(registry, name, payload)).toRefuse('TH_PAYLOAD_INVALID', name);
      }
    }
  });

  test('a field that is called like a member of Object.prototype is asked of the payload alone', async () => {
    const odd = defineHooks({
      told: voidHook<any>({ summary: 'Told.', fields: { toString: 'any', constructor: 'any?' } as any }),
    });
    const registry = createHookRegistry(odd);
    registry.registerVoid('told', () => undefined);
    await expect(() => registry.fireVoid('told', {})).toRefuse('TH_PAYLOAD_INVALID', "'toString' is missing");
    expect(await registry.fireVoid('told', { toString: 'mine' })).toBeUndefined();
  });
});
