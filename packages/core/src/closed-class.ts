/** Classes that stand alone: what somebody puts on `Object.prototype` is no part of their instances. */

/**
 * Cuts a class that extends nothing off from `Object.prototype`, and freezes its prototype. Fields are set by assignment,
 * and a setter on `Object.prototype` under the name of one would be given the instance in place of the field.
 */
export function closeClass(made: { readonly prototype: object }): void {
  Object.setPrototypeOf(made.prototype, null);
  Object.freeze(made.prototype);
}
