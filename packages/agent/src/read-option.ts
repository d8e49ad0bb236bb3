/** Reading one option: what it may be, and the refusal that names the mend. */
import { didYouMean, HookError, isHookError, textOf } from '@treblehook/types';

/** Refuses what is no object, and a key that is not known, with the nearest one that is. */
export function assertKnown(given: object, known: object, what: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(`give an object: each ${what} is one of ${Object.keys(known).join(', ')}`);
  }
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(known, key)) throw invalid(`'${key}' is no ${what}${meant(key, Object.keys(known))}`);
  }
}

export function meant(key: string, known: Iterable<string>): string {
  const names = [...known];
  return `: ${didYouMean(key, names) ?? `there is ${names.join(', ') || 'none'}`}`;
}

export function whole(what: string, value: number | undefined, least: number, most?: number): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && value >= least && (most === undefined || value <= most)) return value;
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`;
  throw invalid(`${what} must be a whole number ${range}, not ${String(value)}`);
}

export function positive(what: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return value;
  throw invalid(`${what} must be a number above 0, not ${String(value)}`);
}

export function assertText(what: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw invalid(`${what} must be a text that is not empty`);
}

/** Refuses an id that a store could take for another one. */
export function assertId(what: string, value: unknown): void {
  assertText(what, value);
  const fault = idFault(value as string);
  if (fault !== undefined) throw invalid(`${what} ${fault}`);
}

const loneSurrogate = /\p{Surrogate}/u;

/** What keeps a text from being an id: stores end it at a NUL, and write each half of a surrogate pair alike. */
export function idFault(id: string): string | undefined {
  if (id.includes('\0')) return 'has a NUL, behind which a store may not look: leave it out';
  if (loneSurrogate.test(id))
    return 'has one half of a surrogate pair, which no store can write: give whole characters';
  return undefined;
}

export function assertTexts(what: string, value: unknown): void {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string'))
    throw invalid(`${what} must be a list of texts`);
}

/** What kept a run from beginning, as an error of the table: a getter, a proxy or a port of the host may throw anything. */
export const asInvalid = (error: unknown): HookError =>
  isHookError(error)
    ? error
    : new HookError('TH_OPTION_INVALID', { what: `no run can begin: ${textOf(error)}`, cause: error });

export const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
