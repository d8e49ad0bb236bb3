/** Maps of settings read key by key: who adds a key to a type and no reader for it is told by the compiler. */
import { ownFields, type Setting } from '@treblehook/types';

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

/** The keys that are given, each read; what comes of it inherits nothing. */
export function readBy<T, C>(
  readers: Readers<T, C>,
  fields: { readonly [K in keyof T]?: Setting },
  context: C,
): Partial<T> {
  const read = Object.keys(readers).flatMap((key) => {
    const field = fields[key as keyof T];
    return field === undefined ? [] : [[key, readers[key as keyof T](field, context)]];
  });
  return ownFields(Object.fromEntries(read) as Partial<T>);
}
