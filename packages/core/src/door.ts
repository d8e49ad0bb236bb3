/** The door, for those who fire often: freezing once what is fired many times. */
import { HookError, isPlainObject } from '@treblehook/types';
import { append, copyFrozen, fieldsLike, isMarked, isPlainList, mark, NotPlain, put } from './frozen.js';

/**
 * The value as the kernel hands it to handlers: plain data as a frozen, marked copy (the caller's object left alone);
 * marked data, primitives and opaque values as they are. Throws `TH_PAYLOAD_INVALID` for a cycle or an accessor.
 */
export function frozen<T>(value: T): T {
  try {
    return copyFrozen(value) as T;
  } catch (error) {
    if (NotPlain.is(error)) return refuse(`it has ${error.message}`);
    throw error;
  }
}

/**
 * A list, or a plain object, as a frozen, marked copy of one level: for what was just made of marked values, such as a
 * message whose parts were frozen one by one. Nothing of yours is copied deep unseen: throws `TH_PAYLOAD_INVALID` for an
 * item that is neither a primitive, nor opaque, nor marked, for a hole and for an accessor.
 */
export function adopt<T>(items: T[]): readonly T[];
export function adopt<T extends object>(fields: T): Readonly<T>;
export function adopt(value: object): object {
  if (isMarked(value)) return value;
  // a copy: a proxy could show one item to the look and keep another
  if (isPlainList(value)) {
    const items: unknown[] = [];
    const { length } = value;
    for (let at = 0; at < length; at++) append(items, frozenPart(value, at));
    return mark(items);
  }
  if (!isPlainObject(value)) return refuse('only a list or a plain object can be adopted');
  const fields = fieldsLike(value);
  for (const key of Object.keys(value)) put(fields, key, frozenPart(value, key));
  return mark(fields);
}

function frozenPart(of: object, key: string | number): unknown {
  const own = Object.getOwnPropertyDescriptor(of, key);
  if (own === undefined) return refuse(`it has a hole at /${key}`);
  if (!Object.hasOwn(own, 'value')) return refuse(`it has an accessor at /${key}`);
  return assertFrozen(own.value, key);
}

/** The item itself. Throws `TH_PAYLOAD_INVALID` for plain data that is not marked. */
export function assertFrozen<T>(item: T, key: string | number): T {
  if (typeof item !== 'object' || item === null || isMarked(item)) return item;
  if (!isPlainList(item) && !isPlainObject(item)) return item;
  return refuse(`/${key} is not frozen: pass it through frozen() first`);
}

function refuse(what: string): never {
  throw new HookError('TH_PAYLOAD_INVALID', { what });
}
