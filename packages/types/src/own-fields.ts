/** Reading an object by what is its own. */

/**
 * The own enumerable fields of an object, on an object that inherits nothing: what somebody hangs on `Object.prototype`
 * later, or has hung there, is no field of it.
 */
export function ownFields<T extends object>(object: T): T {
  // the prototype is taken away from an object, since V8 keeps one that is made without as a hash table
  return Object.assign(Object.setPrototypeOf({}, null) as T, object);
}
