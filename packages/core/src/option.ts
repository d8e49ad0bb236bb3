/** Reading options of untyped callers. */
import { HookError } from '@treblehook/types';

/** The value itself, when it is an object with names. Throws `TH_OPTION_INVALID`. */
export function record<T extends object>(what: string, value: T): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new HookError('TH_OPTION_INVALID', { what: `${what} must be an object, not ${JSON.stringify(value)}` });
}
