/** What a block of the process costs a handler: driven tick by tick, each at a time of the test's own. */
import { claimingHook, defineHooks, voidHook } from '@treblehook/types';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { flush } from '../support/clock.js';

const points = defineHooks({
  seen: voidHook<object>({ summary: 'Something was seen.' }),
  may: claimingHook<object>({ discipline: 'guard', summary: 'May it?' }),
});

let now = 0;
let tick: (() => void) | undefined;
/** The clock ticks, and reads this time. */
const tickAt = async (ms: number): Promise<void> => {
  now = ms;
  tick?.();
  await flush();
};

beforeEach(() => {
  now = 0;
  tick = undefined;
  vi.stubGlobal('performance', { now: () => now });
  vi.stubGlobal('setInterval', (run: () => void) => {
    tick = run;
    return 1;
  });
  vi.stubGlobal('clearInterval', () => {
    tick = undefined;
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** A guard, and an observer, with a budget of 100 ms that never answer; what became of them so far. */
function hanging(): { readonly over: string[]; readonly fire: () => void } {
  const registry = createHookRegistry(points);
  const over: string[] = [];
  registry.events.on('handlerTimedOut', ({ by }) => over.push(by.id));
  registry.registerVoid('seen', () => new Promise<void>(() => {}), { id: 'observer', timeoutMs: 100 });
  registry.registerClaiming('may', () => new Promise<undefined>(() => {}), { id: 'guard', timeoutMs: 100 });
  const fire = (): void => {
    void registry.fireVoid('seen', {});
    void registry.fireClaiming('may', {});
  };
  return { over, fire };
}

test('a budget is over at the first tick behind it, never before', async () => {
  const { over, fire } = hanging();
  fire();
  for (const ms of [25, 50, 75, 100]) await tickAt(ms);
  expect(over).toEqual([]);
  await tickAt(125);
  expect(over.toSorted()).toEqual(['guard', 'observer']);
});

test('a tick that comes a fraction early counts for the whole', async () => {
  const { over, fire } = hanging();
  fire();
  for (const ms of [25, 50, 75, 100, 124.5]) await tickAt(ms);
  expect(over).toHaveLength(2);
});

test('the first tick after a block judges nobody, the next one does', async () => {
  const { over, fire } = hanging();
  fire();
  await tickAt(25);
  await tickAt(5_000);
  expect(over).toEqual([]);
  await tickAt(5_025);
  expect(over).toHaveLength(2);
});

test('a tick that is late by less than two ticks judges as any other', async () => {
  const { over, fire } = hanging();
  fire();
  for (const ms of [25, 50, 75, 125]) await tickAt(ms);
  expect(over).toHaveLength(2);
});

test('what was started in the blocked time gets its budget anew', async () => {
  const { over, fire } = hanging();
  fire();
  await tickAt(25);
  const late = hanging();
  const first = tick;
  late.fire();
  const second = tick;
  expect(second).not.toBe(first);
  now = 5_000;
  second!();
  now = 5_025;
  second!();
  await flush();
  expect(late.over).toEqual([]);
  now = 5_125;
  second!();
  now = 5_150;
  second!();
  await flush();
  expect(late.over).toHaveLength(2);
  expect(over).toEqual([]);
});

test('a process that is blocked at every tick bounds a hang all the same', async () => {
  const { over, fire } = hanging();
  fire();
  for (const ms of [500, 1_000, 1_500]) await tickAt(ms);
  expect(over).toHaveLength(2);
});
