/** Which timers drive the clock of a registry: those that stood on `globalThis` when it was last started. */
import { defineHooks, voidHook } from '@treblehook/types';
import { afterEach, expect, test, vi } from 'vitest';
import { createHookRegistry } from '../../src/index.js';
import { flush } from '../support/clock.js';

const points = defineHooks({ seen: voidHook<object>({ summary: 'Something was seen.' }) });

/** Timers and a time of their own, put on `globalThis`. */
class Timers {
  now = 0;
  readonly running = new Map<object, () => void>();
  /** What was to be stopped that was never started here. */
  readonly strangers: unknown[] = [];

  install(): this {
    vi.stubGlobal('performance', { now: () => this.now });
    vi.stubGlobal('setInterval', (run: () => void) => {
      const timer = {};
      this.running.set(timer, run);
      return timer;
    });
    vi.stubGlobal('clearInterval', (timer: object) => {
      if (!this.running.delete(timer)) this.strangers.push(timer);
    });
    return this;
  }

  async pass(ms: number): Promise<void> {
    for (const end = this.now + ms; this.now < end; await flush()) {
      this.now += 25;
      for (const run of this.running.values()) run();
    }
  }
}
afterEach(() => void vi.unstubAllGlobals());

/** A registry whose handlers never answer; `fire` gives the budget of one, `over` tells whose budget is over. */
function hanging(...budgets: number[]) {
  const registry = createHookRegistry(points);
  const over: string[] = [];
  registry.events.on('handlerTimedOut', ({ by }) => over.push(by.id));
  for (const ms of budgets) {
    const id = `ms-${ms}`;
    registry.forPlugin(id).registerVoid('seen', () => new Promise<void>(() => {}), { id: 'x', timeoutMs: ms });
  }
  const fire = (ms: number): void => void registry.fireVoid('seen', {}, [`ms-${ms}`]);
  return { over, fire };
}

test('a budget that is over earlier is not held up by a later one that began before it', async () => {
  const timers = new Timers().install();
  const { over, fire } = hanging(1_000, 100);
  fire(1_000);
  fire(100);
  await timers.pass(150);
  expect(over).toEqual(['ms-100/x']);
  await timers.pass(900);
  expect(over).toEqual(['ms-100/x', 'ms-1000/x']);
  await timers.pass(25);
  expect(timers.running.size).toBe(0);
});

test('when the timers are swapped while a fire waits, the next fire moves the clock to the new ones', async () => {
  const old = new Timers().install();
  const { over, fire } = hanging(1_000, 100);
  fire(1_000);
  await old.pass(50);
  expect(old.running.size).toBe(1);
  const fresh = new Timers().install();
  fresh.now = old.now;
  fire(100);
  expect([old.running.size, fresh.running.size]).toEqual([0, 1]);
  await fresh.pass(150);
  expect(over).toEqual(['ms-100/x']);
  await fresh.pass(1_000);
  expect(over).toEqual(['ms-100/x', 'ms-1000/x']);
  expect([fresh.running.size, old.strangers, fresh.strangers]).toEqual([0, [], []]);
});

test('a clock is stopped by the timers that started it, whichever stand there then', async () => {
  const old = new Timers().install();
  const { over, fire } = hanging(100);
  fire(100);
  const fresh = new Timers().install();
  await old.pass(175);
  expect(over).toEqual(['ms-100/x']);
  expect([old.running.size, fresh.running.size, fresh.strangers]).toEqual([0, 0, []]);
});
