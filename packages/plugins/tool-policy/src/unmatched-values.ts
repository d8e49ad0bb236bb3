/** Predicates that no value of their argument can fulfil, as far as the schema of the tool says what it takes. */
import {
  matchName,
  nearestName,
  ownFields,
  type JsonObject,
  type JsonValue,
  type SettingPath,
  type ToolIdentity,
} from '@treblehook/types';
import { labelOf, namesTool } from './compile-rule.js';
import { readPointer } from './pointer.js';
import type { Policy } from './policy.js';
import { same, type Predicate } from './predicate.js';
import type { KeyOf } from './readers.js';

export interface UnmatchedValue {
  readonly rule: string;
  /** Where the predicate stands in the policy. */
  readonly path: SettingPath;
  readonly pointer: string;
  readonly tool: string;
  /** In words, with the mend. */
  readonly why: string;
}

type Described = Pick<ToolIdentity, 'source' | 'name'> & {
  readonly inputSchema: JsonObject;
  readonly commands?: readonly string[];
};
type Kind = 'a text' | 'a number' | 'a boolean' | 'null' | 'a list' | 'a map';

/** What the schema lets through: some kinds, and if it lists them, the values. `undefined`: anything. */
interface Taken {
  readonly kinds: readonly Kind[];
  readonly values?: readonly JsonValue[];
}

/**
 * The predicates of `when` that hold for no value which a tool of the rule takes: `glob` on a list, `equals: get` on one of
 * `GET` and `HEAD`. By the schema of what a call gives: one that makes another kind of it is not seen through. A predicate
 * `not` is passed over.
 */
export function unmatchedValues(policy: Policy, tools: readonly Described[]): readonly UnmatchedValue[] {
  return (policy.rules ?? []).flatMap((rule, at) => {
    const named = tools.filter((tool) => [rule.tools].flat().some((glob) => namesTool(glob, tool)));
    const [first] = named;
    if (first === undefined) return [];
    return Object.entries(ownFields(rule).when ?? {}).flatMap(([pointer, predicate]) => {
      const whys = named.map((tool) => whyNever(pointer, predicate, tool));
      const [why] = whys;
      if (why === undefined || whys.includes(undefined)) return [];
      return [{ rule: labelOf(rule, at), path: ['rules', at, 'when', pointer], pointer, tool: first.name, why }];
    });
  });
}

function whyNever(
  pointer: string,
  predicate: Predicate,
  { inputSchema, commands = [] }: Described,
): string | undefined {
  const steps = readPointer(pointer);
  const taken = typeof steps === 'string' ? undefined : takenBy(schemaAt(inputSchema, steps));
  if (taken === undefined) return undefined;
  const [key, value] = Object.entries(ownFields(predicate))[0] as [KeyOf<Predicate>, JsonValue];
  const looksAt = looked[key];
  const compared = key === 'equals' ? [value] : key === 'in' ? (value as readonly JsonValue[]) : undefined;
  const kinds = compared?.map(kindOf) ?? looksAt;
  if (kinds === undefined) return undefined;
  if (!kinds.some((kind) => taken.kinds.includes(kind))) {
    const is = `${alternatives(kinds)}, and it is ${alternatives(taken.kinds)}`;
    if (compared !== undefined) return `'${key}' has ${is}`;
    return `'${key}' looks at ${is}: use '${predicateFor(taken.kinds, commands.includes(String(steps[0])))}'`;
  }
  const { values } = taken;
  if (values === undefined) return undefined;
  const holds = (one: JsonValue): boolean =>
    compared === undefined
      ? key !== 'glob' || (typeof one === 'string' && matchName(value as string, one))
      : compared.some((other) => same(one, other));
  if (values.some(holds)) return undefined;
  return `it is ${alternatives(values.map((one) => JSON.stringify(one)))}${meant(compared ?? [value], values)}`;
}

/** Kinds of values for which each predicate can hold; `undefined` of one that is compared, or may hold for any. */
const looked: { readonly [K in KeyOf<Predicate>]: readonly Kind[] | undefined } = {
  equals: undefined,
  in: undefined,
  glob: ['a text'],
  range: ['a number'],
  within: ['a text'],
  path: ['a text'],
  host: ['a text'],
  command: ['a text', 'a list', 'a map'],
  some: ['a list', 'a map'],
  not: undefined,
};

function predicateFor(kinds: readonly Kind[], isCommand: boolean): KeyOf<Predicate> {
  if (isCommand) return 'command';
  if (kinds.includes('a text')) return 'glob';
  return kinds.includes('a list') || kinds.includes('a map') ? 'some' : 'equals';
}

/** The schema of what a pointer leads to; `undefined` where it does not say. */
function schemaAt(schema: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((at, step) => {
    const { properties, items, prefixItems } = fieldsOf(at);
    const own = fieldsOf(properties);
    if (Object.hasOwn(own, step)) return own[step];
    return prefixItems === undefined && /^\d+$/.test(step) ? items : undefined;
  }, schema);
}

function takenBy(schema: JsonValue | undefined): Taken | undefined {
  const { type, enum: listed, anyOf, oneOf, ...others } = fieldsOf(schema);
  const values = Object.hasOwn(others, 'const') ? [others['const']!] : Array.isArray(listed) ? listed : undefined;
  if (values !== undefined) return { kinds: values.map(kindOf), values };
  if (type !== undefined) {
    const kinds = [type].flat().map((one) => (typeof one === 'string' ? kindsByType[one] : undefined));
    return kinds.some((one) => one === undefined) ? undefined : { kinds: kinds as Kind[] };
  }
  const either = anyOf ?? oneOf;
  if (!Array.isArray(either)) return undefined;
  const all = either.map(takenBy);
  if (all.some((one) => one === undefined)) return undefined;
  const known = all as Taken[];
  const kinds = known.flatMap((one) => one.kinds);
  return known.some((one) => one.values === undefined)
    ? { kinds }
    : { kinds, values: known.flatMap((one) => one.values!) };
}

const kindsByType: { readonly [type: string]: Kind | undefined } = Object.freeze(
  Object.assign(
    Object.create(null) as object,
    {
      string: 'a text',
      number: 'a number',
      integer: 'a number',
      boolean: 'a boolean',
      null: 'null',
      array: 'a list',
      object: 'a map',
    } as const,
  ),
);

const kindOf = (value: JsonValue): Kind =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : kindsByType[typeof value]!;

/** `a text, a list or a map`, each once. */
function alternatives(all: readonly string[]): string {
  const each = [...new Set(all)];
  return each.length < 2 ? each.join('') : `${each.slice(0, -1).join(', ')} or ${each.at(-1)!}`;
}

/** The value that was perhaps meant: the same in other letters, or the nearest. */
function meant(given: readonly JsonValue[], values: readonly JsonValue[]): string {
  const names = values.filter((one) => typeof one === 'string');
  const near = given
    .filter((one) => typeof one === 'string')
    .map((one) => names.find((name) => name.toLowerCase() === one.toLowerCase()) ?? nearestName(one, names))
    .find((one) => one !== undefined);
  return near === undefined ? '' : `: did you mean '${near}'?`;
}

const fieldsOf = (schema: JsonValue | undefined): { readonly [key: string]: JsonValue | undefined } =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (ownFields(schema) as JsonObject) : {};
