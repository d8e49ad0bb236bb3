/** Hook points: the three models, their five disciplines, and the builders of catalogue entries. */
import { budgetRange, isBudget } from './budget-limits.js';
import { HookError } from './errors.js';
import { isHandlerId, isPluginId, reservedIds } from './ids.js';

/** How a point runs: Void observes, Modifying amends, Claiming decides. */
export type HookModel = 'void' | 'modifying' | 'claiming';
/** How results combine inside the model. */
export type Discipline = 'observe' | 'merge' | 'pipeline' | 'route' | 'guard';

/** What a value is at run time; `strings` is an array of nothing but strings. */
export type FieldKind = 'string' | 'number' | 'boolean' | 'strings' | 'array' | 'object' | 'any';
/** What a field of a payload is. A trailing `?` says that it may be missing, `undefined` or `null`. */
export type PayloadKind = FieldKind | `${FieldKind}?`;

type KindOf<T> = [unknown] extends [T]
  ? 'any'
  : [NonNullable<T>] extends [string]
    ? 'string'
    : [NonNullable<T>] extends [number]
      ? 'number'
      : [NonNullable<T>] extends [boolean]
        ? 'boolean'
        : [NonNullable<T>] extends [readonly (infer Item)[]]
          ? [unknown] extends [Item]
            ? 'strings' | 'array'
            : [Item] extends [string]
              ? 'strings'
              : 'array'
          : [NonNullable<T>] extends [object]
            ? 'object'
            : 'any';
type Keys<T> = keyof T & string;
type ArrayKeys<A> = { [K in Keys<A>]: NonNullable<A[K]> extends readonly unknown[] ? K : never }[Keys<A>];

/** The fields of a payload with their kinds; the compiler forces the list to be complete and right. */
export type FieldsOf<P> = {
  readonly [K in Keys<P>]-?: {} extends Pick<P, K>
    ? `${KindOf<P[K]>}?` | 'any?'
    : undefined extends P[K]
      ? `${KindOf<P[K]>}?` | 'any?'
      : null extends P[K]
        ? `${KindOf<P[K]>}?` | 'any?'
        : KindOf<P[K]> | 'any';
};
/** The keys of an amendment, claim or ask with their kinds; complete likewise. */
export type KeysOf<A> = { readonly [K in Keys<A>]-?: KindOf<A[K]> | 'any' };

/**
 * One hook point: plain data at run time. `'~carried'` exists in the type only; it is a string key, so that payloads
 * stay known when two versions of this package are installed.
 */
export interface HookPoint<M extends HookModel = HookModel, D extends Discipline = Discipline, P = any, R = any> {
  readonly model: M;
  readonly discipline: D;
  /** One sentence that begins with when it fires. */
  readonly summary: string;
  /** Payload fields and their kinds; checked when the point is fired. Absent: the type alone promises them. */
  readonly fields: Readonly<Record<string, PayloadKind>> | undefined;
  /** Keys that an answer may carry, and their kinds. */
  readonly keys: Readonly<Record<string, FieldKind>>;
  /** Array keys whose values are concatenated in plan order. */
  readonly collect: readonly string[];
  /** Pipeline: array keys, each with the `collect` key in whose place it stands: of all that is collected up to there, the payload's own included. */
  readonly replaces: Readonly<Record<string, string>>;
  /** Pipeline: keys that end the chain at once. */
  readonly terminal: readonly string[];
  /** Keys that only a host handler may set. */
  readonly hostKeys: readonly string[];
  /** Default budget of one awaited handler, ms. */
  readonly budgetMs: number | undefined;
  /** The house order; a host's list replaces it whole. */
  readonly order: readonly string[] | undefined;
  /** The house locks: order entry → keys that are final behind it; the host's replace them. */
  readonly locks: Readonly<Record<string, readonly string[]>> | undefined;
  /** The host handler that may fire the point by `ctx.fire`. */
  readonly firedBy: string | undefined;
  /** The plugin that may fire the point by `ctx.fire`. */
  readonly owner: string | undefined;
  /** Names that others use for it, no point's and no other point's alias: printed in the reference, used by "did you mean". */
  readonly aka: readonly string[];
  /** Refuses an amendment whole by returning why. */
  readonly check: ((payload: any, amendment: any) => string | undefined) | undefined;
  readonly '~carried'?: { payload: P; result: R };
}

