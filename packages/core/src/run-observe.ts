/** `observe`: all handlers start in plan order and settle together; nobody can harm another, or the caller. */
import { textOf } from '@treblehook/types';
import { Waiting } from './clock.js';
import { Context } from './context.js';
import { isLive, type Registration } from './registration.js';
import { faultOf, Run } from './run.js';
import { promiseOf } from './thenable.js';

export class Observe extends Run {
  start(): unknown {
    const { signal } = this.scope;
    const { handlers } = this.plan;
    let together: Together | undefined;
    for (let at = 0; at < handlers.length; at++) {
      const registration = handlers[at]!;
      if (!isLive(registration)) continue;
      if (signal !== undefined && signal.aborted) break;
      const since = this.stages === undefined ? 0 : performance.now();
      const context = new Context(this, registration);
      try {
        const value = registration.handler(this.view, context);
        const answer = typeof value === 'object' && value !== null ? promiseOf(value) : undefined;
        if (answer !== undefined) {
          (together ??= new Together(this)).hear(answer, registration, context, since);
          continue;
        }
      } catch (error) {
        Context.close(context);
        this.failed(registration, error, since);
        continue;
      }
      Context.close(context);
      if (this.stages !== undefined) this.note(registration, 'passed', since);
    }
    return together?.settled;
  }

  failed(registration: Registration, error: unknown, since: number): void {
    this.tell(registration, faultOf(registration, 'error', textOf(error), error));
    if (this.stages !== undefined) this.note(registration, 'failed', since);
  }
}

/** A handler that was started and has not settled. */
interface Open {
  readonly registration: Registration;
  readonly context: Context;
  readonly deadline: number;
  readonly since: number;
  state: 'running' | 'over budget' | 'done';
}

/** Those that were started and have not settled. */
class Together extends Waiting {
  readonly settled: Promise<void>;
  private readonly run: Observe;
  private readonly open: Open[] = [];
  private running = 0;
  private resolve!: () => void;

  constructor(run: Observe) {
    super();
    this.run = run;
    this.settled = new Promise((resolve) => {
      this.resolve = resolve;
    });
    run.engine.clock.enter(this);
  }

  hear(answer: Promise<unknown>, registration: Registration, context: Context, since: number): void {
    const deadline = this.run.engine.clock.deadline(registration.budgetMs);
    const open: Open = { registration, context, deadline, since, state: 'running' };
    this.open.push(open);
    this.running++;
    // its `then` is the native one: promiseOf has looked
    void answer.then(
      () => this.heard(open, false, undefined),
      (error) => this.heard(open, true, error),
    );
  }

  private heard(open: Open, isFault: boolean, error: unknown): void {
    const { run } = this;
    const { registration, context, state, since } = open;
    if (state === 'over budget') {
      run.tell(registration, faultOf(registration, 'timeout', ''), { late: isFault ? 'error' : 'answer' });
    }
    if (state !== 'running') return; // what is heard after an abort is dropped: nobody waits for it
    open.state = 'done';
    Context.close(context);
    if (isFault) run.failed(registration, error, since);
    else if (run.stages !== undefined) run.note(registration, 'passed', since);
    this.oneLess();
  }

  private oneLess(): void {
    if (--this.running > 0) return;
    this.run.engine.clock.leave(this);
    this.resolve();
  }

  tick(now: number): void {
    const { run } = this;
    const { signal } = run.scope;
    const isAborted = signal?.aborted === true;
    for (const open of this.open) {
      if (open.state !== 'running' || (!isAborted && now < open.deadline)) continue;
      const { registration, context, since } = open;
      if (isAborted) {
        open.state = 'done';
        Context.end(context, signal.reason);
      } else {
        open.state = 'over budget';
        const error = faultOf(registration, 'timeout', '');
        Context.end(context, error);
        run.tell(registration, error);
        if (run.stages !== undefined) run.note(registration, 'timeout', since);
      }
      this.oneLess();
    }
  }
}
