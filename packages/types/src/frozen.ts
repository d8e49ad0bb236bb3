/** `Frozen<T>`: the type of data behind the kernel's door. */
import type { Primitive, TypedArray } from 'type-fest';

/**
 * Opaque to the kernel: passed by reference, never frozen. A structural type cannot tell a class instance from plain
 * data, so those that payloads are likely to carry are named.
 */
type Opaque =
  | ((...args: any[]) => unknown)
  | (abstract new (...args: any[]) => unknown)
  | TypedArray
  | ArrayBuffer
  | DataView
  | Date
  | RegExp
  | URL
  | AbortSignal
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | PromiseLike<unknown>
  | AsyncIterable<unknown>;

/** Plain data made read-only all the way down, tuples kept; opaque values and primitives as they are. */
export type Frozen<T> = T extends Primitive | Opaque
  ? T
  : T extends readonly (infer Item)[]
    ? number extends T['length']
      ? readonly Frozen<Item>[]
      : { readonly [K in keyof T]: Frozen<T[K]> }
    : T extends object
      ? { readonly [K in keyof T]: Frozen<T[K]> }
      : T;
