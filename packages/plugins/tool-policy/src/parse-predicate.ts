/** Reads predicates: every fault is refused with its place and the mend. */
import { ownFields, type JsonValue, type Setting } from '@treblehook/types';
import type { CommandTest } from './commands/command-test.js';
import { hostFault, type HostTest } from './hosts/host-test.js';
import { globFault } from './paths/file-glob.js';
import type { PathTest } from './paths/path-test.js';
import type { Predicate } from './predicate.js';

const predicates = ['equals', 'in', 'glob', 'range', 'within', 'path', 'host', 'command', 'some', 'not'] as const;
const inCommand = ['program', 'line', 'word', 'assigns', 'writes', 'reads', 'not'] as const;
/** `not` of `not` of …: deeper is a mistake. */
const deepest = 16;

export function readPredicate(test: Setting, depth = 0): Predicate {
  if (typeof test.value === 'string') {
    test.refuse(`${test.name} is a text: write { glob: ${JSON.stringify(test.value)} }, or { equals: … }`);
  }
  const [which, field] = oneOf(test, predicates, depth);
  switch (which) {
    case 'equals':
      return frozen({ equals: field.json() });
    case 'in':
      return frozen({ in: readValues(field) });
    case 'glob':
      return frozen({ glob: field.text() });
    case 'range':
      return frozen({ range: readRange(field) });
    case 'command':
      return frozen({ command: readCommandTest(field, depth + 1) });
    case 'some':
      return frozen({ some: readPredicate(field, depth + 1) });
    case 'not':
      return frozen({ not: readPredicate(field, depth + 1) });
    case 'host':
      return frozen({ host: readHosts(field) });
    case 'path':
      return frozen({ path: readGlobs(field) });
    default:
      return frozen({ within: readTexts(field) });
  }
}

export function readPathTest(test: Setting, depth = 0): PathTest {
  if (isTexts(test)) {
    test.refuse(`${test.name} says not how: write { within: … } for folders, or { path: … } for file globs`);
  }
  const [which, field] = oneOf(test, ['within', 'path', 'not'], depth);
  if (which === 'not') return frozen({ not: readPathTest(field, depth + 1) });
  return frozen(which === 'within' ? { within: readTexts(field) } : { path: readGlobs(field) });
}

export function readHostTest(test: Setting, depth = 0): HostTest {
  if (isTexts(test)) {
    test.refuse(`${test.name} says not how: write { host: ${JSON.stringify(test.value)} }`);
  }
  const [which, field] = oneOf(test, ['host', 'not'], depth);
  return which === 'not' ? frozen({ not: readHostTest(field, depth + 1) }) : frozen({ host: readHosts(field) });
}

export function readCommandTest(test: Setting, depth = 0): CommandTest {
  if (isTexts(test)) {
    test.refuse(`${test.name} says not how: write { program: ${JSON.stringify(test.value)} }, or { line: … }`);
  }
  tooDeep(test, depth);
  const fields = test.fields(inCommand);
  const { program, line, word, assigns, writes, reads, not } = fields;
  if (inCommand.every((key) => fields[key] === undefined)) {
    test.refuse(`${test.name} says nothing: use one of ${inCommand.join(', ')}`);
  }
  for (const one of program?.texts() ?? []) {
    if (/[/\\]/.test(one.text()))
      one.refuse(`a program is named without its folder: '${one.text().split(/[/\\]/).pop()!}'`);
  }
  return frozen({
    ...(program && { program: readTexts(program) }),
    ...(line && { line: readTexts(line) }),
    ...(word && { word: readTexts(word) }),
    ...(assigns && { assigns: readTexts(assigns) }),
    ...(writes && { writes: readPathTest(writes, depth + 1) }),
    ...(reads && { reads: readPathTest(reads, depth + 1) }),
    ...(not && { not: readCommandTest(not, depth + 1) }),
  });
}

/** The one key of a map that has exactly one of these. */
function oneOf<K extends string>(test: Setting, keys: readonly K[], depth: number): readonly [K, Setting] {
  tooDeep(test, depth);
  const fields = test.fields(keys);
  const [which, ...more] = keys.filter((key) => fields[key] !== undefined);
  if (which === undefined || more.length > 0) {
    return test.refuse(`${test.name} needs exactly one of ${keys.map((key) => `{ ${key}: … }`).join(', ')}`);
  }
  return [which, fields[which]!];
}

function tooDeep(test: Setting, depth: number): void {
  if (depth > deepest) test.refuse(`${test.name} nests deeper than ${deepest} levels, or contains itself`);
}

export const readTexts = (field: Setting): readonly string[] => Object.freeze(field.texts().map((one) => one.text()));

function readGlobs(field: Setting): readonly string[] {
  for (const one of field.texts()) {
    const fault = globFault(one.text());
    if (fault !== undefined) one.refuse(fault);
  }
  return readTexts(field);
}

function readHosts(field: Setting): readonly string[] {
  for (const one of field.texts()) {
    const fault = hostFault(one.text());
    if (fault !== undefined) one.refuse(fault);
  }
  return readTexts(field);
}

function readValues(field: Setting): readonly JsonValue[] {
  const values = field.items().map((item) => item.json());
  if (values.length === 0) field.refuse(`${field.name} is an empty list, which nothing is in: list the values`);
  return Object.freeze(values);
}

function readRange(field: Setting): { readonly min?: number; readonly max?: number } {
  const { min, max } = field.fields(['min', 'max']);
  if (min === undefined && max === undefined) field.refuse(`${field.name} needs 'min', 'max' or both`);
  const bound = (one: Setting): number => {
    const { value } = one;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    return one.refuse(`${one.name} is no number: write one, without quotes`);
  };
  const range = { ...(min && { min: bound(min) }), ...(max && { max: bound(max) }) };
  if (range.min !== undefined && range.max !== undefined && range.min > range.max) {
    field.refuse(`${field.name} holds no number: 'min' is more than 'max'`);
  }
  return frozen(range);
}

const isTexts = ({ value }: Setting): boolean => typeof value === 'string' || Array.isArray(value);
const frozen = <T extends object>(value: T): T => Object.freeze(ownFields(value)) as T;
