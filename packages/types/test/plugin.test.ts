/** A plugin is its values: settings and own points are known from them, and nobody else's name is in them. */
import { expect, test } from 'vitest';
import { definePlugin, defineHooks, voidHook, type StandardSchema } from '../src/index.js';

const points = defineHooks({ ticketOpened: voidHook<{ id: number }>({ summary: 'a ticket was opened' }) });
const config: StandardSchema<any, { limit: number }> = {
  '~standard': { version: 1, vendor: 'hand', validate: (value) => ({ value: value as { limit: number } }) },
};
const setup = (): void => {};

test('its own points get it as their owner, and the points given stay as they were', () => {
  const plugin = definePlugin({ id: 'acme', hooks: points, config, setup });
  expect(plugin.hooks!['ticketOpened']).toMatchObject({ owner: 'acme', model: 'void' });
  expect(points.ticketOpened.owner).toBeUndefined();
  expect(plugin).toMatchObject({ id: 'acme', config, setup });
  expect([Object.isFrozen(plugin), Object.isFrozen(plugin.hooks)]).toEqual([true, true]);
});

test('without points and settings it has none', () => {
  expect(definePlugin({ id: 'bare', setup })).toEqual({ id: 'bare', hooks: {}, config: undefined, setup });
});

test.each([
  ['an owner that is another plugin', { hooks: { p: voidHook({ summary: '', owner: 'other' }) } }, 'TH_POINT_INVALID'],
  ['a point that the host fires', { hooks: { p: voidHook({ summary: '', firedBy: 'loop' }) } }, 'TH_POINT_INVALID'],
  ['what is no point', { hooks: { p: {} } }, 'TH_POINT_INVALID'],
  ['a misspelt key', { setpu: setup }, "'setpu' is no key of a plugin: did you mean 'setup'?"],
])('%s is refused', (_, part: any, fault) => {
  expect(() => definePlugin({ id: 'acme', setup, ...part })).toThrow(
    fault.startsWith('TH_') ? expect.objectContaining({ code: fault }) : fault,
  );
});

test('what hangs on Object.prototype is no part of it', () => {
  (Object.prototype as any).hooks = points;
  try {
    expect(definePlugin({ id: 'bare', setup }).hooks).toEqual({});
  } finally {
    delete (Object.prototype as any).hooks;
  }
});
