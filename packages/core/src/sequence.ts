/** Runs handlers one after another; what their answers mean is the discipline's. */
import { textOf, type HookError, type StageOutcome } from '@treblehook/types';
import { Awaiting } from './awaiting.js';
import { closeCall, Context } from './context.js';
import { NotPlain } from './frozen.js';
import type { Plan } from './plan.js';
import type { Registration } from './registration.js';
import { faultOf, Run, type Fault, type Source, type View } from './run.js';
import { promiseIn } from './thenable.js';

export abstract class Sequence extends Run {
  /** No further handler starts. */
  protected ended: boolean;
  private awaiting: Awaiting | undefined;

  constructor(source: Source, plan: Plan, view: View) {
    super(source, plan, view);
    this.ended = false;
    this.awaiting = undefined;
  }

  /** Takes an answer, never `undefined`. What it throws says why the answer is nonsense. */
  protected abstract take(registration: Registration, answer: unknown, at: number): StageOutcome;
  /** Takes a fault. Throws when the fire rejects. */
  protected abstract fault(registration: Registration, fault: Fault, error: HookError, at: number): StageOutcome;
  abstract result(): unknown;

  /** Whether an abstention must be looked at: the caller may have aborted, or stages are noted. */
  get isWatched(): boolean {
    return this.scope.signal !== undefined || this.trace !== undefined;
  }

  start(): unknown {
    return this.advance(0) ? this.awaiting!.settled : this.result();
  }

  /**
   * Calls handlers until one answers with a promise (`true`: the fire waits), or none is left. Throws what the fire
   * rejects with.
   */
  advance(from: number): boolean {
    const { handlers, isWhole } = this.plan;
    const { isWatched } = this;
    for (let at = from; at < handlers.length && !this.ended; at++) {
      const registration = handlers[at]!;
      if (registration.removed && !isWhole) continue;
      if (isWhole) this.heardGuard();
      if (isWatched) this.starting();
      // the call stands here and in run-observe.ts: as one function for both it made a fire 5 to 8 % slower
      const context = new Context(this, registration);
      let value: unknown;
      try {
        const { handler } = registration; // called without a receiver: `this` would be the registration
        value = handler(this.view, context);
        const answer = promiseIn(value);
        if (answer !== undefined) {
          (this.awaiting ??= new Awaiting(this)).listen(answer, at, context);
          return true;
        }
      } catch (error) {
        closeCall(context);
        this.failed(registration, error, at);
        continue;
      }
      closeCall(context);
      if (value !== undefined || isWatched) this.answered(registration, value, at);
    }
    return false;
  }

  answered(registration: Registration, answer: unknown, at: number): void {
    this.refuseAborted();
    let outcome: StageOutcome = 'passed';
    if (answer !== undefined) {
      let nonsense: HookError | undefined;
      try {
        outcome = this.take(registration, answer, at);
      } catch (error) {
        // reading may throw anything: an answer can be a proxy
        const what = NotPlain.is(error) ? error.message : `it cannot be read: ${textOf(error)}`;
        nonsense = faultOf(registration, 'invalid', what, NotPlain.is(error) ? error.cause : error);
      }
      if (nonsense !== undefined) outcome = this.fault(registration, 'invalid', nonsense, at);
    }
    this.trace?.end(registration, outcome);
  }

  failed(registration: Registration, error: unknown, at: number): void {
    this.refuseAborted();
    const outcome = this.fault(registration, 'error', faultOf(registration, 'error', textOf(error), error), at);
    this.trace?.end(registration, outcome);
  }

  timedOut(registration: Registration, error: HookError, at: number): void {
    const outcome = this.fault(registration, 'timeout', error, at);
    this.trace?.end(registration, outcome);
  }

  /**
   * Before each handler of a plan that is asked whole, and before a promised answer is read, since reading may cover its
   * traces. A plain answer needs no look behind it: nothing was awaited that could have been bent.
   */
  heardGuard(): void {}

  private starting(): void {
    this.refuseAborted();
    this.trace?.begin();
  }

  /** Throws `TH_ABORTED`: what comes of a handler after its caller's abort counts for nothing. */
  private refuseAborted(): void {
    const { signal } = this.scope;
    if (signal !== undefined && signal.aborted) throw this.aborted();
  }
}
