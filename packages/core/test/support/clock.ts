/** Drives the kernel's clock by fake timers, in steps between which promises run. */
import { afterAll, beforeAll, vi } from 'vitest';

const immediate = globalThis.setImmediate;
/** Lets every promise job run that is due. */
export const flush = (): Promise<void> => new Promise((go) => void immediate(() => go()));

/** For the tests of a file or of a block: the kernel's clock stands still until a test moves it. */
export function fakeClock(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'setTimeout', 'clearTimeout'] });
  });
  afterAll(() => {
    vi.useRealTimers();
  });
}

/** Lets `ms` pass in steps of at most 25 ms. */
export async function pass(ms: number): Promise<void> {
  await flush();
  for (let rest = ms; rest > 0; rest -= 25) {
    vi.advanceTimersByTime(Math.min(rest, 25));
    await flush();
  }
}

/** Moves the clock until `running` settles, then gives it back. */
export async function settle<T>(running: Promise<T>): Promise<T> {
  const ends: unknown[] = [];
  void Promise.allSettled([running]).then((all) => ends.push(...all));
  for (let step = 0; step < 5_000; step++) {
    await flush();
    if (ends.length > 0) return running;
    vi.advanceTimersByTime(25);
  }
  throw new Error('it does not settle');
}
