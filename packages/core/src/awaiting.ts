/** A sequence that waits: hearing answers, budgets, the caller's abort. Made when a handler first answers with a promise. */
import { closeClass } from './closed-class.js';
import { isOver, Waiting, type Tick } from './clock.js';
import { closeCall, endCall, type Context } from './context.js';
import type { Registration } from './registration.js';
import { faultOf } from './run.js';
import type { Sequence } from './sequence.js';
import { hear } from './thenable.js';

/**
 * The pair of functions that hears the handlers of a fire: one pair for all of them, where `await` makes one for each.
 * A fire that moves on without an answer takes a new pair, and what the old one hears is late.
 */
class Ears {
  /** The handler whose answer is late. */
  late: Registration | undefined;
  readonly answered: (answer: unknown) => void;
  readonly failed: (error: unknown) => void;
  constructor(awaiting: Awaiting) {
    this.late = undefined;
    this.answered = (answer) => awaiting.hear(this, answer, false);
    this.failed = (error) => awaiting.hear(this, error, true);
  }
}
closeClass(Ears);

export class Awaiting extends Waiting {
  /** Of the fire's result. */
  readonly settled: Promise<unknown>;
  private readonly run: Sequence;
  private at: number;
  private context!: Context;
  /** Of the handler in hand, from its first tick on: most answers are in before. */
  private deadline: number | undefined;
  private ears: Ears | undefined;
  private resolve!: (result: unknown) => void;
  private reject!: (error: unknown) => void;

  constructor(run: Sequence) {
    super();
    this.run = run;
    this.at = 0;
    this.deadline = undefined;
    this.ears = new Ears(this);
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    run.engine.clock.enter(this);
  }

  listen(answer: Promise<unknown>, at: number, context: Context): void {
    this.at = at;
    this.context = context;
    this.deadline = undefined;
    const { answered, failed } = this.ears!;
    hear(answer, answered, failed);
  }

  hear(ears: Ears, answer: unknown, isFault: boolean): void {
    if (ears !== this.ears) return this.hearLate(ears, isFault);
    const { run, at } = this;
    closeCall(this.context);
    if (run.plan.isWhole) run.heardGuard();
    try {
      if (isFault) run.failed(run.plan.handlers[at]!, answer, at);
      else if (answer !== undefined || run.isWatched) run.answered(run.plan.handlers[at]!, answer, at);
      if (!run.advance(at + 1)) this.finished();
    } catch (error) {
      this.rejected(error);
    }
  }

  tick(tick: Tick): void {
    if (this.ears === undefined) return;
    const { run, at } = this;
    const { signal } = run.scope;
    try {
      if (signal !== undefined && signal.aborted) {
        endCall(this.context, signal.reason, false);
        throw run.aborted();
      }
      const registration = run.plan.handlers[at]!;
      this.deadline ??= tick.now + registration.budgetMs;
      if (!isOver(tick, this.deadline)) return;
      const error = faultOf(registration, 'timeout', '');
      this.ears.late = registration;
      this.ears = new Ears(this);
      endCall(this.context, error, true);
      run.timedOut(registration, error, at);
      if (!run.advance(at + 1)) this.finished();
    } catch (error) {
      this.rejected(error);
    }
  }

  private finished(): void {
    this.over();
    this.resolve(this.run.result());
  }

  private rejected(error: unknown): void {
    this.over();
    this.reject(error);
  }

  private over(): void {
    this.run.engine.clock.leave(this);
    this.ears = undefined;
  }

  /** What is heard after an abort is dropped: nobody waits for it, and most of it is the abort itself. */
  private hearLate({ late }: Ears, isFault: boolean): void {
    if (late === undefined) return;
    this.run.tell(late, faultOf(late, 'timeout', ''), { late: isFault ? 'error' : 'answer' });
  }
}
