/** Reading one option: what it may be, and the refusal that names the mend. */
import { didYouMean, HookError } from '@treblehook/types';

/** Refuses a key that is not known, with the nearest one that is. */
export function assertKnown(given: object, known: object, what: string): void {
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

export function assertTexts(what: string, value: unknown): void {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string'))
    throw invalid(`${what} must be a list of texts`);
}

export const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
