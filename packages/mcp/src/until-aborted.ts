/** Waiting for something, but no longer than a signal lets one. */

/** Settles as the promise, or rejects with the signal's reason; no listener stays behind. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
