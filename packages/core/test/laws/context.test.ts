/** What a handler is given beside its payload, above all `ctx.fire`. */
import { claimingHook, defineHooks, modifyingHook, voidHook } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { fire, hear, hearFaults, names, register, registryOf } from '../support/points.js';
import { caught } from '../support/refusal.js';

const byText = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : 1);

const hooks = defineHooks({
  outer: voidHook<object>({ summary: 'Outer.' }),
  gate: claimingHook<object>({ discipline: 'guard', summary: 'Gate.' }),
  tickets: voidHook<{ readonly id: number }>({ summary: 'Tickets.', owner: 'acme', fields: { id: 'number' } }),
  title: modifyingHook<{ readonly title: string }, { title: string }>({
    discipline: 'pipeline',
    summary: 'Title.',
    keys: { title: 'string' },
    owner: 'acme',
  }),
  compacted: voidHook<object>({ summary: 'Compacted.', firedBy: 'compaction' }),
  open: voidHook<object>({ summary: 'Open.' }),
});
const made = () => {
  const registry = createHookRegistry(hooks);
  return { registry, told: hear(registry, 'handlerFailed') };
};
const all = { plugins: 'all' } as const;

describe.each(names)('the ctx of %s', (name) => {
  test('says who the handler is, and nothing can be written to it', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    const look = (_: unknown, ctx: any): void => {
      seen.push([ctx.hook, ctx.id, ctx.owner, ctx.merged !== undefined, ctx.callModel]);
      expect(() => (ctx.owner = 'host')).toThrow(TypeError);
      expect(() => (ctx.signal = undefined)).toThrow(TypeError);
    };
    register(registry.forPlugin('acme'), name, look, { id: 'a' });
    register(registry, name, look, { id: 'h' });
    const told = hearFaults(registry);
    await fire(registry, name, undefined, 'all');
    expect(told).toEqual([]);
    expect(seen.toSorted(byText)).toEqual([
      [name, 'acme/a', 'acme', name === 'fill', undefined],
      [name, 'h', 'host', name === 'fill', undefined],
    ]);
  });

  test('carries the callModel of the caller, which learns whose calls led to it', async () => {
    const registry = registryOf();
    const calls: unknown[] = [];
    const callModel = async (request: unknown, purpose: string, inHand: readonly string[]): Promise<string> => {
      calls.push([request, purpose, inHand]);
      return 'answer';
    };
    register(
      registry.forPlugin('acme'),
      name,
      async (_: unknown, ctx: any) => void calls.push(await ctx.callModel({ q: 1 }, 'summary')),
      { id: 'a' },
    );
    hearFaults(registry);
    await fire(registry.scoped({ ...all, callModel }), name);
    expect(calls).toEqual([[{ q: 1 }, 'summary', ['acme/a']], 'answer']);
    await fire(registry.scoped(all), name);
    expect(calls.length).toBe(2);
  });
});

