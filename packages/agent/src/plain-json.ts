/** Plain JSON: the copy of a value that is nothing else, and the refusal of one that is more. */
import { adopt } from '@treblehook/core';
import type { JsonValue } from '@treblehook/types';

/** Nesting of arrays and objects beyond this is refused. */
const maxDepth = 256;
/** Values beyond this are refused: data that shares its parts could stand for more than memory holds. */
const maxValues = 1_000_000;

/** Why a value is no plain JSON. */
export class NotJson extends Error {}

/**
 * Copies a value to plain JSON, frozen: each property is read once, from its descriptor, so no getter runs. Objects of the copy
 * inherit from nothing, so what is put on `Object.prototype` is never read for a missing key; `-0` becomes `0`, which has
 * the same canonical text. Throws `NotJson` for an accessor, a class instance, a function, a symbol, `undefined`, a
 * number that is not finite, a bigint, a cycle, a hole, a hidden or extra property, a key `__proto__`, a lone surrogate
 * (RFC 8785 has no text for one), and nesting over 256.
 */
export function plainJson(value: unknown): JsonValue {
  return copy(value, { path: [], ancestors: [], left: maxValues });
}

interface Walk {
  readonly path: (string | number)[];
  readonly ancestors: object[];
  left: number;
}

function copy(value: unknown, walk: Walk): JsonValue {
  if (--walk.left < 0) refuse(walk, `more than ${maxValues} values`);
  switch (typeof value) {
    case 'string':
      if (isIllFormed(value)) refuse(walk, 'a lone surrogate');
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(walk, `the number ${value}`);
      return value === 0 ? 0 : value;
    case 'object':
      return value === null ? null : copyObject(value, walk);
    default:
      return refuse(walk, value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function copyObject(value: object, walk: Walk): JsonValue {
  if (walk.ancestors.includes(value)) refuse(walk, 'a cycle');
  if (walk.ancestors.length >= maxDepth) refuse(walk, `more than ${maxDepth} levels`);
  walk.ancestors.push(value);
  const isList = Array.isArray(value);
  const proto: unknown = Object.getPrototypeOf(value);
  if (isList ? proto !== Array.prototype : proto !== Object.prototype && proto !== null) {
    refuse(walk, 'a class instance');
  }
  const out = isList ? copyList(value, walk) : copyFields(value, walk);
  walk.ancestors.pop();
  return out;
}

function copyList(value: object, walk: Walk): JsonValue {
  const keys = Reflect.ownKeys(value);
  const items: JsonValue[] = [];
  const length = Object.getOwnPropertyDescriptor(value, 'length')?.value as number;
  if (length > walk.left) refuse(walk, `more than ${maxValues} values`);
  for (let at = 0; at < length; at++) {
    if (keys[at] !== String(at)) refuse(walk, `a hole at ${at}`);
    items.push(field(value, at, walk));
  }
  if (keys.length > length + 1) refuse(walk, `a list with the property '${String(keys.find(isNoIndex))}'`);
  return adopt(items);
}
const isNoIndex = (key: string | symbol): boolean => key !== 'length' && !/^\d+$/.test(String(key));

function copyFields(value: object, walk: Walk): JsonValue {
  const out = Object.create(null) as Record<string, JsonValue>;
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') return refuse(walk, `the symbol key ${String(key)}`);
    if (key === '__proto__') refuse(walk, "the key '__proto__'");
    if (isIllFormed(key)) refuse(walk, 'a key with a lone surrogate');
    out[key] = field(value, key, walk);
  }
  return adopt(out);
}

function field(of: object, key: string | number, walk: Walk): JsonValue {
  const own = Object.getOwnPropertyDescriptor(of, key);
  walk.path.push(key);
  if (own === undefined) return refuse(walk, 'a property that comes and goes');
  if (!Object.hasOwn(own, 'value')) refuse(walk, 'an accessor');
  if (own.enumerable !== true) refuse(walk, 'a hidden property');
  const out = copy(own.value, walk);
  walk.path.pop();
  return out;
}

const isIllFormed = (text: string): boolean => /\p{Surrogate}/u.test(text);

function refuse(walk: Walk, what: string): never {
  const at = walk.path.map((key) => `/${key}`).join('');
  throw new NotJson(at === '' ? what : `${what} at ${at}`);
}
