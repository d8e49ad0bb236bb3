/** What somebody may hang on the prototypes that everybody shares, and how the loop looks past it. */
import { HookError } from '@treblehook/types';

/**
 * A member of an object that may be an instance of a class: its own, or inherited from anything but `Object.prototype`.
 */
export function memberOf(object: object, key: string): unknown {
  for (let at: object | null = object; at !== null && at !== Object.prototype; at = prototypeOf(at)) {
    if (Object.hasOwn(at, key)) return Reflect.get(object, key);
  }
  return undefined;
}
const prototypeOf = (value: object): object | null => Object.getPrototypeOf(value) as object | null;

/** A result is no promise because of a `then` on `Object.prototype`. */
export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof memberOf(value, 'then') === 'function';

/** What somebody gave, as a promise whose own `then` and `constructor` nobody is asked for twice; what they throw is theirs. */
export const promiseOf = async (given: PromiseLike<unknown> | undefined): Promise<unknown> => given;

const shared: readonly (readonly [string, object])[] = [
  ['Object.prototype', Object.prototype],
  ['Array.prototype', Array.prototype],
  ['Function.prototype', Function.prototype],
];

/** Throws `TH_PROTOTYPE_ALTERED`: nothing is sent or run while each promise would ask a `then` of somebody else's. */
export function assertNoThen(): void {
  if (!('then' in Array.prototype) && !('then' in Function.prototype)) return;
  const [where] = shared.find(([, prototype]) => Object.hasOwn(prototype, 'then')) ?? ['a shared prototype'];
  throw new HookError('TH_PROTOTYPE_ALTERED', { key: 'then', where });
}
