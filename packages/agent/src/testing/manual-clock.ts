/** A clock that moves when the test says so. */
import type { Clock } from '../contract.js';

export interface ManualClock extends Clock {
  /** Moves the time on and runs what is due, in order. */
  readonly advance: (ms: number) => void;
  /** Timers that have not run and were not taken back. */
  readonly pending: () => number;
}

/** Starts at 0, and at `date` ms since the epoch. */
export function manualClock(date = 0): ManualClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    date: () => date + now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
    pending: () => timers.size,
  };
}
