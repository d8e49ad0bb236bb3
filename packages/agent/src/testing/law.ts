/** A law that something is held to: a sentence, and the attempt to break it. */
import { inspect } from 'node:util';
import { textOf } from '@treblehook/types';

/** For any runner: `for (const { name, run } of laws) test(name, run)`. */
export interface Law {
  readonly name: string;
  /** Rejects with what was found, in words, when it does not hold. */
  readonly run: () => Promise<void>;
}

/** Throws an error that says what was found in place of what should be there. Keys without a value are none. */
export function same(found: unknown, expected: unknown, what: string): void {
  if (isSame(found, expected)) return;
  throw new Error(`${what}: expected ${spelled(expected)}, found ${spelled(found)}`);
}

/** What it throws or rejects with; throws when it does neither. */
export async function faultOf(work: () => unknown, what: string): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: it was taken, and should have been refused`);
}

/** It must be refused with this code. */
export async function refused(code: string, work: () => unknown, what: string): Promise<void> {
  const fault = await faultOf(work, what);
  if (Object(fault).code === code) return;
  throw new Error(`${what}: expected a refusal with ${code}, found ${textOf(fault)}`, { cause: fault });
}

/** By what is in them: classes of plain objects do not count. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof URL || b instanceof URL) return a instanceof URL && b instanceof URL && a.href === b.href;
  if (ArrayBuffer.isView(a) !== ArrayBuffer.isView(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [keysOf(a), keysOf(b)];
  return (
    left.length === right.length &&
    left.every((key) => Object.hasOwn(b, key) && isSame(Reflect.get(a, key), Reflect.get(b, key)))
  );
}

const keysOf = (of: object): readonly string[] => Object.keys(of).filter((key) => Reflect.get(of, key) !== undefined);

const spelled = (value: unknown): string => inspect(value, { depth: 8, breakLength: Infinity });
