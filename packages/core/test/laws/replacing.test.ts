/** A fire runs the plan it began with, and an owner's handlers are replaced in one step. */
import { describe, expect, test } from 'vitest';
import { deferred, fire, hear, names, register, registryOf, type Name } from '../support/points.js';
import { caught } from '../support/refusal.js';

const idsOf = (registry: any, name: Name): string[] => registry.plan(name, 'all').map((row: any) => row.id);
const others = ['seen', 'fill', 'shape', 'pick'] as const;

describe('a fire runs the plan it began with', () => {
  test.each(names)('a handler of %s that is added meanwhile joins the next fire', async (name) => {
    const calls: string[] = [];
    const registry = registryOf();
    register(
      registry,
      name,
      (_: unknown, ctx: any) => {
        calls.push('first');
        if (calls.length === 1)
          register(registry, name, () => void calls.push('added'), { before: [ctx.id], id: 'added' });
      },
      { id: 'first' },
    );
    await fire(registry, name);
    expect(calls).toEqual(['first']);
    await fire(registry, name);
    expect(calls).toEqual(['first', 'added', 'first']);
  });

  test.each(others)('a handler of %s that is removed before it has started is skipped', async (name) => {
    const calls: string[] = [];
    const registry = registryOf();
    register(registry, name, () => (calls.push('a'), off(), undefined));
    const off = register(registry, name, () => void calls.push('removed'));
    register(registry, name, () => void calls.push('c'));
    await fire(registry, name);
    expect(calls).toEqual(['a', 'c']);
  });

  test.each(['unregister', 'unregisterPlugin'])(
    'on a guard point the whole plan is asked, whatever %s took away',
    async (how) => {
      const registry = registryOf();
      register(registry, 'may', () => (how === 'unregister' ? off() : registry.unregisterPlugin('acme')));
      const off = register(registry, 'may', () => ({ deny: 'no' }), { pluginId: 'acme', id: 'g' });
      const record = await fire(registry, 'may', undefined, 'all');
      expect(record).toMatchObject({ decision: 'deny', by: { id: 'acme/g' } });
      expect(await fire(registry, 'may', undefined, 'all')).toMatchObject({ decision: 'clear', verdicts: [{}] });
    },
  );

  test.each(names)('a handler of %s that removes itself skips nobody', async (name) => {
    const calls: string[] = [];
    const registry = registryOf();
    for (const id of ['a', 'b', 'c']) {
      const off = register(registry, name, () => (calls.push(id), off(), undefined), { id });
    }
    await fire(registry, name);
    await fire(registry, name);
    expect(calls).toEqual(['a', 'b', 'c']);
  });

  test.each(names)('a handler of %s that is removed while it runs ends its call', async (name) => {
    const gate = deferred<unknown>();
    const registry = registryOf();
    const off = register(registry, name, () => gate.promise);
    const running = fire(registry, name);
    off();
    gate.resolve(name === 'may' ? { deny: 'late' } : name === 'pick' ? { handled: true, name: 'x' } : { text: 'late' });
    const wanted = {
      seen: undefined,
      fill: { text: 'late' },
      shape: { text: 'late' },
      pick: { handled: true, name: 'x' },
      may: { decision: 'deny' },
    };
    const found = await running;
    if (name === 'seen') expect(found).toBeUndefined();
    else expect(found).toMatchObject(wanted[name]);
  });
});

