/** Closing what the loop works with to what somebody may hang on the prototypes that everybody shares. */
import { HookError } from '@treblehook/types';

/**
 * Cuts a class off from `Object.prototype`, where a setter would get hold of an instance, and a `then` of what a promise
 * resolves to. Its methods are final, and no instance leads to the class.
 */
export function closeClass({ prototype }: { readonly prototype: object }): void {
  Reflect.deleteProperty(prototype, 'constructor');
  Object.setPrototypeOf(prototype, null);
  Object.freeze(prototype);
}

/** As `push`, which would call a setter that stands on `Object.prototype` under the index. */
export function append<T>(list: T[], item: T): void {
  if (list.length in Array.prototype) {
    const property = { __proto__: null, value: item, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(list, list.length, property);
  } else {
    list.push(item);
  }
}

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
