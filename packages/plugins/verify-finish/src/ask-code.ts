/** Asking a function: in time, and whatever it does it has either said that it is so, or it is not. */
import { textOf, type BeforeFinish } from '@treblehook/types';
import type { CodeCheck } from './checks.js';

export const defaultTimeoutMs = 60_000;

/** `true`, or why it has not passed. Never rejects; the signal of the function aborts with `signal` and at its end. */
export async function askCode(
  { check, timeoutMs = defaultTimeoutMs }: CodeCheck,
  finish: BeforeFinish,
  signal: AbortSignal,
): Promise<true | string> {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`its check did not answer within ${timeoutMs} ms`), timeoutMs);
    own.signal.addEventListener('abort', () => resolve('its check was aborted'), { once: true });
  });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const answer = await Promise.race([Promise.resolve(check(finish, { signal: own.signal })), over]);
    if (answer === true) return true;
    if (typeof answer === 'string') return answer.trim() === '' ? 'its check gave no reason' : answer;
    return 'its check gave neither true nor a reason';
  } catch (error) {
    return `its check failed: ${textOf(error)}`;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    own.abort(); // whoever goes on may stop
  }
}