describe('replacing', () => {
  const set = (registrar: any, name: Name, calls: string[], ...ids: string[]): void => {
    for (const id of ids) register(registrar, name, () => void calls.push(id), { id });
  };

  test.each(names)('a fire of %s sees the old set or the new, never neither and never both', async (name) => {
    const calls: string[] = [];
    const registry = registryOf();
    register(registry, name, () => {
      calls.push('first');
      if (calls.length === 1) registry.replace('acme', (r) => set(r, name, calls, 'new', 'more'));
    });
    set(registry.forPlugin('acme'), name, calls, 'old', 'older');
    await fire(registry, name, undefined, 'all');
    expect(calls).toEqual(['first', 'old', 'older']);
    await fire(registry, name, undefined, 'all');
    expect(calls.slice(3)).toEqual(['first', 'new', 'more']);
  });

  test('the registrar is fresh and the old one dead; the seat in the order is kept', async () => {
    const calls: string[] = [];
    const registry = registryOf();
    const old = registry.forPlugin('acme');
    set(old, 'seen', calls, 'a');
    set(registry.forPlugin('zeta'), 'seen', calls, 'z');
    let fresh: any;
    registry.replace('acme', (r) => {
      fresh = r;
      set(r, 'seen', calls, 'b');
    });
    expect(idsOf(registry, 'seen')).toEqual(['acme/b', 'zeta/z']);
    await expect(() => old.registerVoid('seen', () => undefined)).toRefuse('TH_DISPOSED', 'acme');
    fresh.registerVoid('seen', () => undefined, { id: 'c' });
    expect(idsOf(registry, 'seen')).toEqual(['acme/b', 'acme/c', 'zeta/z']);
  });

  test('the new set may use the ids of the old, on every point', () => {
    const registry = registryOf();
    for (const round of [1, 2]) {
      registry.replace('acme', (r) => names.forEach((name) => register(r, name, () => undefined, { id: 'same' })));
      expect([round, ...names.map((name) => idsOf(registry, name).join())]).toEqual([
        round,
        ...names.map(() => 'acme/same'),
      ]);
    }
  });

  test('if `register` throws, the old set and its registrar stand, and the error comes out as it is', async () => {
    const calls: string[] = [];
    const registry = registryOf();
    const old = registry.forPlugin('acme');
    set(old, 'seen', calls, 'a');
    const broken = new Error('broken');
    let fresh: any;
    const thrown = await caught(() =>
      registry.replace('acme', (r) => {
        fresh = r;
        set(r, 'seen', calls, 'b');
        throw broken;
      }),
    );
    expect(thrown).toBe(broken);
    expect(idsOf(registry, 'seen')).toEqual(['acme/a']);
    old.registerVoid('seen', () => undefined, { id: 'c' });
    await expect(() => fresh.registerVoid('seen', () => undefined, { id: 'd' })).toRefuse('TH_DISPOSED', 'acme');
    expect(idsOf(registry, 'seen')).toEqual(['acme/a', 'acme/c']);
  });

  test('if the new set would break the order, the old set and its registrar stand', async () => {
    const registry = registryOf({ order: { seen: ['acme/a', '*'] } });
    const old = registry.forPlugin('acme');
    old.registerVoid('seen', () => undefined, { id: 'a' });
    registry.verify();
    await expect(() => registry.replace('acme', () => undefined)).toRefuse('TH_ORDER_UNKNOWN', 'acme/a');
    await expect(() =>
      registry.replace('acme', (r) => {
        r.registerVoid('seen', () => undefined, { id: 'a' });
        r.registerModifying('fill', () => undefined, { id: 'x', before: ['acme/y'] });
        r.registerModifying('fill', () => undefined, { id: 'y', before: ['acme/x'] });
      }),
    ).toRefuse('TH_ORDER_CYCLE', 'acme/x', 'acme/y');
    expect([idsOf(registry, 'seen'), idsOf(registry, 'fill')]).toEqual([['acme/a'], []]);
    old.registerVoid('seen', () => undefined, { id: 'b' });
    registry.verify();
  });

  test('a `register` that is not synchronous is refused, and the old set stands', async () => {
    const registry = registryOf();
    registry.forPlugin('acme').registerVoid('seen', () => undefined, { id: 'a' });
    const later = async (r: any): Promise<void> => {
      await Promise.resolve();
      r.registerVoid('seen', () => undefined, { id: 'b' });
    };
    await expect(() => registry.replace('acme', later as any)).toRefuse('TH_OPTION_INVALID', 'acme');
    await Promise.resolve();
    expect(idsOf(registry, 'seen')).toEqual(['acme/a']);
  });

  test('a `register` is as little synchronous when it gives a function that is a promise', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
    const later = (): unknown => Object.assign(() => undefined, { then: () => undefined });
    await expect(() => registryOf().replace('acme', later as any)).toRefuse('TH_OPTION_INVALID', 'acme');
  });

  test('a failed replacement tells nothing of handlers that never lived', async () => {
    const registry = registryOf();
    registry.forPlugin('acme').registerVoid('seen', () => undefined, { id: 'a' });
    const told = hear(registry, 'registered', 'unregistered');
    await caught(() =>
      registry.replace('acme', (r) => {
        r.registerVoid('seen', () => undefined, { id: 'b' });
        throw new Error('no');
      }),
    );
    expect(told).toEqual([]);
    registry.replace('acme', (r) => void r.registerVoid('seen', () => undefined, { id: 'b' }));
    expect(told.map(({ type, by }) => `${type} ${by.id}`).toSorted()).toEqual([
      'registered acme/b',
      'unregistered acme/a',
    ]);
  });

  test('a handler that was replaced cannot be brought back by its unregister', () => {
    const registry = registryOf();
    const off = registry.forPlugin('acme').registerVoid('seen', () => undefined, { id: 'a' });
    registry.replace('acme', (r) => void r.registerVoid('seen', () => undefined, { id: 'a' }));
    off();
    expect(idsOf(registry, 'seen')).toEqual(['acme/a']);
  });
});

test.each(['seen', 'fill', 'shape'] as const)(
  'two fires of %s at one time keep their own plans and payloads',
  async (name) => {
    const gates = [deferred(), deferred()];
    const seen: string[] = [];
    const registry = registryOf();
    let fires = 0;
    register(registry, name, (payload: any) => gates[fires++]!.promise.then(() => void seen.push(payload.text)), {
      id: 'a',
    });
    const off = register(registry, name, (payload: any) => void seen.push(`b ${payload.text}`), { id: 'b' });
    const running = [fire(registry, name, { text: 'one' })];
    if (name !== 'seen') off();
    running.push(fire(registry, name, { text: 'two' }));
    gates[1]!.resolve();
    gates[0]!.resolve();
    await Promise.all(running);
    expect(seen.toSorted()).toEqual(name === 'seen' ? ['b one', 'b two', 'one', 'two'] : ['one', 'two']);
  },
);
