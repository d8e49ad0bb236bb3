/** One call of a model: its link to the caller's signal, what was sent, and how its faults become errors. */
import { HookError, isHookError } from '@treblehook/types';
import { redactor, type Redact } from './secrets.js';

/** What a pending wait is ended with when the consumer breaks off. */
export const brokenOff = Symbol('broken off');

/**
 * The transport gets a signal of the call's own, so that a transport which never takes its listeners off leaves none on
 * the caller's signal; `end` takes off the one that stands there.
 */
export class Call {
  /** Where the request goes; the transport puts the whole path here when it is sent. */
  endpoint: string;
  /** Whether the request has left the provider package. */
  sent = false;
  /** The media type of an answer that is no event stream. */
  oddType: string | undefined;
  readonly secrets: readonly string[];
  readonly #caller: AbortSignal | undefined;
  readonly #transport = new AbortController();
  readonly #pending = new Set<(reason: unknown) => void>();

  constructor(endpoint: string, secrets: readonly string[], caller: AbortSignal | undefined) {
    this.endpoint = endpoint;
    this.secrets = secrets;
    this.#caller = caller;
    if (caller?.aborted) this.#transport.abort(caller.reason);
    else caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#transport.signal;
  }
  get aborted(): boolean {
    return this.#caller?.aborted ?? false;
  }
  /** The very reason of the caller's signal. */
  get reason(): unknown {
    return this.#caller?.reason;
  }
  get redact(): Redact {
    return redactor(this.secrets);
  }

  /** Waits, but not beyond an abort or the end of the call: a transport may ignore its signal. */
  wait<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const interrupt = (reason: unknown): void => reject(reason);
      this.#pending.add(interrupt);
      work.then(
        (value) => {
          this.#pending.delete(interrupt);
          resolve(value);
        },
        (error: unknown) => {
          this.#pending.delete(interrupt);
          reject(error);
        },
      );
      if (this.aborted) interrupt(this.reason);
    });
  }

  /** Takes the listener off the caller's signal; the connection may go on to its end. */
  unlink(): void {
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  /** Ends the call: the connection is closed, pending waits are ended. */
  end(): void {
    this.unlink();
    this.#transport.abort(brokenOff);
    this.#interrupt(brokenOff);
  }

  readonly #onAbort = (): void => {
    this.#transport.abort(this.reason);
    this.#interrupt(this.reason);
  };

  #interrupt(reason: unknown): void {
    for (const reject of this.#pending) reject(reason);
    this.#pending.clear();
  }
}

/** The first error of ours in a chain of causes: a provider package may have wrapped what its transport threw. */
export function ownFault(error: unknown): HookError | undefined {
  let link = error;
  for (let depth = 0; depth < 5; depth++) {
    if (isHookError(link)) return link;
    if (typeof link !== 'object' || link === null) return undefined;
    link = (link as { cause?: unknown }).cause;
  }
  return undefined;
}
