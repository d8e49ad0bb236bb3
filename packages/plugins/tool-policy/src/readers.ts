/** Maps of settings read key by key: who adds a key to a type and no reader for it is told by the compiler. */
import { HookError, isHookError, ownFields, Setting, textOf } from '@treblehook/types';

/** A reader for each key of `T`, the optional ones too. `C`: what readers are given beside the setting. */
export type Readers<T, C> = { readonly [K in keyof T]-?: (field: Setting, context: C) => NonNullable<T[K]> };

/** Every key that some member of a union has. */
export type KeyOf<U> = U extends unknown ? keyof U : never;

/** A reader for each member of a union of maps with one key. */
export type OneReaders<U, C> = {
  readonly [K in KeyOf<U>]: (field: Setting, context: C) => Extract<U, Readonly<Record<K, unknown>>>;
};

/** In the order in which they are written, which is that of refusals. */
export const keysOf = <R extends object>(readers: R): readonly (keyof R & string)[] =>
  Object.keys(readers) as (keyof R & string)[];

/** Does all of these. Of several faults the first is thrown, with all of them as `faults`: who mends a file wants to know them at once. */
export function allOf<T>(reads: readonly (() => T)[]): readonly T[] {
  const done = reads.map((read): T | HookError => {
    try {
      return read();
    } catch (error) {
      if (isHookError(error)) return error;
      throw error;
    }
  });
  const faults = done.filter(isHookError).flatMap((fault) => fault.faults ?? [fault]);
  const [first, ...others] = faults;
  if (first === undefined) return done as readonly T[];
  if (others.length === 0) throw first;
  const more = `${others.length} more ${others.length === 1 ? 'fault is' : 'faults are'} told with it`;
  throw new HookError('TH_CONFIG_INVALID', {
    ...first.details,
    what: `${textOf(first.details['what'])} (${more})`,
    faults,
  });
}

/** What a map says under known keys, each read; what comes of it inherits nothing. Every fault is told, as by `allOf`. */
export function readMap<T, C>(
  map: Setting,
  { readers, context, others, must }: MapReaders<T, C>,
): { readonly read: Partial<T>; readonly fields: { readonly [K in keyof T]?: Setting } } {
  const known = [...others, ...keysOf(readers)];
  const entries = map.entries();
  const strangers = entries.filter(([key]) => !known.includes(key));
  const given = entries.filter(([key, { value }]) => known.includes(key) && value !== undefined);
  const fields = Object.assign(Object.create(null), Object.fromEntries(given)) as { [K in keyof T]?: Setting };
  // a key that is misspelt is not missing
  const missing =
    strangers.length > 0 ? [] : Object.entries(must).filter(([key]) => fields[key as keyof T] === undefined);
  const read = allOf<readonly (readonly [string, unknown])[]>([
    ...strangers.map(([key, { value }]) => () => {
      new Setting({ [key]: value }, map.locate, map.path).fields(known);
      return [];
    }),
    ...missing.map(
      ([key, mend]) =>
        () =>
          map.lacks(key, mend as string),
    ),
    ...keysOf(readers).map((key) => () => {
      const field = fields[key];
      return field === undefined ? [] : [[key, readers[key](field, context)] as const];
    }),
  ]);
  return { read: ownFields(Object.fromEntries(read.flat()) as Partial<T>), fields };
}

/** All of it is given, so that nothing of it can be inherited. */
export interface MapReaders<T, C> {
  readonly readers: Readers<T, C>;
  readonly context: C;
  /** Keys that may stand there, too, and that nobody reads. */
  readonly others: readonly string[];
  /** Keys that have to be there, each with the mend. */
  readonly must: { readonly [K in keyof T]?: string };
}
