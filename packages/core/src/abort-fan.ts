/** One listener on a caller's signal, however many open handlers have asked for theirs. */
import { closeClass } from './closed-class.js';

export class AbortFan {
  readonly #fans = new WeakMap<AbortSignal, { readonly waiting: Set<() => void>; readonly listener: () => void }>();

  /** Calls `run` when the signal aborts; the returned function takes it back. With nobody left no listener stays. */
  add(signal: AbortSignal, run: () => void): () => void {
    let fan = this.#fans.get(signal);
    if (fan === undefined) {
      const waiting = new Set<() => void>();
      fan = {
        waiting,
        listener: () => {
          this.#fans.delete(signal);
          for (const one of waiting) one();
        },
      };
      this.#fans.set(signal, fan);
      signal.addEventListener('abort', fan.listener, { once: true });
    }
    const { waiting, listener } = fan;
    waiting.add(run);
    return () => {
      waiting.delete(run);
      if (waiting.size > 0) return;
      signal.removeEventListener('abort', listener);
      if (this.#fans.get(signal)?.listener === listener) this.#fans.delete(signal);
    };
  }
}
closeClass(AbortFan);
