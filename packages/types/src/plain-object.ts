/** What a plain object is: one that holds data and inherits no behaviour. */

/** Whether the prototype is `Object.prototype` or `null`. Of a proxy it asks the proxy, which may throw. */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
