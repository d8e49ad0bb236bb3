/** Folding: how one amendment joins what was set before it. Shared by the registry's disciplines and `chainHooks`. */
import { put } from './frozen.js';

/**
 * Sets the keys of `amendment` that are neither `undefined` nor `null` on `into`: the last value wins, an array under a
 * `collect` key is appended to what stands there. Says whether any key was set.
 */
export function fold(
  into: Record<string, unknown>,
  amendment: Readonly<Record<string, unknown>>,
  collect: readonly string[] = [],
): boolean {
  let any = false;
  for (const key of Object.keys(amendment)) {
    const value = amendment[key];
    if (value === undefined || value === null) continue;
    any = true;
    const before = Object.hasOwn(into, key) ? into[key] : undefined;
    if (Array.isArray(value) && Array.isArray(before) && collect.includes(key)) put(into, key, [...before, ...value]);
    else put(into, key, value);
  }
  return any;
}
