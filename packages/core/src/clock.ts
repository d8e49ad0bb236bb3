/**
 * The one coarse clock of a registry. It ticks while fires wait, keeps the process alive until they settle, and stops at
 * the first tick with nobody waiting. A fire takes no timer of its own.
 */

export const tickMs = 25;

/** A fire that waits for an answer. */
export interface Waiting {
  /** Looks at the caller's signal and at the deadlines. Must not throw. */
  tick(now: number): void;
}

export class Clock {
  readonly #open = new Set<Waiting>();
  #timer: unknown;
  #now = 0;
  /** As found on `globalThis` when the clock started, so that fake timers drive it. */
  #setInterval: unknown;
  #clearInterval: ((timer: any) => void) | undefined;
  #read: (() => number) | undefined;

  enter(waiting: Waiting): void {
    this.#open.add(waiting);
    if (this.#timer === undefined || this.#setInterval !== globalThis.setInterval) this.#start();
  }

  leave(waiting: Waiting): void {
    this.#open.delete(waiting);
  }

  /** When a budget that starts now is over: never early, and less than two ticks late. */
  deadline(budgetMs: number | undefined): number {
    return budgetMs === undefined ? Infinity : this.#now + tickMs + budgetMs;
  }

  #start(): void {
    this.#stop();
    const { setInterval, clearInterval, performance } = globalThis;
    this.#setInterval = setInterval;
    this.#clearInterval = clearInterval;
    this.#read = () => performance.now();
    this.#now = this.#read();
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  #tick(): void {
    if (this.#open.size === 0) return this.#stop();
    this.#now = this.#read!();
    // a tick of an interval may come a fraction early
    for (const waiting of this.#open) waiting.tick(this.#now + 1);
  }

  #stop(): void {
    if (this.#timer !== undefined) this.#clearInterval!(this.#timer);
    this.#timer = undefined;
  }
}
