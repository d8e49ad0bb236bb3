/** A set of handlers is gathered out of sight, for however long, and takes its place in one step. */
import { describe, expect, test } from 'vitest';
import { fire, register, registryOf } from '../support/points.js';
import { caught } from '../support/refusal.js';

const idsOf = (registry: any, name = 'seen'): string[] => registry.plan(name, 'all').map((row: any) => row.id);

describe('a staged set', () => {
  test('is in no plan until it is committed, and then all of it is', async () => {
    const registry = registryOf();
    const calls: string[] = [];
    const staged = registry.stage('acme');
    register(staged.registrar, 'seen', () => void calls.push('a'), { id: 'a' });
    await Promise.resolve();
    register(staged.registrar, 'shape', () => undefined, { id: 'b' });
    expect(idsOf(registry)).toEqual([]);
    await fire(registry, 'seen', undefined, 'all');
    expect(calls).toEqual([]);
    staged.commit();
    expect([idsOf(registry), idsOf(registry, 'shape')]).toEqual([['acme/a'], ['acme/b']]);
    await fire(registry, 'seen', undefined, 'all');
    expect(calls).toEqual(['a']);
  });

  test('refuses at its call what the registry would refuse', async () => {
    const registrar: any = registryOf().stage('acme').registrar;
    expect(await caught(() => registrar.registerVoid('sene', () => {}))).toMatchObject({ code: 'TH_UNKNOWN_HOOK' });
    expect(await caught(() => registrar.registerVoid('shape', () => {}))).toMatchObject({ code: 'TH_WRONG_MODEL' });
    expect(await caught(() => registrar.registerVoid('seen', () => {}, { pluginId: 'other' }))).toMatchObject({
      code: 'TH_OPTION_INVALID',
    });
    register(registrar, 'seen', () => {}, { id: 'a' });
    expect(await caught(() => register(registrar, 'seen', () => {}, { id: 'a' }))).toMatchObject({
      code: 'TH_ID_TAKEN',
    });
  });

  test('that is discarded leaves the old set, and its registrar is dead', async () => {
    const registry = registryOf();
    register(registry.forPlugin('acme'), 'seen', () => {}, { id: 'old' });
    const staged = registry.stage('acme');
    register(staged.registrar, 'seen', () => {}, { id: 'new' });
    staged.discard();
    staged.discard();
    expect(idsOf(registry)).toEqual(['acme/old']);
    expect(await caught(() => register(staged.registrar, 'seen', () => {}))).toMatchObject({ code: 'TH_DISPOSED' });
    expect(await caught(() => staged.commit())).toMatchObject({ code: 'TH_DISPOSED' });
  });

  test('that is committed kills the old registrar, keeps the seat, and its own registrar lives on', async () => {
    const registry = registryOf();
    const old = registry.forPlugin('acme');
    register(old, 'seen', () => {}, { id: 'old' });
    register(registry.forPlugin('zeta'), 'seen', () => {}, { id: 'z' });
    const { registrar, commit } = registry.stage('acme');
    register(registrar, 'seen', () => {}, { id: 'new' });
    commit();
    expect(idsOf(registry)).toEqual(['acme/new', 'zeta/z']);
    expect(await caught(() => register(old, 'seen', () => {}))).toMatchObject({ code: 'TH_DISPOSED' });
    register(registrar, 'seen', () => {}, { id: 'later' });
    expect(idsOf(registry)).toEqual(['acme/new', 'acme/later', 'zeta/z']);
    expect(await caught(commit)).toMatchObject({ code: 'TH_DISPOSED' });
  });

  test('whose plugin was unregistered meanwhile cannot come back', async () => {
    const registry = registryOf();
    const staged = registry.stage('acme');
    register(staged.registrar, 'seen', () => {}, { id: 'a' });
    registry.unregisterPlugin('acme');
    expect(await caught(() => staged.commit())).toMatchObject({ code: 'TH_DISPOSED' });
    expect(idsOf(registry)).toEqual([]);
  });

  test('of two the one that is committed last stands', async () => {
    const registry = registryOf();
    const [one, two] = [registry.stage('acme'), registry.stage('acme')];
    register(one.registrar, 'seen', () => {}, { id: 'one' });
    register(two.registrar, 'seen', () => {}, { id: 'two' });
    two.commit();
    one.commit();
    expect(idsOf(registry)).toEqual(['acme/one']);
    expect(await caught(() => register(two.registrar, 'seen', () => {}))).toMatchObject({ code: 'TH_DISPOSED' });
  });

  test('that would break the order changes nothing', async () => {
    const registry = registryOf();
    register(registry.forPlugin('acme'), 'seen', () => {}, { id: 'old' });
    register(registry.forPlugin('zeta'), 'seen', () => {}, { id: 'z', before: ['acme/new'] });
    registry.verify();
    const staged = registry.stage('acme');
    register(staged.registrar, 'seen', () => {}, { id: 'new', before: ['zeta/z'] });
    expect(await caught(() => staged.commit())).toMatchObject({ code: 'TH_ORDER_CYCLE' });
    expect(idsOf(registry)).toEqual(['acme/old', 'zeta/z']);
  });

  test('of an id that is the host’s is refused', async () => {
    const registry = registryOf();
    register(registry, 'seen', () => {}, { id: 'mine' });
    expect(await caught(() => registry.stage('mine'))).toMatchObject({ code: 'TH_ID_TAKEN' });
    expect(await caught(() => registry.stage('host'))).toMatchObject({ code: 'TH_OPTION_INVALID' });
  });
});
