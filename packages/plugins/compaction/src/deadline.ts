/** One time limit over several awaited steps, linked to the caller's signal. */

export interface Deadline {
  readonly signal: AbortSignal;
  /** Rejects with the signal's reason once it has aborted; what `work` does later is dropped. */
  readonly within: <T>(work: () => T | PromiseLike<T>) => Promise<T>;
  readonly end: () => void;
}

export function startDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`it ran over its time of ${ms} ms`)), ms);
  if (outer?.aborted) abort();
  else outer?.addEventListener('abort', abort, { once: true });
  return {
    signal,
    within: (work) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason as Error);
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        void Promise.resolve()
          .then(work)
          .then(resolve, reject)
          .then(() => signal.removeEventListener('abort', stop));
      }),
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
