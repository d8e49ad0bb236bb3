/** Reads predicates: every fault is refused with its place and the mend. */
import { ownFields, type JsonValue, type Setting } from '@treblehook/types';
import type { CommandTest } from './commands/command-test.js';
import { hostFault, type HostTest } from './hosts/host-test.js';
import { globFault } from './paths/file-glob.js';
import type { PathTest } from './paths/path-test.js';
import type { Predicate } from './predicate.js';
import { keysOf, readBy, type OneReaders, type Readers } from './readers.js';

/** `not` of `not` of …: deeper is a mistake. */
const deepest = 16;

export function readPredicate(test: Setting, depth = 0): Predicate {
  if (typeof test.value === 'string') {
    test.refuse(`${test.name} is a text: write { glob: ${JSON.stringify(test.value)} }, or { equals: … }`);
  }
  return readOne(test, predicateReaders, depth);
}
const predicateReaders: OneReaders<Predicate, number> = {
  equals: (field) => ({ equals: field.json() }),
  in: (field) => ({ in: readValues(field) }),
  glob: (field) => ({ glob: field.text() }),
  range: (field) => ({ range: readRange(field) }),
  within: (field) => ({ within: readTexts(field) }),
  path: (field) => ({ path: readGlobs(field) }),
  host: (field) => ({ host: readHosts(field) }),
  command: (field, depth) => ({ command: readCommandTest(field, depth) }),
  some: (field, depth) => ({ some: readPredicate(field, depth) }),
  not: (field, depth) => ({ not: readPredicate(field, depth) }),
};

export function readPathTest(test: Setting, depth = 0): PathTest {
  if (isTexts(test)) {
    test.refuse(`${test.name} says not how: write { within: … } for folders, or { path: … } for file globs`);
  }
  return readOne(test, pathReaders, depth);
}
const pathReaders: OneReaders<PathTest, number> = {
  within: (field) => ({ within: readTexts(field) }),
  path: (field) => ({ path: readGlobs(field) }),
  not: (field, depth) => ({ not: readPathTest(field, depth) }),
};

export function readHostTest(test: Setting, depth = 0): HostTest {
  if (isTexts(test)) {
    test.refuse(`${test.name} says not how: write { host: ${JSON.stringify(test.value)} }`);
  }
  return readOne(test, hostReaders, depth);
}
const hostReaders: OneReaders<HostTest, number> = {
  host: (field) => ({ host: readHosts(field) }),
  not: (field, depth) => ({ not: readHostTest(field, depth) }),
};

export function readCommandTest(test: Setting, depth = 0): CommandTest {
  if (isTexts(test)) {
    test.refuse(`${test.name} says not how: write { program: ${JSON.stringify(test.value)} }, or { line: … }`);
  }
  tooDeep(test, depth);
  const fields = test.fields(commandKeys);
  if (commandKeys.every((key) => fields[key] === undefined)) {
    test.refuse(`${test.name} says nothing: use one of ${commandKeys.join(', ')}`);
  }
  return frozen(readBy(commandReaders, fields, depth + 1));
}
const commandReaders: Readers<CommandTest, number> = {
  program: readPrograms,
  line: readTexts,
  word: readTexts,
  assigns: readTexts,
  writes: readPathTest,
  reads: readPathTest,
  not: readCommandTest,
};
const commandKeys = keysOf(commandReaders);

function readPrograms(field: Setting): readonly string[] {
  for (const one of field.texts()) {
    if (/[/\\]/.test(one.text()))
      one.refuse(`a program is named without its folder: '${one.text().split(/[/\\]/).pop()!}'`);
    if (/\s/.test(one.text())) {
      const [program = '', ...words] = one.text().trim().split(/\s+/);
      one.refuse(
        `a program is one name, so '${one.text()}' is none: write { line: '${[program, ...words].join(' ')}*' }, or { program: ${program}, word: ${words.at(-1) ?? '…'} }`,
      );
    }
  }
  return readTexts(field);
}

/** A map that has exactly one of these keys. */
function readOne<U extends object>(test: Setting, readers: OneReaders<U, number>, depth: number): U {
  tooDeep(test, depth);
  const keys = keysOf(readers);
  const fields = test.fields(keys);
  const [which, ...more] = keys.filter((key) => fields[key] !== undefined);
  if (which === undefined || more.length > 0) {
    return test.refuse(`${test.name} needs exactly one of ${keys.map((key) => `{ ${key}: … }`).join(', ')}`);
  }
  return frozen(readers[which](fields[which]!, depth + 1));
}

function tooDeep(test: Setting, depth: number): void {
  if (depth > deepest) test.refuse(`${test.name} nests deeper than ${deepest} levels, or contains itself`);
}

export function readTexts(field: Setting): readonly string[] {
  return Object.freeze(field.texts().map((one) => one.text()));
}

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
