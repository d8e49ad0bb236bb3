/**
 * The one coarse clock of a registry. It ticks while fires wait, keeps the process alive until they settle, and stops at
 * the first tick with nobody waiting. A fire takes no timer of its own.
 */
import { closeClass } from './closed-class.js';

export const tickMs = 25;

/** One tick, as those that wait see it. */
export interface Tick {
  /** ms on the clock's scale. */
  readonly now: number;
  /**
   * Set when the process was blocked since the tick before: the number of the window between the two. A handler that was
   * started in it may have been started at its very end, and gets its budget anew.
   */
  readonly blocked: number | undefined;
  /** Whether budgets are judged. The first tick after a block judges nobody: answers may be ready and unheard. */
  readonly judges: boolean;
}

/** A fire that waits for an answer. It carries its own links in the list of those that wait. */
export abstract class Waiting {
  before: Waiting | undefined;
  behind: Waiting | undefined;

  constructor() {
    this.before = undefined;
    this.behind = undefined;
  }

  /** Looks at the caller's signal and at the deadlines. Must not throw. */
  abstract tick(tick: Tick): void;
}
closeClass(Waiting);

export class Clock {
  private first: Waiting | undefined;
  private timer: unknown;
  /** As read at the last tick. */
  private now = 0;
  /** Counts the times between two ticks. */
  window = 0;
  private wasBlocked = false;
  /** As found on `globalThis` when the clock started, so that fake timers drive it. */
  private startedWith: unknown;
  private stopWith: ((timer: any) => void) | undefined;
  private read: (() => number) | undefined;

  enter(waiting: Waiting): void {
    const { first } = this;
    waiting.behind = first;
    if (first !== undefined) first.before = waiting;
    this.first = waiting;
    if (this.timer === undefined || this.startedWith !== globalThis.setInterval) this.start();
  }

  leave(waiting: Waiting): void {
    const { before, behind } = waiting;
    if (before !== undefined) before.behind = behind;
    else if (this.first === waiting) this.first = behind;
    if (behind !== undefined) behind.before = before;
    waiting.before = undefined;
    waiting.behind = undefined;
  }

  /** When a budget that starts now is over: never early, and less than two ticks late while the process is not blocked. */
  deadline(budgetMs: number): number {
    return this.now + tickMs + budgetMs;
  }

  private start(): void {
    this.stop();
    const { setInterval, clearInterval, performance } = globalThis;
    this.startedWith = setInterval;
    this.stopWith = clearInterval;
    this.read = () => performance.now();
    this.now = this.read();
    this.wasBlocked = false;
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  private tick(): void {
    if (this.first === undefined) return this.stop();
    const seen = this.read!();
    const isBlocked = seen - this.now > 2 * tickMs;
    const tick: Tick = {
      // a tick of an interval may come a fraction early
      now: seen + 1,
      blocked: isBlocked ? this.window : undefined,
      judges: !isBlocked || this.wasBlocked,
    };
    this.now = seen;
    this.window++;
    this.wasBlocked = isBlocked;
    // from a list of its own: what a tick sets off may enter, leave, or both
    const waiting: Waiting[] = [];
    for (let at: Waiting | undefined = this.first; at !== undefined; at = at.behind) waiting.push(at);
    for (const one of waiting) one.tick(tick);
  }

  private stop(): void {
    if (this.timer !== undefined) this.stopWith!(this.timer);
    this.timer = undefined;
  }
}
closeClass(Clock);
