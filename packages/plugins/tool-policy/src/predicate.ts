/** Predicates on one value of the arguments: `equals`, `in`, `glob`. */
import { matchName, type JsonValue } from '@treblehook/types';

/** Exactly one of three tests. */
export type Predicate =
  /** Deep JSON equality; the order of an object's keys does not count. */
  | { readonly equals: JsonValue }
  /** Equal to one of these. */
  | { readonly in: readonly JsonValue[] }
  /** A text that the name glob matches whole; `*` matches any characters, `/` included. Never a number or a boolean. */
  | { readonly glob: string };

/** Whether a predicate holds for a value. A value that is not there holds none. */
export function holds(predicate: Predicate, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  if ('glob' in predicate) return typeof value === 'string' && matchName(predicate.glob, value);
  if ('in' in predicate) return predicate.in.some((one) => same(one, value));
  return same(predicate.equals, value);
}

type Fields = Readonly<Record<string, JsonValue>>;

/** Deep equality of two JSON values. */
export function same(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item: JsonValue, at) => same(item, b[at] as JsonValue))
    );
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same((a as Fields)[key]!, (b as Fields)[key]!))
  );
}
