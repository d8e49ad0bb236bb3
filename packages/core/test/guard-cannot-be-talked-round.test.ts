/** Every sequence of up to four guards, in every order, sync and async, disturbed and undisturbed: nobody says yes. */
import { claimingHook, defineHooks, HookError, type HookRegistry, type VerdictRecord } from '@treblehook/types';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '../src/index.js';
import { fakeClock, settle } from './support/clock.js';

const hooks = defineHooks({
  may: claimingHook<{ readonly tool: string; readonly args: { readonly path: string } }>({
    discipline: 'guard',
    summary: 'Before a thing is done.',
  }),
});
type Registry = HookRegistry<typeof hooks>;
const call = { tool: 'rm', args: { path: '/' } };

/** What a guard does, the verdict that follows, and its kind. */
const guards = {
  pass: ['pass', 'policy', () => undefined],
  deny: ['deny', 'policy', () => ({ deny: 'no' })],
  ask: ['ask', 'policy', () => ({ ask: 'sure?' })],
  throw: [
    'deny',
    'error',
    () => {
      throw new Error('broken');
    },
  ],
  hang: ['deny', 'timeout', () => new Promise(() => undefined)],
  garbage: ['deny', 'invalid', () => ({ allow: true })],
  mutate: ['deny', 'error', (payload: any) => (payload.args.path = '/tmp')],
  claim: ['deny', 'invalid', () => ({ handled: true, decision: 'allow' })],
  empty: ['deny', 'policy', () => ({ deny: '' })],
} as const;
type Kind = keyof typeof guards;
const kinds = Object.keys(guards) as Kind[];
const sequences = (length: number): Kind[][] =>
  length === 0 ? [[]] : sequences(length - 1).flatMap((head) => kinds.map((kind) => [...head, kind]));

type Act = (i: number) => void;
const handlerOf = (kind: Kind, mode: 'sync' | 'async', act: () => void): any =>
  mode === 'sync'
    ? (payload: unknown) => {
        act();
        return guards[kind][2](payload);
      }
    : async (payload: unknown) => {
        await Promise.resolve();
        act();
        return guards[kind][2](payload);
      };
const seat = (i: number): { readonly id: string; readonly pluginId?: string; readonly timeoutMs: number } =>
  i % 2 === 0 ? { id: `g${i}`, timeoutMs: 20 } : { id: `g${i}`, pluginId: 'acme', timeoutMs: 20 };
const order = ['g0?', 'acme/g1?', 'g2?', 'acme/g3?', '*'];

function registryOf(sequence: readonly Kind[], mode: 'sync' | 'async', act: Act = () => undefined) {
  const registry: Registry = createHookRegistry(hooks, { order: { may: order } });
  for (const type of ['handlerFailed', 'handlerTimedOut', 'denied'] as const) registry.events.on(type, () => undefined);
  const offs = sequence.map((kind, i) =>
    registry.registerClaiming(
      'may',
      handlerOf(kind, mode, () => act(i)),
      seat(i),
    ),
  );
  return { registry, offs };
}
const verdictsOf = (sequence: readonly Kind[]): string[] => {
  const denier = sequence.findIndex((kind) => guards[kind][0] === 'deny');
  return sequence.slice(0, denier < 0 ? undefined : denier + 1).map((kind) => `${guards[kind][0]} ${guards[kind][1]}`);
};
const decisionOf = (sequence: readonly Kind[]): string =>
  sequence.some((kind) => guards[kind][0] === 'deny') ? 'deny' : sequence.includes('ask') ? 'ask' : 'clear';

function assertRecord(record: VerdictRecord, sequence: readonly Kind[]): void {
  const decision = decisionOf(sequence);
  const said = verdictsOf(sequence);
  const last = record.verdicts.at(-1);
  expect({
    decision: record.decision,
    handled: record.handled,
    verdicts: record.verdicts.map((v) => `${v.verdict} ${v.kind}`),
    by: record.verdicts.map((v) => v.by.id),
    asks: record.asks.length,
    denier: record.by?.id,
    reason: typeof record.reason,
    frozen: [record, record.verdicts, record.asks, ...record.verdicts].every((part) => Object.isFrozen(part)),
  }).toEqual({
    decision,
    handled: decision !== 'clear',
    verdicts: said,
    by: said.map((_, i) => (i % 2 === 0 ? `g${i}` : `acme/g${i}`)),
    asks: said.filter((v) => v.startsWith('ask')).length,
    denier: decision === 'deny' ? last!.by.id : undefined,
    reason: decision === 'deny' ? 'string' : 'undefined',
    frozen: true,
  });
}

