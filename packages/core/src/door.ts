/** The door, for those who fire often: freezing once what is fired many times. */
import { HookError } from '@treblehook/types';
import { copyFrozen, isMarked, mark, NotPlain } from './frozen.js';

/**
 * The value as the kernel hands it to handlers: plain data as a frozen, marked copy (the caller's object left alone);
 * marked data, primitives and opaque values as they are. Throws `TH_PAYLOAD_INVALID` for a cycle or an accessor.
 */
export function frozen<T>(value: T): T {
  try {
    return copyFrozen(value) as T;
  } catch (error) {
    if (error instanceof NotPlain) throw new HookError('TH_PAYLOAD_INVALID', { hook: 'frozen', what: `it has ${error.message}` });
    throw error;
  }
}

/**
 * Freezes and marks an array of marked values without walking it, and returns that same array. For a list whose items
 * were frozen one by one, such as a history. What is in it that is not marked is not frozen.
 */
export function adopt<T>(items: T[]): readonly T[] {
  return isMarked(items) ? items : mark(items);
}
