/** Telling a promise from a plain answer, without ever being talked into a second reading. */
import { isPlainObject } from '@treblehook/types';

// oxlint-disable-next-line unbound-method -- called with a receiver, or compared
const nativeThen = Promise.prototype.then;

/**
 * The answer as a native promise, or `undefined` when it is none. `then` is read once; of a plain object only its own
 * `then` counts, so that one put on `Object.prototype` makes no promise of every answer. Throws what a `then` getter
 * throws.
 */
export function promiseOf(answer: object): Promise<unknown> | undefined {
  const then: unknown = (answer as { then?: unknown }).then;
  if (typeof then !== 'function') return undefined;
  return then === nativeThen && answer.constructor === Promise ? answer : adopted(answer, then);
}

/** Apart, so that the way of nearly every answer is small enough to be inlined. */
function adopted(answer: object, then: Function): Promise<unknown> | undefined {
  if (Array.isArray(answer) || (isPlainObject(answer) && !Object.hasOwn(answer, 'then'))) return undefined;
  return new Promise((resolve, reject) => Reflect.apply(then, answer, [resolve, reject]));
}

/** As `promiseOf`, of any answer. */
export const promiseIn = (answer: unknown): Promise<unknown> | undefined =>
  (typeof answer === 'object' && answer !== null) || typeof answer === 'function' ? promiseOf(answer) : undefined;

/**
 * Hears a promise by the native `then`, whatever its own may have become. What only looks like a promise is heard as a
 * fault, later, as a promise would be. Never throws.
 */
export function hear(
  promise: Promise<unknown>,
  answered: ((answer: unknown) => void) | undefined,
  failed: (error: unknown) => void,
): void {
  try {
    // asked again, since `then` builds a promise of that kind; so asked, the call is inlined, which saves 10 ns
    if (promise.constructor !== Promise) throw new TypeError('its constructor has become another');
    void nativeThen.call(promise, answered, failed);
  } catch (error) {
    void nativeThen.call(Promise.reject(error), undefined, failed);
  }
}

/** Whether what must come at once only comes later. What comes of it is swallowed: whoever asks refuses it here and now. */
export function isPromised(answer: unknown): boolean {
  const promise = promiseIn(answer);
  if (promise === undefined) return false;
  hear(promise, undefined, () => {});
  return true;
}
