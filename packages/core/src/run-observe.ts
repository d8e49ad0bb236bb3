/** `observe`: all handlers start in plan order and settle together; nobody can harm another, or the caller. */
import { textOf } from '@treblehook/types';
import type { Waiting } from './clock.js';
import { Context } from './context.js';
import { isLive, type Registration } from './registration.js';
import { faultOf, Run } from './run.js';
import { nativeThen, promiseOf } from './thenable.js';

/** A handler that was started and has not settled. */
interface Open {
  readonly registration: Registration;
  readonly context: Context;
  readonly deadline: number;
  readonly since: number;
  state: 'running' | 'over budget' | 'done';
}

export class Observe extends Run implements Waiting {
  readonly #open: Open[] = [];
  #running = 0;
  #resolve: (() => void) | undefined;

  start(): unknown {
    const { signal } = this.scope;
    for (const registration of this.plan.handlers) {
      if (!isLive(registration)) continue;
      if (signal?.aborted) break;
      const since = this.stages === undefined ? 0 : performance.now();
      const context = new Context(this, registration);
      try {
        const answer = registration.handler(this.view, context);
        const waiting = typeof answer === 'object' && answer !== null ? promiseOf(answer) : undefined;
        if (waiting !== undefined) {
          this.#wait(waiting, registration, context, since);
          continue;
        }
      } catch (error) {
        Context.close(context);
        this.#failed(registration, error, since);
        continue;
      }
      Context.close(context);
      if (this.stages !== undefined) this.note(registration, 'passed', since);
    }
    if (this.#running === 0) return undefined;
    return new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
  }

  #wait(waiting: Promise<unknown>, registration: Registration, context: Context, since: number): void {
    if (this.#running++ === 0) this.engine.clock.enter(this);
    const deadline = this.engine.clock.deadline(registration.budgetMs);
    const open: Open = { registration, context, deadline, since, state: 'running' };
    this.#open.push(open);
    void nativeThen.call(
      waiting,
      () => this.#settled(open, false, undefined),
      (error) => this.#settled(open, true, error),
    );
  }

  #settled(open: Open, failed: boolean, error: unknown): void {
    const { registration, context, state, since } = open;
    if (state === 'over budget') {
      this.tell(registration, faultOf(registration, 'timeout', ''), { late: failed ? 'error' : 'answer' });
    }
    if (state !== 'running') return; // what comes after an abort is dropped: nobody waits for it
    open.state = 'done';
    Context.close(context);
    if (failed) this.#failed(registration, error, since);
    else if (this.stages !== undefined) this.note(registration, 'passed', since);
    this.#oneLess();
  }

  #failed(registration: Registration, error: unknown, since: number): void {
    this.tell(registration, faultOf(registration, 'error', textOf(error), error));
    if (this.stages !== undefined) this.note(registration, 'failed', since);
  }

  #oneLess(): void {
    if (--this.#running > 0) return;
    this.engine.clock.leave(this);
    this.#resolve?.();
  }

  tick(now: number): void {
    const { signal } = this.scope;
    const isAborted = signal?.aborted === true;
    for (const open of this.#open) {
      if (open.state !== 'running' || (!isAborted && now < open.deadline)) continue;
      const { registration, context, since } = open;
      if (isAborted) {
        open.state = 'done';
        Context.end(context, signal.reason);
      } else {
        open.state = 'over budget';
        const error = faultOf(registration, 'timeout', '');
        Context.end(context, error);
        this.tell(registration, error);
        if (this.stages !== undefined) this.note(registration, 'timeout', since);
      }
      this.#oneLess();
    }
  }
}
