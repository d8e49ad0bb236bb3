/** What `onError: 'abort'` makes of a fault, and what is no fault. */
import { describe, expect, test } from 'vitest';
import { fire, hearFaults, letter, register, registryOf } from '../support/points.js';
import { fakeClock, settle } from '../support/clock.js';
import { caught } from '../support/refusal.js';

const both = ['fill', 'shape'] as const;
const add = (registrar: any, name: 'fill' | 'shape', id: string, answer: unknown, options: object = {}): (() => void) =>
  register(registrar, name, typeof answer === 'function' ? answer : () => answer, { id, ...options });
fakeClock();

test('a host key is refused to a plugin alone, and the rest of its amendment stands', async () => {
  const registry = registryOf();
  const told = hearFaults(registry);
  add(registry.forPlugin('acme'), 'fill', 'a', { own: 'plugin', note: 'n' });
  add(registry, 'fill', 'h', { own: 'host' });
  expect(await fire(registry, 'fill', letter, 'all')).toEqual({ own: 'host', note: 'n' });
  expect(told).toEqual(['acme/a TH_HOST_KEY own']);
});

describe.each(both)('onError: abort on %s', (name) => {
  test.each<readonly [string, unknown, string]>([
    ['throws', () => Promise.reject(new Error('boom')), 'TH_HANDLER_FAILED'],
    ['answers nonsense', { unknown: 1 }, 'TH_RESULT_INVALID'],
    ['does not answer', () => new Promise(() => undefined), 'TH_HANDLER_TIMEOUT'],
  ])('a handler that %s rejects the fire with hook, owner and id', async (_, answer, code) => {
    const registry = registryOf();
    hearFaults(registry);
    const calls: string[] = [];
    add(registry, name, 'before', { text: 'a' });
    add(registry.forPlugin('acme'), name, 'gate', answer, { onError: 'abort', timeoutMs: 50 });
    add(registry.forPlugin('acme'), name, 'after', () => void calls.push('after'));
    const thrown = await caught(() => settle(fire(registry, name, letter, 'all')));
    expect(thrown).toMatchObject({ code, hook: name, owner: 'acme', handlerId: 'acme/gate' });
    expect(calls).toEqual([]);
    // one object goes to every listener and to the caller
    expect(Object.isFrozen(thrown)).toBe(true);
    if (code === 'TH_HANDLER_FAILED') expect(thrown).toHaveProperty('cause.message', 'boom');
  });

  test('a refused key is no fault of the gate', async () => {
    const registry = registryOf({ order: { shape: ['lock?', '*'] }, locks: { shape: { lock: ['text'] } } });
    hearFaults(registry);
    add(registry, name, 'lock', { text: 'a' });
    add(registry, name, 'gate', { text: 'b' }, { onError: 'abort' });
    expect(await fire(registry, name)).toEqual({ text: 'a' });
  });
});
