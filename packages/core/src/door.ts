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
    if (NotPlain.is(error))
      throw new HookError('TH_PAYLOAD_INVALID', { hook: 'frozen', what: `it has ${error.message}` });
    throw error;
  }
}

/**
 * Freezes and marks a list, or a plain object, without walking it, and returns that same object. For what was just made of
 * marked values, such as a history whose messages were frozen one by one. What is in it that is not marked is not frozen.
 */
export function adopt<T>(items: T[]): readonly T[];
export function adopt<T extends object>(fields: T): Readonly<T>;
export function adopt(value: object): object {
  return isMarked(value) ? value : mark(value);
}
