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
  return copy(value, { left: maxValues }, undefined);
}

interface Walk {
  left: number;
}
/** Where a value stands. A chain, since a list could be reached through a setter on `Object.prototype`. */
interface Place {
  readonly of: object;
  readonly key: string | number;
  readonly depth: number;
  readonly above: Place | undefined;
}

function copy(value: unknown, walk: Walk, at: Place | undefined): JsonValue {
  if (--walk.left < 0) refuse(at, `more than ${maxValues} values`);
  switch (typeof value) {
    case 'string':
      if (isIllFormed(value)) refuse(at, 'a lone surrogate');
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(at, `the number ${value}`);
      return value === 0 ? 0 : value;
    case 'object':
      return value === null ? null : copyObject(value, walk, at);
    default:
      return refuse(at, value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function copyObject(value: object, walk: Walk, at: Place | undefined): JsonValue {
  for (let one = at; one !== undefined; one = one.above) if (one.of === value) refuse(at, 'a cycle');
  if ((at?.depth ?? 0) >= maxDepth) refuse(at, `more than ${maxDepth} levels`);
  const isList = Array.isArray(value);
  const proto: unknown = Object.getPrototypeOf(value);
  if (isList ? proto !== Array.prototype : proto !== Object.prototype && proto !== null) {
    refuse(at, 'a class instance');
  }
  return isList ? copyList(value, walk, at) : copyFields(value, walk, at);
}

function copyList(value: object, walk: Walk, above: Place | undefined): JsonValue {
  const keys = Reflect.ownKeys(value);
  const length = Object.getOwnPropertyDescriptor(value, 'length')?.value as number;
  if (length > walk.left) refuse(above, `more than ${maxValues} values`);
  for (let at = 0; at < length; at++) if (keys[at] !== String(at)) refuse(above, `a hole at ${at}`);
  if (keys.length > length + 1) {
    refuse(above, `a list with the property '${String(keys.find(isNoIndex))}'`);
  }
  // `map` defines the items; to push one would call a setter that stands on `Object.prototype` under its index
  return adopt(keys.slice(0, length).map((_, at) => field(value, at, walk, above)));
}
const isNoIndex = (key: string | symbol): boolean => key !== 'length' && !/^\d+$/.test(String(key));

function copyFields(value: object, walk: Walk, above: Place | undefined): JsonValue {
  const out = Object.create(null) as Record<string, JsonValue>;
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') return refuse(above, `the symbol key ${String(key)}`);
    if (key === '__proto__') refuse(above, "the key '__proto__'");
    if (isIllFormed(key)) refuse(above, 'a key with a lone surrogate');
    out[key] = field(value, key, walk, above);
  }
  return adopt(out);
}

function field(of: object, key: string | number, walk: Walk, above: Place | undefined): JsonValue {
  const own = Object.getOwnPropertyDescriptor(of, key);
  const at: Place = { of, key, depth: (above?.depth ?? 0) + 1, above };
  if (own === undefined) return refuse(at, 'a property that comes and goes');
  if (!Object.hasOwn(own, 'value')) refuse(at, 'an accessor');
  if (own.enumerable !== true) refuse(at, 'a hidden property');
  return copy(own.value, walk, at);
}

const isIllFormed = (text: string): boolean => /\p{Surrogate}/u.test(text);

function refuse(at: Place | undefined, what: string): never {
  let path = '';
  for (let one = at; one !== undefined; one = one.above) path = `/${one.key}${path}`;
  throw new NotJson(path === '' ? what : `${what} at ${path}`);
}