describe('ctx.fire', () => {
  test("fires the points of the handler's own plugin, and firedBy points of a host handler", async () => {
    const { registry, told } = made();
    const seen: unknown[] = [];
    registry.registerVoid('tickets', (ticket, ctx) => void seen.push([ctx.id, ticket.id]), { id: 'log' });
    registry.registerVoid('compacted', (_, ctx) => void seen.push(ctx.id), { id: 'log' });
    registry.registerModifying('title', ({ title }) => ({ title: `${title}!` }), { id: 'mark' });
    registry.registerVoid('outer', (_, ctx) => ctx.fire.fireVoid('compacted', {}), { id: 'compaction' });
    registry.registerVoid(
      'outer',
      async (_, ctx) => {
        await ctx.fire.fireVoid('tickets', { id: 7 });
        seen.push((await ctx.fire.fireModifying('title', { title: 'a' }))?.title);
      },
      { pluginId: 'acme' },
    );
    await registry.fireVoid('outer', {}, 'all');
    expect(told).toEqual([]);
    expect(seen).toEqual(expect.arrayContaining(['log', ['log', 7], 'a!']));
  });

  test('any other point is not yours', async () => {
    const { registry } = made();
    const codes: unknown[] = [];
    const attempt =
      (point: any) =>
      async (_: unknown, ctx: any): Promise<void> => {
        codes.push([
          ctx.id.replace(/~\d+/, '~'),
          point,
          (await caught(() => ctx.fire.fireVoid(point, { id: 1 })))?.code,
        ]);
      };
    registry.registerVoid('outer', attempt('tickets'), { id: 'compaction' });
    registry.registerVoid('outer', attempt('compacted'), { id: 'other' });
    registry.registerVoid('outer', attempt('compacted'), { pluginId: 'acme', id: 'compaction' });
    registry.registerVoid('outer', attempt('tickets'), { pluginId: 'zeta' });
    registry.registerVoid('outer', attempt('open'), { pluginId: 'acme' });
    registry.registerVoid('outer', attempt('nowhere'), { pluginId: 'acme', id: 'lost' });
    await registry.fireVoid('outer', {}, 'all');
    expect(codes.toSorted(byText)).toEqual([
      ['acme/compaction', 'compacted', 'TH_NOT_YOURS'],
      ['acme/lost', 'nowhere', 'TH_UNKNOWN_HOOK'],
      ['acme/~', 'open', 'TH_NOT_YOURS'],
      ['compaction', 'tickets', 'TH_NOT_YOURS'],
      ['other', 'compacted', 'TH_NOT_YOURS'],
      ['zeta/~', 'tickets', 'TH_NOT_YOURS'],
    ]);
  });

  test('the wrong model and a bad payload are refused in it as elsewhere', async () => {
    const { registry } = made();
    const codes: unknown[] = [];
    registry.registerVoid('tickets', () => undefined);
    registry.registerVoid(
      'outer',
      async (_, ctx: any) => {
        codes.push((await caught(() => ctx.fire.fireVoid('title', {}))).code);
        codes.push((await caught(() => ctx.fire.fireVoid('tickets', {}))).code);
      },
      { pluginId: 'acme' },
    );
    await registry.fireVoid('outer', {}, 'all');
    expect(codes).toEqual(['TH_WRONG_MODEL', 'TH_PAYLOAD_INVALID']);
  });

  test('it runs under the lists of the fire in hand: nobody widens them from inside', async () => {
    const { registry } = made();
    const seen: string[] = [];
    for (const pluginId of ['acme', 'zeta'])
      registry.registerVoid('tickets', (_, ctx) => void seen.push(ctx.owner), { pluginId });
    registry.registerVoid('tickets', () => void seen.push('left out'), { id: 'h' });
    registry.registerVoid('outer', (_, ctx) => ctx.fire.fireVoid('tickets', { id: 1 }), { pluginId: 'acme' });
    await registry.scoped({ plugins: ['acme'], without: ['h'] }).fireVoid('outer', {});
    expect(seen).toEqual(['acme']);
  });

  test('it carries the signal of the fire in hand, and its callModel', async () => {
    const { registry, told } = made();
    const controller = new AbortController();
    const seen: unknown[] = [];
    const callModel = async (_: unknown, purpose: string, inHand: readonly string[]): Promise<void> =>
      void seen.push([purpose, inHand]);
    registry.registerModifying('title', async (_, ctx) => void (await ctx.callModel!({}, 'inner')), { id: 'inner' });
    registry.registerVoid(
      'outer',
      async (_, ctx) => {
        await ctx.fire.fireModifying('title', { title: 'a' });
        controller.abort();
        seen.push((await caught(() => ctx.fire.fireModifying('title', { title: 'a' }))).code);
      },
      { pluginId: 'acme', id: 'outer' },
    );
    await registry.scoped({ ...all, signal: controller.signal, callModel }).fireVoid('outer', {});
    await Promise.resolve();
    expect([seen, told]).toEqual([[['inner', ['inner', 'acme/outer']], 'TH_ABORTED'], []]);
  });

  test('only during the call: afterwards it is disposed of, whoever kept it', async () => {
    const { registry } = made();
    const kept: any[] = [];
    const keep = (_: unknown, ctx: any): void => void kept.push(ctx, ctx.fire);
    registry.registerVoid('outer', keep, { id: 'compaction' });
    registry.registerClaiming('gate', keep, { id: 'compaction' });
    registry.registerVoid('outer', async (_, ctx) => keep(_, ctx), { pluginId: 'acme' });
    await registry.fireVoid('outer', {}, 'all');
    await registry.fireClaiming('gate', {}, 'all');
    expect(kept.length).toBe(6);
    for (const [i, one] of kept.entries()) {
      const stale = i % 2 === 0 ? () => one.fire.fireVoid('compacted', {}) : () => one.fireVoid('compacted', {});
      await expect(stale).toRefuse('TH_DISPOSED');
      await expect(i % 2 === 0 ? () => one.fire.hasHandlers('compacted') : () => one.hasHandlers('compacted')).toRefuse(
        'TH_DISPOSED',
      );
    }
  });

  // https://github.com/openclaw/openclaw/issues/66058
  test('a point already in the chain is re-entrant, however long the chain', async () => {
    const ring = defineHooks({
      a: voidHook<object>({ summary: 'A.', owner: 'acme' }),
      b: voidHook<object>({ summary: 'B.', owner: 'acme' }),
      c: voidHook<object>({ summary: 'C.', owner: 'acme' }),
    });
    const registry = createHookRegistry(ring);
    const codes: unknown[] = [];
    const next = { a: 'b', b: 'c', c: 'a' } as const;
    for (const name of ['a', 'b', 'c'] as const) {
      registry.registerVoid(
        name,
        async (_, ctx) => {
          const error = await caught(() => ctx.fire.fireVoid(next[name], {}));
          codes.push([name, error?.code, error?.message]);
          codes.push([name, (await caught(() => ctx.fire.fireVoid(name, {})))?.code]);
        },
        { pluginId: 'acme' },
      );
    }
    await registry.fireVoid('a', {}, 'all');
    expect(codes).toEqual([
      ['c', 'TH_REENTRANT', expect.stringMatching(/'a'.*a.*b.*c/)],
      ['c', 'TH_REENTRANT'],
      ['b', undefined, undefined],
      ['b', 'TH_REENTRANT'],
      ['a', undefined, undefined],
      ['a', 'TH_REENTRANT'],
    ]);
  });

  test('the chain travels in ctx alone: fires outside it are not seen', async () => {
    const { registry, told } = made();
    let depth = 0;
    registry.registerVoid('outer', async () => {
      if (depth++ < 3) await registry.fireVoid('outer', {});
    });
    await registry.fireVoid('outer', {});
    expect([depth, told]).toEqual([4, []]);
  });

  test('a fault inside is the fault of the handler inside, never of the one that fired', async () => {
    const { registry, told } = made();
    registry.registerVoid(
      'tickets',
      () => {
        throw new Error('inner');
      },
      { id: 'inner' },
    );
    registry.registerVoid('outer', (_, ctx) => ctx.fire.fireVoid('tickets', { id: 1 }), {
      pluginId: 'acme',
      id: 'outer',
    });
    await registry.fireVoid('outer', {}, 'all');
    expect(told.map(({ hook, by }) => [hook, by.id])).toEqual([['tickets', 'inner']]);
  });

  test('hasHandlers and generation of a caller in hand answer for its own points', async () => {
    const { registry, told } = made();
    const seen: unknown[] = [];
    registry.registerVoid('tickets', () => undefined, { pluginId: 'zeta' });
    registry.registerVoid('outer', (_, ctx) => void seen.push(ctx.fire.hasHandlers('tickets')), { pluginId: 'acme' });
    await registry.scoped({ plugins: ['acme'] }).fireVoid('outer', {});
    await registry.scoped(all).fireVoid('outer', {});
    expect([seen, told]).toEqual([[false, true], []]);
  });
});
