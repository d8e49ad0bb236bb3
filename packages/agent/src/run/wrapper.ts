/** One wrapper of the `around` port: when it may call its core, how long it is waited for, and what it gave. */
import { closeClass } from '@treblehook/core';
import { HookError } from '@treblehook/types';
import type { AroundKind } from '../around.js';
import type { RunState } from './run-state.js';
import { isPromiseLike, promiseOf } from './shared-prototypes.js';

interface Terms<C> {
  /** What `core` was called with. Throws what it then rejects with; nothing runs. */
  readonly read: (changed: unknown) => C;
  /** Why `core` may not be called now. */
  readonly refusal: () => string | undefined;
  /** It has settled when nobody waited any more. */
  readonly onLate?: (thrown: { readonly error: unknown } | undefined) => void;
}

/** A call of `core` that its driver has not answered. */
interface Wanted<C, T> {
  readonly changed: C;
  readonly resolve: (done: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The wrapper runs beside its driver, which takes the steps: `next` gives the word to the wrapper until it wants its core
 * or is over. So the steps of several wrapped calls can be taken in whatever order their group needs.
 */
export class Wrapper<C, T extends object> {
  readonly #run: RunState;
  readonly #kind: AroundKind;
  readonly #terms: Terms<C>;
  #wanted: Wanted<C, T> | undefined;
  #wake: (() => void) | undefined;
  #isOver = false;
  #off = (): void => {};
  #cancelGrace = (): void => {};
  /** The run is aborted, and `graceMs` have passed: it is not waited for. */
  isAbandoned = false;
  /** Boxed, since `undefined` can be thrown too. */
  thrown: { readonly error: unknown } | undefined;
  given: unknown;

  constructor(run: RunState, kind: AroundKind, terms: Terms<C>) {
    this.#run = run;
    this.#kind = kind;
    this.#terms = terms;
  }

  start(wrap: (core: (changed?: unknown) => Promise<T>, signal: AbortSignal) => unknown): void {
    const { abort, config } = this.#run;
    this.#off = abort.onAbort(() => {
      this.#cancelGrace = config.clock.after(config.graceMs, () => this.#abandon());
    });
    let given: unknown;
    try {
      given = wrap((changed) => this.#core(changed), abort.signal);
    } catch (error) {
      return this.#over(undefined, { error });
    }
    if (!isPromiseLike(given)) return this.#over(given, undefined);
    promiseOf(given).then(
      (value) => this.#over(value, undefined),
      (error: unknown) => this.#over(undefined, { error }),
    );
  }

  /** Resolves when it wants its core, is over, or is not waited for any more. */
  next(): Promise<void> {
    if (this.#wanted !== undefined || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** It waits for what it has called `core` for. */
  get wants(): boolean {
    return this.#wanted !== undefined;
  }

  get changed(): C {
    return this.#wanted!.changed;
  }

  /** `done` inherits nothing: it goes through a promise. */
  answer(done: T): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.resolve(done);
  }

  reject(error: unknown): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.reject(error);
  }

  #core(changed: unknown): Promise<T> {
    try {
      const what = this.#refusal();
      if (what !== undefined) throw new HookError('TH_CORE_REFUSED', { kind: this.#kind, what });
      const read = this.#terms.read(changed);
      return new Promise((resolve, reject) => {
        this.#wanted = { changed: read, resolve, reject };
        this.#wake?.();
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #refusal(): string | undefined {
    if (this.#isOver) return 'the wrapper is over: call it before that, and await it';
    if (this.#wanted !== undefined) return 'an earlier call of it is not over: await that first';
    return this.#terms.refusal();
  }

  #over(given: unknown, thrown: { readonly error: unknown } | undefined): void {
    this.#off();
    this.#cancelGrace();
    if (this.isAbandoned) return this.#terms.onLate?.(thrown); // else swallows it: nobody waits, the run is aborted
    this.#isOver = true;
    this.given = given;
    this.thrown = thrown;
    this.#wake?.();
  }

  #abandon(): void {
    this.isAbandoned = true;
    this.#isOver = true;
    this.#wake?.();
  }
}
closeClass(Wrapper);

/** What a wrapper threw where it changes nothing: told, since nobody else would hear of it. */
export function warnOfThrow(kind: AroundKind, what: string, error: unknown): void {
  const { message, code } = new HookError('TH_AROUND_FAILED', { kind, what, cause: error });
  process.emitWarning(message, { type: 'TreblehookWarning', code });
}
