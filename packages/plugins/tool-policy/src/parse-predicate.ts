/** Reads predicates: every fault is refused with its place and the mend. */
import { matchName, ownFields, type JsonValue, type Setting } from '@treblehook/types';
import type { CommandTest } from './commands/command-test.js';
import { hostFault, type HostTest } from './hosts/host-test.js';
import { globFault } from './paths/file-glob.js';
import type { PathTest } from './paths/path-test.js';
import type { Predicate } from './predicate.js';
import { allOf, keysOf, readMap, type OneReaders, type Readers } from './readers.js';

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
  within: (field) => ({ within: readNames(field) }),
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
  within: (field) => ({ within: readNames(field) }),
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
  const { read, fields } = readMap(test, { readers: commandReaders, context: depth + 1, others: [], must: {} });
  if (commandKeys.every((key) => fields[key] === undefined)) {
    test.refuse(`${test.name} says nothing: use one of ${commandKeys.join(', ')}`);
  }
  const programs = fields.program?.texts().map((one) => one.text());
  if (programs !== undefined) allOf((fields.line?.texts() ?? []).map((line) => () => assertLineOf(line, programs)));
  return frozen(read);
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
    if (/\s/.test(one.text()))
      one.refuse(`a program is one name, so '${one.text()}' is none: ${wordsMend(one.text())}`);
  }
  return readTexts(field);
}

function wordsMend(text: string): string {
  const [program = '', ...words] = text.trim().split(/\s+/);
  const last = words.at(-1) ?? '…';
  // `-rf` is also `-fr`, `-r -f` and `-vrf`
  const [, letter] = /^-([a-zA-Z])[a-zA-Z]*$/.exec(last) ?? [];
  if (letter !== undefined)
    return `write { program: ${program}, word: '-*${letter}*' }, and beside it in a list what else the option is called: its words may be apart, in another order, or long`;
  return `write { line: '${[program, ...words].join(' ')}*' }, or { program: ${program}, word: ${last} }`;
}

/** A line begins with its program, so one of another program and the test of the program never hold together. */
function assertLineOf(line: Setting, programs: readonly string[]): void {
  const text = line.text();
  if (programs.some((program) => mayBegin(text, program))) return;
  const named = programs.map((program) => `'${program}'`).join(' or ');
  line.refuse(`'${text}' is no line of ${named}, so both never hold: take one of them out`);
}

/** Whether a program that the glob matches may stand at the beginning of a line that the other glob matches. */
function mayBegin(line: string, program: string): boolean {
  const [begins = ''] = line.split('*', 1);
  const [name = ''] = program.split('*', 1);
  const isOpen = begins.length < line.length;
  // the program of the line is known whole when a blank ends it, or the line
  if (begins.includes(' ') || !isOpen) return matchName(program, begins.split(' ', 1)[0]!);
  return name === program ? name.startsWith(begins) : name.startsWith(begins) || begins.startsWith(name);
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

/** Texts that name something: what stands around it in blanks is no part of a name. */
export function readNames(field: Setting): readonly string[] {
  for (const one of field.texts()) assertBare(one);
  return readTexts(field);
}

function assertBare(one: Setting, mend = ''): void {
  const text = one.text();
  if (text !== text.trim()) one.refuse(`'${text}' begins or ends with a blank: take it out${mend}`);
}

function readGlobs(field: Setting): readonly string[] {
  for (const one of field.texts()) {
    assertBare(one, ", or write '[ ]' where it is meant");
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
