/** Catalogues: the declared set of hook points as one frozen value, and the types that derive from it. */
import { HookError } from './errors.js';
import { assertPoint, type HookModel, type HookPoint } from './hook-point.js';

export type Catalogue = Readonly<Record<string, HookPoint>>;

type Keys<T> = keyof T & string;
type Overlap<A, B> = Keys<A> & Keys<B>;
type Apart<A, B> = [Overlap<A, B>] extends [never] ? B : { readonly [K in Overlap<A, B>]: `'${K}' is declared twice` };

/**
 * Makes one frozen catalogue of one or more. Catalogues come as arguments: a spread would lose a duplicate before
 * anybody could see it. Throws `TH_DECLARED_TWICE` and `TH_POINT_INVALID`.
 */
export function defineHooks<const A extends Catalogue>(a: A): Readonly<A>;
export function defineHooks<const A extends Catalogue, const B extends Catalogue>(
  a: A,
  b: Apart<A, B>,
): Readonly<A & B>;
export function defineHooks<const A extends Catalogue, const B extends Catalogue, const C extends Catalogue>(
  a: A,
  b: Apart<A, B>,
  c: Apart<A & B, C>,
): Readonly<A & B & C>;
export function defineHooks<
  const A extends Catalogue,
  const B extends Catalogue,
  const C extends Catalogue,
  const D extends Catalogue,
>(a: A, b: Apart<A, B>, c: Apart<A & B, C>, d: Apart<A & B & C, D>): Readonly<A & B & C & D>;
export function defineHooks(...parts: any[]): any {
  const all: Record<string, HookPoint> = Object.create(null);
  for (const part of parts) {
    for (const hook of Object.keys(part)) {
      if (hook in all) throw new HookError('TH_DECLARED_TWICE', { hook });
      assertPoint(hook, part[hook]);
      all[hook] = part[hook];
    }
  }
  assertAliases(all);
  return Object.freeze(all);
}

/** An alias stands for one point: "did you mean" could name only one of two. */
function assertAliases(all: Catalogue): void {
  const taken = new Map<string, string>(Object.keys(all).map((hook) => [hook, hook]));
  for (const hook of Object.keys(all)) {
    for (const alias of all[hook]!.aka) {
      const other = taken.get(alias);
      if (other !== undefined) {
        const whose = other === hook ? 'is its name or stands in it twice' : `is a name or an alias of '${other}'`;
        throw new HookError('TH_POINT_INVALID', { hook, what: `aka: '${alias}' ${whose}` });
      }
      taken.set(alias, hook);
    }
  }
}

/** The names of a catalogue that have a model. */
export type NamesOf<C, M extends HookModel = HookModel> = {
  [K in Keys<C>]: C[K] extends HookPoint<M, any, any, any> ? K : never;
}[Keys<C>];
export type PayloadOf<C, K extends keyof C> = C[K] extends HookPoint<any, any, infer P, any> ? P : never;
export type DisciplineOf<C, K extends keyof C> = C[K] extends HookPoint<any, infer D, any, any> ? D : never;
/** What a point carries back: an amendment, a claim's content, or the detail of an ask. */
export type ResultOf<C, K extends keyof C> = C[K] extends HookPoint<any, any, any, infer R> ? R : never;

type Entry<C, K extends keyof C> = { readonly payload: PayloadOf<C, K>; readonly result: ResultOf<C, K> };
/** Name → payload and result, for the points of one model. */
export type VoidHooks<C> = { readonly [K in NamesOf<C, 'void'>]: Entry<C, K> };
export type ModifyingHooks<C> = { readonly [K in NamesOf<C, 'modifying'>]: Entry<C, K> };
export type ClaimingHooks<C> = { readonly [K in NamesOf<C, 'claiming'>]: Entry<C, K> };