fakeClock();

describe.each(['sync', 'async'] as const)('%s guards', (mode) => {
  test.each([1, 2, 3, 4])('any denial or fault among %i guards denies, in every order', async (length) => {
    const bySet = new Map<string, string>();
    for (const sequence of sequences(length)) {
      const { registry } = registryOf(sequence, mode);
      const record = await settle(registry.fireClaiming('may', call, 'all'));
      assertRecord(record, sequence);
      const set = sequence.toSorted().join();
      expect(record.decision, `of ${set}`).toBe(bySet.get(set) ?? record.decision);
      bySet.set(set, record.decision);
      expect(call.args.path).toBe('/');
    }
    expect(bySet.size).toBe([9, 45, 165, 495][length - 1]);
  });
});

test('no guard at all is clear with no verdict, and three passes are clear with three', async () => {
  const { registry } = registryOf([], 'sync');
  const none = await registry.fireClaiming('may', call, 'all');
  expect(none).toMatchObject({ handled: false, decision: 'clear', asks: [], verdicts: [] });
  expect([none, none.verdicts, none.asks].every((part) => Object.isFrozen(part))).toBe(true);
  const three = registryOf(['pass', 'pass', 'pass'], 'sync').registry;
  expect((await three.fireClaiming('may', call, 'all')).verdicts.length).toBe(3);
});

/** A denial that is in before the disturber is asked stands; what is asked later is disturbed. */
const reached = (sequence: readonly Kind[], i: number): boolean =>
  !sequence.slice(0, i).some((kind) => guards[kind][0] === 'deny');

describe.each(['sync', 'async'] as const)('%s guards, disturbed', (mode) => {
  const disturbed = [1, 2, 3].flatMap(sequences).flatMap((sequence) => sequence.map((_, i) => ({ sequence, i })));

  test('an abort in the middle rejects: it never gives a record, let alone a clear one', async () => {
    for (const { sequence, i } of disturbed) {
      const controller = new AbortController();
      const { registry } = registryOf(sequence, mode, (at) => void (at === i && controller.abort(new Error('stop'))));
      const running = settle(registry.scoped({ plugins: 'all', signal: controller.signal }).fireClaiming('may', call));
      if (!reached(sequence, i)) {
        assertRecord(await running, sequence);
        continue;
      }
      const error: unknown = await running.then(
        () => 'a record',
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(HookError);
      expect((error as HookError).code).toBe('TH_ABORTED');
      expect((error as HookError).cause).toBe(controller.signal.reason);
    }
  }, 60_000); // thousands of sequences

  test.each<readonly [string, (registry: Registry, offs: readonly (() => void)[]) => void]>([
    ['unregistering every guard', (_, offs) => offs.forEach((off) => off())],
    ['unregistering a plugin', (registry) => registry.unregisterPlugin('acme')],
    ['replacing a plugin by nothing', (registry) => registry.replace('acme', () => undefined)],
    [
      'replacing a plugin by a guard that passes',
      (registry) => registry.replace('acme', (r) => void r.registerClaiming('may', () => undefined, { id: 'g1' })),
    ],
    ['registering one more guard', (registry) => void registry.registerClaiming('may', () => undefined)],
  ])('%s in the middle changes no verdict: the whole plan is asked', async (_, disturb) => {
    for (const { sequence, i } of disturbed) {
      const world = registryOf(sequence, mode, (at) => void (at === i && disturb(world.registry, world.offs)));
      const record = await settle(world.registry.fireClaiming('may', call, 'all'));
      expect(record.decision).toBe(decisionOf(sequence));
      assertRecord(record, sequence);
    }
  });
});
