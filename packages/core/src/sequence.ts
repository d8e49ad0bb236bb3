/** Runs handlers one after another; what their answers mean is the discipline's. */
import { textOf, type HookError, type StageOutcome } from '@treblehook/types';
import type { Waiting } from './clock.js';
import { Context } from './context.js';
import { NotPlain } from './frozen.js';
import { isLive, type Registration } from './registration.js';
import { faultOf, Run, type Fault } from './run.js';
import { promiseOf } from './thenable.js';

export abstract class Sequence extends Run implements Waiting {
  /** No further handler starts. */
  protected ended = false;
  /** Whether a handler that was removed meanwhile is skipped. */
  protected readonly skipsRemoved: boolean = true;

  #at = 0;
  /** Rises when the fire moves on without an answer; an answer to an older lane is late. */
  #lane = 0;
  #context!: Context;
  #deadline = Infinity;
  #since = 0;
  #resolve!: (result: unknown) => void;
  #reject!: (error: unknown) => void;

  /** Takes an answer. Throws `NotPlain` when it is nonsense, a `HookError` when the fire rejects. */
  protected abstract take(registration: Registration, answer: unknown, at: number): StageOutcome;
  /** Takes a fault. Throws when the fire rejects. */
  protected abstract fault(registration: Registration, fault: Fault, error: HookError): StageOutcome;
  protected abstract result(): unknown;

  start(): unknown {
    const waiting = this.#advance(0);
    if (waiting === undefined) return this.result();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.engine.clock.enter(this);
      void this.#follow(waiting, 0);
    });
  }

  /** Calls handlers until one answers with a promise, which is returned, or none is left. */
  #advance(from: number): Promise<unknown> | undefined {
    const { handlers } = this.plan;
    const { signal } = this.scope;
    for (let at = from; at < handlers.length && !this.ended; at++) {
      const registration = handlers[at]!;
      if (this.skipsRemoved && !isLive(registration)) continue;
      if (signal?.aborted) throw this.aborted();
      if (this.stages !== undefined) this.#since = performance.now();
      const context = new Context(this, registration);
      let answer: unknown;
      try {
        answer = registration.handler(this.view, context);
        if (typeof answer === 'object' && answer !== null) {
          const waiting = promiseOf(answer);
          if (waiting !== undefined) {
            this.#at = at;
            this.#context = context;
            return waiting;
          }
        }
      } catch (error) {
        Context.close(context);
        this.#failed(registration, error);
        continue;
      }
      Context.close(context);
      this.#answered(registration, answer, at);
    }
    return undefined;
  }

  async #follow(first: Promise<unknown>, lane: number): Promise<void> {
    let waiting: Promise<unknown> | undefined = first;
    try {
      while (waiting !== undefined) {
        const at = this.#at;
        const registration = this.plan.handlers[at]!;
        this.#deadline = this.engine.clock.deadline(registration.budgetMs);
        let answer: unknown;
        let failed = false;
        try {
          answer = await waiting;
        } catch (error) {
          answer = error;
          failed = true;
        }
        if (this.#lane !== lane) return this.#late(registration, failed);
        Context.close(this.#context);
        if (failed) this.#failed(registration, answer);
        else this.#answered(registration, answer, at);
        waiting = this.#advance(at + 1);
      }
    } catch (error) {
      this.engine.clock.leave(this);
      return this.#reject(error);
    }
    this.engine.clock.leave(this);
    this.#resolve(this.result());
  }

  tick(now: number): void {
    const { signal } = this.scope;
    if (signal?.aborted) {
      this.#lane = -1;
      Context.end(this.#context, signal.reason);
      this.engine.clock.leave(this);
      this.#reject(this.aborted());
    } else if (now >= this.#deadline) {
      this.#overBudget();
    }
  }

  #overBudget(): void {
    const registration = this.plan.handlers[this.#at]!;
    const error = faultOf(registration, 'timeout', '');
    const lane = ++this.#lane;
    this.#deadline = Infinity;
    Context.end(this.#context, error);
    try {
      this.#noted(registration, this.fault(registration, 'timeout', error));
      const waiting = this.#advance(this.#at + 1);
      if (waiting !== undefined) return void this.#follow(waiting, lane);
    } catch (rejected) {
      this.engine.clock.leave(this);
      return this.#reject(rejected);
    }
    this.engine.clock.leave(this);
    this.#resolve(this.result());
  }

  #answered(registration: Registration, answer: unknown, at: number): void {
    if (this.scope.signal?.aborted) throw this.aborted();
    let outcome: StageOutcome;
    try {
      outcome = this.take(registration, answer, at);
    } catch (error) {
      if (!(error instanceof NotPlain)) throw error;
      outcome = this.fault(registration, 'invalid', faultOf(registration, 'invalid', error.message, error.cause));
    }
    this.#noted(registration, outcome);
  }

  #failed(registration: Registration, error: unknown): void {
    if (this.scope.signal?.aborted) throw this.aborted();
    this.#noted(registration, this.fault(registration, 'error', faultOf(registration, 'error', textOf(error), error)));
  }

  #noted(registration: Registration, outcome: StageOutcome): void {
    if (this.stages !== undefined) this.note(registration, outcome, this.#since);
  }

  /** What comes after an abort is dropped unseen: nobody waits for it, and most of it is the abort itself. */
  #late(registration: Registration, failed: boolean): void {
    if (this.#lane < 0) return;
    this.tell(registration, faultOf(registration, 'timeout', ''), { late: failed ? 'error' : 'answer' });
  }
}
