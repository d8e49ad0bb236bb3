/** Predicates on one value of the arguments: `equals`, `in`, `glob`. */
import { matchName, ownFields, type JsonValue } from '@treblehook/types';

/** Exactly one of three tests. */
export type Predicate =
  /** Deep JSON equality; the order of an object's keys does not count. */
  | { readonly equals: JsonValue }
  /** Equal to one of these. */
  | { readonly in: readonly JsonValue[] }
  /** A text that the name glob matches whole; `*` matches any characters, `/` included. Never a number or a boolean. */
  | { readonly glob: string };

/** A predicate that says itself which of the three it is. */
export type Test =
  | { readonly kind: 'glob'; readonly glob: string }
  | { readonly kind: 'in'; readonly values: readonly JsonValue[] };

/** Compiles a predicate by its own fields alone. */
export function testOf(predicate: Predicate): Test {
  const own: { readonly glob?: string; readonly in?: readonly JsonValue[]; readonly equals?: JsonValue } =
    ownFields(predicate);
  if (own.glob !== undefined) return Object.freeze({ kind: 'glob', glob: own.glob });
  return Object.freeze({ kind: 'in', values: own.in ?? [own.equals as JsonValue] });
}

/** Whether a test holds for a value. A value that is not there holds none. */
export function holds(test: Test, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  if (test.kind === 'glob') return typeof value === 'string' && matchName(test.glob, value);
  return test.values.some((one) => same(one, value));
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
