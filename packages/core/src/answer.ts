/** Reading an answer: from untrusted value to frozen keys of known names and kinds. */
import { textOf, type FieldKind } from '@treblehook/types';
import { copyFrozen, isPlainObject, NotPlain, put } from './frozen.js';

const none: readonly string[] = [];

/**
 * The keys that an answer sets, frozen and marked, or `undefined` when it sets none. Only own properties are read, each
 * once; a key that is `undefined` or `null` is not set. Throws `NotPlain` with what is wrong.
 */
export function readKeys(
  answer: unknown,
  known: ReadonlyMap<string, FieldKind>,
  readElsewhere: readonly string[] = none,
): Record<string, unknown> | undefined {
  if (answer === undefined || answer === null) return undefined;
  assertPlain(answer);
  let set: Record<string, unknown> | undefined;
  for (const key in answer) {
    if (readElsewhere.length > 0 && readElsewhere.includes(key)) continue;
    const value = ownValue(answer, key); // `undefined` for a key that is inherited
    if (value === undefined || value === null) continue;
    const kind = known.get(key);
    if (kind === undefined) throw new NotPlain(`'${key}' is no key of it; keys are ${[...known.keys()].join(', ')}`);
    if (!isOfKind(value, kind)) throw new NotPlain(`'${key}' must be ${article(kind)}, not ${nameOf(value)}`);
    put((set ??= {}), key, typeof value === 'object' ? frozenAnswer(value, key) : value);
  }
  return set;
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
  if (own.get !== undefined || own.set !== undefined) throw new NotPlain(`'${key}' is an accessor`);
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
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

export const article = (kind: string): string => (/^[aeo]/.test(kind) ? `an ${kind}` : `a ${kind}`);

export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return isPlainObject(value) ? 'an object' : 'a class instance';
  return value === undefined ? 'undefined' : article(typeof value);
}
