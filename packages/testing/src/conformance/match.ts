/** Whether an observed value is the expected one: equal, or as the one `$` word of an expectation says. */
import { isPlainObject, type JsonValue } from '@treblehook/types';
import type { Expectations } from './fixture.js';
import { valueAt } from './pointer.js';

export interface Mismatch {
  readonly pointer: string;
  readonly expected: string;
  readonly found: string;
}

/** One row for each pointer whose value is not as expected. Throws for a pointer, or a `$` word, that is none. */
export function mismatches(expectations: Expectations, observed: unknown): readonly Mismatch[] {
  return Object.entries(expectations).flatMap(([pointer, expected]) => {
    const found = valueAt(observed, pointer);
    const fault = faultOf(expected, found);
    return fault === undefined
      ? []
      : [{ pointer: pointer + fault.at, expected: fault.expected, found: spell(fault.found) }];
  });
}

export const holds = (expectations: Expectations | undefined, value: unknown): boolean =>
  expectations === undefined || mismatches(expectations, value).length === 0;

interface Fault {
  /** Where below the pointer, as a pointer. */
  readonly at: string;
  readonly expected: string;
  readonly found: unknown;
}

function faultOf(expected: JsonValue, found: unknown): Fault | undefined {
  const word = wordOf(expected);
  if (word !== undefined) return faultOfWord(word.name, word.value, found);
  const fault = { at: '', expected: spell(expected), found };
  if (typeof expected !== 'object' || expected === null) return Object.is(expected, found) ? undefined : fault;
  if (typeof found !== 'object' || found === null || Array.isArray(expected) !== Array.isArray(found)) return fault;
  const [wanted, there] = [Object.keys(expected), keysOf(found)];
  if (wanted.length !== there.length || !wanted.every((key) => there.includes(key))) return fault;
  for (const key of wanted) {
    const inner = faultOf((expected as Record<string, JsonValue>)[key]!, (found as Record<string, unknown>)[key]);
    if (inner !== undefined) return { ...inner, at: `/${key}${inner.at}` };
  }
  return undefined;
}

/** A key without a value is none. */
const keysOf = (found: object): string[] =>
  Object.keys(found).filter((key) => (found as Record<string, unknown>)[key] !== undefined);

/** An object with one key that begins with `$`. */
export function wordOf(value: unknown): { readonly name: string; readonly value: JsonValue } | undefined {
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return undefined;
  const [name, ...more] = Object.keys(value);
  if (name === undefined || more.length > 0 || !name.startsWith('$')) return undefined;
  return { name, value: (value as Record<string, JsonValue>)[name]! };
}

function faultOfWord(name: string, value: JsonValue, found: unknown): Fault | undefined {
  const fault = { at: '', expected: spell({ [name]: value }), found };
  const unless = (isSo: boolean): Fault | undefined => (isSo ? undefined : fault);
  switch (name) {
    case '$absent':
      return unless((found === undefined) === value);
    case '$contains':
      return unless(contains(found, value) === true);
    case '$lacks':
      return unless(contains(found, value) === false);
    case '$length':
      return unless((typeof found === 'string' || Array.isArray(found)) && faultOf(value, found.length) === undefined);
    case '$below':
      return unless(typeof found === 'number' && found < Number(value));
    case '$atLeast':
      return unless(typeof found === 'number' && found >= Number(value));
    case '$every':
      return unless(
        Array.isArray(found) && found.length > 0 && found.every((one) => faultOf(value, one) === undefined),
      );
    case '$has': {
      if (typeof value !== 'object' || value === null) throw new TypeError("'$has' takes an object of pointers");
      const [first] = mismatches(value as Expectations, found);
      return first && { at: first.pointer, expected: first.expected, found: valueAt(found, first.pointer) };
    }
    default:
      throw new TypeError(`an expectation has the unknown word '${name}'`);
  }
}

/** `undefined`: of what is neither a text nor a list nobody can say. */
function contains(found: unknown, value: JsonValue): boolean | undefined {
  if (typeof found === 'string' && typeof value === 'string') return found.includes(value);
  return Array.isArray(found) ? found.some((one) => faultOf(value, one) === undefined) : undefined;
}

const mostChars = 400;
function spell(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= mostChars ? text : `${text.slice(0, mostChars)} …`;
}