interface Meta<P> {
  readonly summary: string;
  readonly fields?: FieldsOf<P>;
  readonly budgetMs?: number;
  readonly order?: readonly string[];
  readonly aka?: readonly string[];
  readonly firedBy?: string;
  readonly owner?: string;
}
interface ModifyingMeta<P, A> extends Meta<P> {
  readonly keys: KeysOf<A>;
  readonly collect?: readonly ArrayKeys<A>[];
  readonly hostKeys?: readonly Keys<A>[];
  /** Pure and synchronous. A fault of the same kind that is already in the payload is not the stage's. */
  readonly check?: (payload: P, amendment: Partial<A>) => string | undefined;
}
/** A point whose answers carry keys must list them; one whose answers carry none need not. */
type AnswerKeys<X> = [Keys<X>] extends [never] ? { readonly keys?: KeysOf<X> } : { readonly keys: KeysOf<X> };
/** Keys that the payload has too must be assignable to the payload's. */
type Feeds<P, A> = { [K in keyof A]?: K extends keyof P ? P[K] : unknown };

/** A point that observes. All handlers start in plan order and settle together; what they return is ignored. */
export function voidHook<P extends object>(meta: Meta<P>): HookPoint<'void', 'observe', P, void> {
  return point('void', 'observe', meta);
}

/**
 * A point that amends. `merge`: each handler sees the original payload, the first value per key wins. `pipeline`: each
 * sees the payload as amended so far, the last value per key feeds forward, a `terminal` key ends the chain.
 */
export function modifyingHook<P extends object, A extends object>(
  meta: ModifyingMeta<P, A> & { readonly discipline: 'merge' },
): HookPoint<'modifying', 'merge', P, A>;
export function modifyingHook<P extends object, A extends Feeds<P, A>>(
  meta: ModifyingMeta<P, A> & {
    readonly discipline: 'pipeline';
    readonly terminal?: readonly Keys<A>[];
    readonly replaces?: { readonly [K in ArrayKeys<A>]?: ArrayKeys<A> };
    readonly locks?: Readonly<Record<string, readonly Keys<A>[]>>;
  },
): HookPoint<'modifying', 'pipeline', P, A>;
export function modifyingHook(meta: any): any {
  return point('modifying', meta.discipline, meta);
}

/**
 * A point that decides. `guard`: asked one after another until the first denial; there is no allow; `X` is the detail
 * of an ask. `route`: the first `{ handled: true }` wins; `X` is what a claim carries.
 */
export function claimingHook<P extends object, X extends object = {}>(
  meta: Meta<P> & AnswerKeys<X> & { readonly discipline: 'guard' },
): HookPoint<'claiming', 'guard', P, X>;
export function claimingHook<P extends object, X extends object = {}>(
  meta: Meta<P> & AnswerKeys<X> & { readonly discipline: 'route' },
): HookPoint<'claiming', 'route', P, X>;
export function claimingHook(meta: any): any {
  return point('claiming', meta.discipline, meta);
}

function point(model: HookModel, discipline: Discipline, meta: any): any {
  return Object.freeze({
    model,
    discipline,
    summary: meta.summary,
    fields: meta.fields && Object.freeze({ ...meta.fields }),
    keys: Object.freeze({ ...meta.keys }),
    collect: list(meta.collect),
    replaces: Object.freeze({ ...meta.replaces }),
    terminal: list(meta.terminal),
    hostKeys: list(meta.hostKeys),
    budgetMs: meta.budgetMs,
    order: meta.order && list(meta.order),
    locks:
      meta.locks &&
      Object.freeze(Object.fromEntries(Object.keys(meta.locks).map((entry) => [entry, list(meta.locks[entry])]))),
    firedBy: meta.firedBy,
    owner: meta.owner,
    aka: list(meta.aka),
    check: meta.check,
  });
}

