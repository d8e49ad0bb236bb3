/**
 * Folding: how one amendment joins what was set before it. `foldValue` says it for one key, and everybody asks it: the
 * registry's disciplines, which keep values by the place of their key, and `fold`, the same for plain objects, by which
 * `chainHooks` composes.
 */
import { put } from './frozen.js';

/** One key: the last value wins; under a `collect` key an array is appended to what stands there. */
export const foldValue = (before: unknown, given: unknown, isCollect: boolean): unknown =>
  isCollect && Array.isArray(before) && Array.isArray(given)
    ? [...(before as unknown[]), ...(given as unknown[])]
    : given;

/** Folds the keys of `amendment` that are neither `undefined` nor `null` into `into`. Says whether there was any. */
export function fold(
  into: Record<string, unknown>,
  amendment: Readonly<Record<string, unknown>>,
  collect: readonly string[] = [],
): boolean {
  let isAny = false;
  for (const key of Object.keys(amendment)) {
    const value = amendment[key];
    if (value === undefined || value === null) continue;
    isAny = true;
    put(into, key, foldValue(Object.hasOwn(into, key) ? into[key] : undefined, value, collect.includes(key)));
  }
  return isAny;
}
