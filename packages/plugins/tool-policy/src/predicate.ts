/** Predicates on one value of the arguments. */
import { matchName, ownFields, type JsonValue } from '@treblehook/types';
import { compileCommandTest, type CommandTest } from './commands/command-test.js';
import { compileHostTest, type HostTest } from './hosts/host-test.js';
import type { Look } from './look.js';
import { compilePathTest, type PathTest, type PlaceTest } from './paths/path-test.js';
import type { KeyOf } from './readers.js';
import { not, someOf, type Truth } from './truth.js';
import type { PolicyWorld } from './world.js';

/** Exactly one of these. */
export type Predicate =
  /** Deep JSON equality; the order of an object's keys does not count. */
  | { readonly equals: JsonValue }
  /** Equal to one of these. */
  | { readonly in: readonly JsonValue[] }
  /** A text that the name glob matches whole; `*` matches any characters, `/` included. Never a number or a boolean. */
  | { readonly glob: string }
  /** A number from `min` to `max`, both included; either may be left out. Never a text. */
  | { readonly range: { readonly min?: number; readonly max?: number } }
  /** A text that is a path. */
  | Exclude<PathTest, { readonly not: PathTest }>
  /** A text that is a URL. */
  | Exclude<HostTest, { readonly not: HostTest }>
  /** A shell line, as a text or as `{ shell: line }`, or a list of texts that is a program and its words. */
  | { readonly command: CommandTest }
  /** Some element of a list, or some value of an object. */
  | { readonly some: Predicate }
  /** Holds when the other one does not, and so for a value that is not there. */
  | { readonly not: Predicate };

/** Whether a predicate holds for a value. A value that is not there, or of another kind, holds none but `not`. */
export type Test = (value: JsonValue | undefined, look: Look) => Truth;

/** One for each key of a predicate: one that lacks here does not compile. */
const compilers: { readonly [K in KeyOf<Predicate>]: (given: ValueOf<K>, world: PolicyWorld) => Test } = {
  equals: (one) => (value) => value !== undefined && same(one, value),
  in: (values) => (value) => value !== undefined && values.some((one) => same(one, value)),
  glob: (glob) => (value) => typeof value === 'string' && matchName(glob, value),
  range: (range) => {
    const { min = -Infinity, max = Infinity } = ownFields(range);
    return (value) => typeof value === 'number' && value >= min && value <= max;
  },
  within: (within, world) => onPlaces(compilePathTest({ within }, world)),
  path: (path, world) => onPlaces(compilePathTest({ path }, world)),
  host: (host) => {
    const holds = compileHostTest({ host });
    return (value, look) => typeof value === 'string' && holds(look.host(value));
  },
  command: (test, world) => {
    const holds = compileCommandTest(test, world);
    return (value, look) => {
      const command = commandOf(value);
      return command !== undefined && holds(look.reading(command), () => look.starts());
    };
  },
  some: (predicate, world) => {
    const inner = compilePredicate(predicate, world);
    return (value, look) =>
      typeof value === 'object' && value !== null && someOf(Object.values(value), (one) => inner(one, look));
  },
  not: (predicate, world) => {
    const inner = compilePredicate(predicate, world);
    return (value, look) => not(inner(value, look));
  },
};
type ValueOf<K extends KeyOf<Predicate>> = Extract<Predicate, Readonly<Record<K, unknown>>>[K];

const onPlaces =
  (holds: PlaceTest): Test =>
  (value, look) =>
    typeof value === 'string' && holds(look.places(value));

/** Compiles a predicate by its own fields alone. */
export function compilePredicate(predicate: Predicate, world: PolicyWorld): Test {
  const [key, value] = Object.entries(ownFields(predicate)).find(([, one]) => one !== undefined)!;
  const compile = compilers[key as KeyOf<Predicate>] as (given: unknown, world: PolicyWorld) => Test;
  return compile(value, world);
}

/** The shell line, also of `{ shell: line }`, or the program and its words; `undefined` of what is neither. */
export function commandOf(value: JsonValue | undefined): string | readonly string[] | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.length > 0 && value.every(isText) ? value : undefined;
  const line = Object.hasOwn(value, 'shell') ? (value as Fields)['shell'] : undefined;
  return Object.keys(value).length === 1 && isText(line) ? line : undefined;
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string';

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