const list = (items: readonly string[] | undefined): readonly string[] => Object.freeze([...(items ?? [])]);

const models: Readonly<Record<Discipline, HookModel>> = {
  observe: 'void',
  merge: 'modifying',
  pipeline: 'modifying',
  route: 'claiming',
  guard: 'claiming',
};
const kinds = new Set(['string', 'number', 'boolean', 'strings', 'array', 'object', 'any']);

/** What an untyped caller may have got wrong in an entry; the compiler refuses the same. Throws `TH_POINT_INVALID`. */
export function assertPoint(hook: string, entry: HookPoint): void {
  const refuse = (what: string): never => {
    throw new HookError('TH_POINT_INVALID', { hook, what });
  };
  if (typeof entry !== 'object' || entry === null || models[entry.discipline] !== entry.model) {
    return refuse('it is not made by voidHook, modifyingHook or claimingHook with one of their disciplines');
  }
  if (typeof entry.summary !== 'string') refuse('summary must be a sentence');
  if (entry.model === 'modifying' && Object.keys(entry.keys).length === 0) {
    refuse('a modifying point lists its amendment keys in `keys`');
  }
  for (const key of Object.keys(entry.keys)) {
    if (key === '__proto__') refuse("a key cannot be called '__proto__'");
    if (!kinds.has(entry.keys[key]!)) refuse(`keys.${key} is not one of ${[...kinds].join(', ')}`);
  }
  for (const key of Object.keys(entry.fields ?? {})) {
    if (!kinds.has(String(entry.fields![key]).replace(/\?$/, ''))) refuse(`fields.${key} is not a kind`);
  }
  for (const which of ['collect', 'terminal', 'hostKeys'] as const) {
    for (const key of entry[which]) if (!Object.hasOwn(entry.keys, key)) refuse(`${which}: '${key}' is not in keys`);
  }
  for (const key of entry.collect)
    if (!['array', 'strings'].includes(entry.keys[key]!)) refuse(`collect: '${key}' is no array key`);
  for (const [key, other] of Object.entries(entry.replaces)) {
    if (!Object.hasOwn(entry.keys, key)) refuse(`replaces: '${key}' is not in keys`);
    if (!entry.collect.includes(other)) refuse(`replaces: '${other}' is no collect key`);
    if (entry.keys[key] !== entry.keys[other]) refuse(`replaces: '${key}' is of another kind than '${other}'`);
    if (entry.collect.includes(key) || entry.terminal.includes(key)) {
      refuse(`replaces: '${key}' is neither a collect nor a terminal key`);
    }
  }
  if (entry.discipline !== 'pipeline') {
    if (Object.keys(entry.replaces).length > 0) refuse('only a pipeline has keys that replace');
    if (entry.terminal.length > 0) refuse('only a pipeline has terminal keys');
    if (entry.locks !== undefined) refuse('only a pipeline has locks');
  }
  if (entry.model !== 'modifying' && (entry.collect.length > 0 || entry.hostKeys.length > 0)) {
    refuse('only a modifying point has collect or host keys');
  }
  if (entry.check !== undefined && (typeof entry.check !== 'function' || entry.model !== 'modifying')) {
    refuse('check is a function of a modifying point');
  }
  const { owner, firedBy } = entry;
  if (owner !== undefined && firedBy !== undefined) {
    refuse('owner and firedBy exclude each other: one plugin fires the point, or one handler of the host');
  }
  if (owner !== undefined && !isPluginId(owner)) {
    refuse(`owner is the id of a plugin, like 'acme-redact', and none of ${reservedIds.join(', ')}`);
  }
  if (firedBy !== undefined && (!isHandlerId(firedBy) || firedBy === 'host')) {
    refuse("firedBy is the id of a handler of the host, like 'compaction'");
  }
  if (entry.budgetMs !== undefined && !isBudget(entry.budgetMs)) refuse(`budgetMs must be ${budgetRange}`);
}
