/** Classes that stand alone: what somebody puts on `Object.prototype` is no part of their instances. */

/**
 * Cuts a class off from `Object.prototype`, one that extends another by that one, which is closed first: fields are set by assignment, and a setter that stands
 * there under the name of one would be given the instance in place of the field; a promise would find a `then` there. Its
 * methods are final, and no instance leads to the class.
 */
export function closeClass({ prototype }: { readonly prototype: object }): void {
  Reflect.deleteProperty(prototype, 'constructor');
  if (Object.getPrototypeOf(prototype) === Object.prototype) Object.setPrototypeOf(prototype, null);
  Object.freeze(prototype);
}
