/**
 * The one coarse clock of a registry. It ticks while fires wait, keeps the process alive until they settle, and stops at
 * the first tick with nobody waiting. A fire takes no timer of its own.
 */
import { closeClass } from './closed-class.js';
import { append } from './frozen.js';

export const tickMs = 25;

/** One tick, as those that wait see it. */
export interface Tick {
  /**
   * ms on the clock's scale. A budget counts from the first tick behind its start: so it is never cut short, is less than two
   * ticks too long, and is given anew to who may have been started at the very end of a block.
   */
  readonly now: number;
  /** Whether budgets are judged. The first tick after a block judges nobody: answers may be ready and unheard. */
  readonly judges: boolean;
}

/** Whether a tick ends what may last until then; it may have come a fraction early. */
export const isOver = ({ now, judges }: Tick, deadline: number): boolean => judges && now + 1 >= deadline;

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
    if (this.timer === undefined || this.startedWith !== setInterval) this.start();
  }

  leave(waiting: Waiting): void {
    const { before, behind } = waiting;
    if (before !== undefined) before.behind = behind;
    else if (this.first === waiting) this.first = behind;
    if (behind !== undefined) behind.before = before;
    waiting.before = undefined;
    waiting.behind = undefined;
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
    const now = this.read!();
    const isBlocked = now - this.now > 2 * tickMs;
    const tick: Tick = { now, judges: !isBlocked || this.wasBlocked };
    this.now = now;
    this.wasBlocked = isBlocked;
    // from a list of its own: what a tick sets off may enter, leave, or both
    const waiting: Waiting[] = [];
    for (let at: Waiting | undefined = this.first; at !== undefined; at = at.behind) append(waiting, at);
    for (const one of waiting) one.tick(tick);
  }

  private stop(): void {
    if (this.timer !== undefined) this.stopWith!(this.timer);
    this.timer = undefined;
  }
}
closeClass(Clock);
