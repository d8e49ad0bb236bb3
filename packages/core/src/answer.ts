/** Reading an answer: from untrusted value to frozen keys of known names and kinds. */
import { didYouMean, isPlainObject, textOf } from '@treblehook/types';
import { Amendment } from './amendment.js';
import { copyFrozen, isPlainList, NotPlain } from './frozen.js';
import type { Keys } from './key.js';

/**
 * Adds the keys that an answer sets to an amendment, values frozen and marked. Only own properties are read, each once; a
 * key that is `undefined` or `null` is not set. Throws `NotPlain` with what is wrong.
 */
export function readInto(amendment: Amendment, answer: unknown, known: Keys, isReadElsewhere?: IsName): void {
  if (answer === undefined || answer === null) return;
  assertPlain(answer);
  for (const name in answer) {
    if (isReadElsewhere?.(name)) continue;
    const value = ownValue(answer, name); // `undefined` for a key that is inherited
    if (value === undefined || value === null) continue;
    const key = known.get(name);
    if (key === undefined) throw new NotPlain(unknownKey(name, known));
    if (typeof value !== key.kind && !isOfKind(value, key.kind)) {
      throw new NotPlain(`'${name}' must be ${article(key.kind)}, not ${nameOf(value)}`);
    }
    amendment.add(key, typeof value === 'object' ? frozenAnswer(value, name) : value);
  }
}

function unknownKey(name: string, known: Keys): string {
  const names = [...known.keys()];
  return `'${name}' is no key of an answer: ${didYouMean(name, names) ?? `keys are ${names.join(', ')}`}`;
}

type IsName = (name: string) => boolean;

/** The same as an object of its own. */
export function readKeys(answer: unknown, known: Keys, isReadElsewhere?: IsName): Record<string, unknown> {
  const amendment = new Amendment();
  readInto(amendment, answer, known, isReadElsewhere);
  return amendment.toObject();
}

/** All own keys, the hidden ones too: none may stand for silence. */
export function ownKeys(answer: unknown): string[] {
  assertPlain(answer);
  return Reflect.ownKeys(answer).map((key) => {
    if (typeof key === 'symbol') throw new NotPlain(`${String(key)} is no key of an answer`);
    return key;
  });
}

function assertPlain(answer: unknown): asserts answer is Record<string, unknown> {
  // an array is no plain object: its prototype is another
  if (typeof answer === 'object' && answer !== null && isPlainObject(answer)) return;
  throw new NotPlain(`it must be a plain object or nothing, not ${nameOf(answer)}`);
}

export function ownValue(answer: object, key: string): unknown {
  const own = Object.getOwnPropertyDescriptor(answer, key);
  if (own === undefined) return undefined;
  if (!Object.hasOwn(own, 'value')) throw new NotPlain(`'${key}' is an accessor`);
  return own.value;
}

function frozenAnswer(value: unknown, key: string): unknown {
  try {
    return copyFrozen(value);
  } catch (error) {
    throw new NotPlain(`'${key}' has ${textOf(error)}`);
  }
}

export function isOfKind(value: unknown, kind: string): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'strings':
      return isPlainList(value) && value.every((item) => typeof item === 'string');
    case 'array':
      return isPlainList(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

export const article = (kind: string): string =>
  kind === 'strings' ? 'a list of strings' : /^[aeo]/.test(kind) ? `an ${kind}` : `a ${kind}`;

export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return isPlainObject(value) ? 'an object' : 'a class instance';
  return value === undefined ? 'undefined' : article(typeof value);
}
