/** The abort of a run: one signal for everybody, and waiting that ends with it. */
import { closeClass, type AbortFan } from '@treblehook/core';

/** Thrown where a run was aborted; never leaves the run. */
export class Aborted extends Error {}

/** Why a run is aborted that is to go on in another process: what it has not begun stays open. */
export class Suspension extends Error {
  /** On the agent's clock: until then a result that is nearly there is waited for. */
  readonly until: number;

  constructor(message: string, until: number) {
    super(message);
    this.until = until;
  }
}

/**
 * A run is one entry at the caller's signal; whoever waits inside is kept in a set, so that ten thousand waits leave
 * nothing behind.
 */
export class RunAbort {
  readonly #controller = new AbortController();
  readonly #waiting = new Set<() => void>();
  /** Asked often: the signal's own answer goes through a getter of the platform. */
  #isAborted = false;
  #letGo = (): void => {};

  /** `aborts` is the agent's: many runs on one signal are one listener. */
  constructor(caller: AbortSignal | undefined, aborts: AbortFan) {
    if (caller === undefined) return;
    if (caller.aborted) this.abort(caller.reason);
    else this.#letGo = aborts.add(caller, () => this.abort(caller.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get isSuspended(): boolean {
    return this.#controller.signal.reason instanceof Suspension;
  }

  /** ms, from `now`, of the agent's clock. */
  patienceMs(graceMs: number, now: number): number {
    const { reason } = this.#controller.signal as { readonly reason: unknown };
    return reason instanceof Suspension ? Math.max(graceMs, reason.until - now) : graceMs;
  }

  abort(reason?: unknown): void {
    if (this.isAborted) return;
    this.#isAborted = true;
    this.#controller.abort(reason);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  throwIfAborted(): void {
    if (this.isAborted) throw new Aborted();
  }

  /** Calls `wake` once when the run is aborted; the returned function takes it back. */
  onAbort(wake: () => void): () => void {
    if (this.isAborted) {
      wake();
      return () => {};
    }
    this.#waiting.add(wake);
    return () => {
      this.#waiting.delete(wake);
    };
  }

  /** Settles as `promise` does, or rejects with `Aborted`; what comes after that is dropped. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const off = this.onAbort(() => reject(new Aborted()));
      promise.then(
        (value) => {
          off();
          resolve(value);
        },
        (error: unknown) => {
          off();
          reject(error);
        },
      );
    });
  }

  /** The run is over: the caller's signal is let go. */
  dispose(): void {
    this.#letGo();
  }
}
closeClass(RunAbort);
