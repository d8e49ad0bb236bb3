/** Reading options of untyped callers. */
import { HookError } from '@treblehook/types';

/** A value for a message; never throws. */
export function shown(value: unknown): string {
  try {
    return typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? typeof value);
  } catch {
    return typeof value; // swallows a cycle, a bigint, a throwing toJSON
  }
}

/**
 * The own properties of an object with names, and nothing that it inherits: what somebody puts on `Object.prototype` is
 * nobody's option. Throws `TH_OPTION_INVALID`.
 */
export function record<T extends object>(what: string, value: T): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // the prototype is taken away from an object, since V8 keeps one that is made without as a hash table
    return Object.assign(Object.setPrototypeOf({}, null) as T, value);
  }
  throw new HookError('TH_OPTION_INVALID', { what: `${what} must be an object, not ${shown(value)}` });
}
