/** Handlers: what they get, what they may answer, and how the compiler checks the answer. */
import type { Frozen } from './frozen.js';
import type { DisciplineOf, PayloadOf, ResultOf } from './define-hooks.js';
import type { HookCaller } from './registrar.js';

export type Awaitable<T> = T | PromiseLike<T>;
/** "No opinion". `{}` and, on a claiming point, `{ handled: false }` say the same. */
export type Abstain = undefined | null | void;

/** Who a handler is: its point, its full id, its owner (`host` or a plugin id). */
export interface HandlerRef {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
}

export interface HandlerContext extends HandlerRef {
  /** Aborts with the caller, or when this handler runs over its budget. Made when first read. */
  readonly signal: AbortSignal;
}

/** A host's way to let a handler call a model; present when the caller was scoped with one. */
export type CallModel = (request: any, purpose: string) => Promise<any>;

export type ContextOf<C, K extends keyof C> = HandlerContext & {
  /**
   * Fires the points that name this handler's plugin as `owner`, or this host handler as `firedBy`, under the lists and
   * the signal of the fire in hand. Throws `TH_NOT_YOURS`, `TH_REENTRANT`, and after the call `TH_DISPOSED`.
   */
  readonly fire: HookCaller<C>;
  readonly callModel?: CallModel;
} & (DisciplineOf<C, K> extends 'merge'
    ? {
        /** What is set so far. */
        readonly merged: Frozen<Partial<ResultOf<C, K>>>;
      }
    : {});

/** A guard's answer: it denies, asks, or abstains. There is no allow. */
export type Verdict<X = {}> =
  | { readonly deny: string; readonly halt?: true; readonly rule?: string }
  | ({ readonly ask: string; readonly rule?: string } & Partial<Frozen<X>>);
export type Claim<X = {}> = { readonly handled: true } & Frozen<X>;
export type Unclaimed = { readonly handled: false };

/** A key that is `undefined` or `null` is not set. */
type Settable<A> = { readonly [K in keyof A]?: A[K] | null | undefined };

export type AnswerOf<C, K extends keyof C> =
  DisciplineOf<C, K> extends 'guard'
    ? Verdict<ResultOf<C, K>> | Unclaimed
    : DisciplineOf<C, K> extends 'route'
      ? Claim<ResultOf<C, K>> | Unclaimed
      : Settable<Frozen<ResultOf<C, K>>>;

type KeyOfEach<T> = T extends unknown ? keyof T : never;
type UnknownKeys<V, A> = V extends object ? Exclude<keyof V, KeyOfEach<A>> : never;
/** `unknown` when `R` is a legal answer, else a type that names the fault. */
export type Checked<R, A> = [UnknownKeys<Awaited<R>, A>] extends [never]
  ? [Awaited<R>] extends [A | Abstain]
    ? unknown
    : { readonly notAnAnswer: A }
  : { readonly unknownKey: UnknownKeys<Awaited<R>, A> };

export type VoidHandler<C, K extends keyof C> = (
  payload: Frozen<PayloadOf<C, K>>,
  ctx: ContextOf<C, K>,
) => Awaitable<undefined | void>;
