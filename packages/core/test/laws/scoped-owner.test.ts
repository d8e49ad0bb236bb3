/** A caller with an owner fires what that plugin owns, and nothing else. */
import { defineHooks, modifyingHook, voidHook } from '@treblehook/types';
import { expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { caught } from '../support/refusal.js';

const catalogue = defineHooks({
  acmeTold: voidHook<{ n: number }>({ summary: 'told', owner: 'acme' }),
  zetaShaped: modifyingHook<{ n: number }, { n: number }>({
    summary: 'shaped',
    discipline: 'merge',
    keys: { n: 'number' },
    owner: 'zeta',
  }),
  free: voidHook<{ n: number }>({ summary: 'of the host' }),
});

test('fires its own points under its lists, and refuses those of others', async () => {
  const registry = createHookRegistry(catalogue);
  const heard: string[] = [];
  for (const pluginId of ['acme', 'zeta']) {
    registry.registerVoid('acmeTold', ({ n }) => void heard.push(`${pluginId} ${n}`), { pluginId, id: 'h' });
  }
  const caller = registry.scoped({ plugins: ['zeta'], owner: 'acme' });
  await caller.fireVoid('acmeTold', { n: 1 });
  expect(heard).toEqual(['zeta 1']);
  expect(caller.hasHandlers('acmeTold')).toBe(true);
  for (const name of ['zetaShaped', 'free'] as const) {
    await expect((caller as any).fireVoid(name, { n: 1 })).rejects.toMatchObject({ code: 'TH_NOT_YOURS' });
    expect(await caught(() => caller.hasHandlers(name))).toMatchObject({ code: 'TH_NOT_YOURS' });
  }
  await expect((caller as any).fireVoid('acmeTolled', {})).rejects.toMatchObject({ code: 'TH_UNKNOWN_HOOK' });
});

test('the owner is the id of a plugin, and an inherited one is nobody', async () => {
  const registry = createHookRegistry(catalogue);
  for (const owner of ['', 'host', 7] as any[]) {
    expect(await caught(() => registry.scoped({ owner }))).toMatchObject({ code: 'TH_OPTION_INVALID' });
  }
  const inherited = Object.create({ owner: 'acme' }) as object;
  await registry.scoped(inherited).fireVoid('free', { n: 1 });
});
