/** `observe`: all handlers start in plan order and settle together; nobody can harm another, or the caller. */
import { textOf } from '@treblehook/types';
import { isOver, Waiting, type Tick } from './clock.js';
import {
  closeCall,
  Context,
  contextBefore,
  endCall,
  isOpen,
  isOverBudget,
  registrationOf,
  standBehind,
} from './context.js';
import { append } from './frozen.js';
import type { Registration } from './registration.js';
import { faultOf, Run } from './run.js';
import { hear, promiseIn } from './thenable.js';

export class Observe extends Run {
  start(): unknown {
    const { signal } = this.scope;
    const { handlers } = this.plan;
    let together: Together | undefined;
    for (let at = 0; at < handlers.length; at++) {
      const registration = handlers[at]!;
      if (registration.removed) continue;
      if (signal !== undefined && signal.aborted) break;
      const since = this.trace === undefined ? 0 : this.trace.begin();
      const context = new Context(this, registration); // the call, a second time: sequence.ts says why
      try {
        const { handler } = registration; // called without a receiver: `this` would be the registration
        const answer = promiseIn(handler(this.view, context));
        if (answer !== undefined) {
          (together ??= new Together(this)).hear(answer, context, since);
          continue;
        }
      } catch (error) {
        closeCall(context);
        this.failed(registration, error, since);
        continue;
      }
      closeCall(context);
      this.trace?.end(registration, 'passed', since);
    }
    return together?.settled;
  }

  failed(registration: Registration, error: unknown, since: number): void {
    if (this.engine.reporter.isWanted('handlerFailed', registration.ref, 'TH_HANDLER_FAILED')) {
      this.tell(registration, faultOf(registration, 'error', textOf(error), error));
    }
    this.trace?.end(registration, 'failed', since);
  }
}

/** Those that were started together and have not settled. */
class Together extends Waiting {
  readonly settled: Promise<void>;
  private readonly run: Observe;
  private last: Context | undefined;
  /** When each began; kept only while somebody listens to `fired`. */
  private readonly since: Map<Context, number> | undefined;
  /** The first tick behind their start; all were started together, before anything ticked. */
  private began: number | undefined;
  private running: number;
  private resolve!: () => void;

  constructor(run: Observe) {
    super();
    this.run = run;
    this.last = undefined;
    this.running = 0;
    this.since = run.trace === undefined ? undefined : new Map();
    this.settled = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.began = undefined;
    run.engine.clock.enter(this);
  }

  hear(answer: Promise<unknown>, context: Context, since: number): void {
    this.last = standBehind(context, this.last);
    this.since?.set(context, since);
    this.running++;
    hear(
      answer,
      () => this.heard(context, false, undefined),
      (error) => this.heard(context, true, error),
    );
  }

  private heard(context: Context, isFault: boolean, error: unknown): void {
    if (!isOpen(context)) return this.heardLate(context, isFault);
    const { run } = this;
    closeCall(context);
    if (isFault) run.failed(registrationOf(context), error, this.since?.get(context) ?? 0);
    else run.trace?.end(registrationOf(context), 'passed', this.since?.get(context));
    this.oneLess();
  }

  /** What is heard after an abort is dropped: nobody waits for it. */
  private heardLate(context: Context, isFault: boolean): void {
    if (!isOverBudget(context)) return;
    const registration = registrationOf(context);
    this.run.tell(registration, faultOf(registration, 'timeout', ''), { late: isFault ? 'error' : 'answer' });
  }

  private inOrder(): readonly Context[] {
    const contexts: Context[] = [];
    for (let at = this.last; at !== undefined; at = contextBefore(at)) append(contexts, at);
    return contexts.toReversed();
  }

  private oneLess(): void {
    if (--this.running > 0) return;
    this.run.engine.clock.leave(this);
    this.resolve();
  }

  tick(tick: Tick): void {
    const { run } = this;
    const began = (this.began ??= tick.now);
    const { signal } = run.scope;
    const isAborted = signal?.aborted === true;
    for (const context of this.inOrder()) {
      if (!isOpen(context)) continue;
      const registration = registrationOf(context);
      if (isAborted) {
        endCall(context, signal.reason, false);
      } else if (isOver(tick, began + registration.budgetMs)) {
        const error = faultOf(registration, 'timeout', '');
        endCall(context, error, true);
        run.tell(registration, error);
        run.trace?.end(registration, 'timeout', this.since?.get(context));
      } else {
        continue;
      }
      this.oneLess();
    }
  }
}
