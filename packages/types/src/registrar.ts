/** The two faces of a registry: the registrar, which takes handlers, and the caller, which fires points. */
import type { Frozen } from './frozen.js';
import type { DisciplineOf, NamesOf, PayloadOf, ResultOf } from './define-hooks.js';
import type { Abstain, AnswerOf, Awaitable, Checked, Claim, ContextOf, Unclaimed, VoidHandler } from './handler.js';
import type { PlanRow } from './plan-row.js';
import type { VerdictRecord } from './verdict.js';

export interface RegisterOptions {
  /** Local id: a host handler's full id is bare, a plugin's is `<pluginId>/<id>`. Without one: `<owner>/~<n>`. */
  readonly id?: string;
  /** Full ids of this point that this handler stands before. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** Budget of one awaited call, 1 to 2,147,483,647 ms. `'caller'`, for host handlers: the caller's signal alone ends it. */
  readonly timeoutMs?: number | 'caller';
  /** Modifying only: a fault of this handler rejects the fire. It can only tighten. */
  readonly onError?: 'isolate' | 'abort';
  /** The owner; a registrar made by `forPlugin` has it fixed. */
  readonly pluginId?: string;
}
export type OptionsOf<C, K extends keyof C> = C[K] extends { readonly model: 'modifying' }
  ? RegisterOptions
  : Omit<RegisterOptions, 'onError'>;

/** Removes exactly its own registration. Idempotent, never throws. */
export type Unregister = () => void;

/** The allowlist: ids of plugins that run, or `'all'`. Left out, only host handlers run. */
export type PluginList = readonly string[] | 'all';

/** A handler of a modifying or a claiming point. */
export type AnsweringHandler<C, K extends keyof C> = (
  payload: Frozen<PayloadOf<C, K>>,
  ctx: ContextOf<C, K>,
) => Awaitable<AnswerOf<C, K> | Abstain>;

/**
 * Takes handlers. Throws `TH_UNKNOWN_HOOK`, `TH_WRONG_MODEL`, `TH_OPTION_INVALID`, `TH_ID_TAKEN`, `TH_DISPOSED` and,
 * once `verify()` has passed, `TH_ORDER_CYCLE`; what throws has changed nothing.
 * Members are function-typed properties: methods would be checked bivariantly.
 */
export interface HookRegistrar<out C> {
  readonly registerVoid: <K extends NamesOf<C, 'void'>>(
    name: K,
    handler: VoidHandler<C, K>,
    options?: OptionsOf<C, K>,
  ) => Unregister;
  readonly registerModifying: <K extends NamesOf<C, 'modifying'>, const H extends AnsweringHandler<C, K>>(
    name: K,
    handler: H & Checked<ReturnType<H>, AnswerOf<C, K>>,
    options?: OptionsOf<C, K>,
  ) => Unregister;
  readonly registerClaiming: <K extends NamesOf<C, 'claiming'>, const H extends AnsweringHandler<C, K>>(
    name: K,
    handler: H & Checked<ReturnType<H>, AnswerOf<C, K>>,
    options?: OptionsOf<C, K>,
  ) => Unregister;
  /** Whether anything would run. */
  readonly hasHandlers: <K extends NamesOf<C>>(name: K, plugins?: PluginList) => boolean;
  /** Who runs, in order, the silenced included. */
  readonly plan: <K extends NamesOf<C>>(name: K, plugins?: PluginList) => readonly PlanRow[];
}

/** What a fire resolves to: a verdict record, a claim, or what was amended (`undefined`: nothing). */
export type FiredOf<C, K extends keyof C> =
  DisciplineOf<C, K> extends 'guard'
    ? VerdictRecord<ResultOf<C, K>>
    : DisciplineOf<C, K> extends 'route'
      ? Claim<ResultOf<C, K>> | Unclaimed
      : Partial<Frozen<ResultOf<C, K>>> | undefined;

/**
 * Fires points under lists that are bound once. Rejects with `TH_UNKNOWN_HOOK`, `TH_WRONG_MODEL`,
 * `TH_PAYLOAD_INVALID`, `TH_ORDER_CYCLE`; a modifying or claiming fire also with `TH_ABORTED`, and a modifying one with
 * the fault of a handler whose `onError` is `abort`.
 */
export interface HookCaller<out C> {
  readonly fireVoid: <K extends NamesOf<C, 'void'>>(name: K, payload: Frozen<PayloadOf<C, K>>) => Promise<void>;
  readonly fireModifying: <K extends NamesOf<C, 'modifying'>>(
    name: K,
    payload: Frozen<PayloadOf<C, K>>,
  ) => Promise<FiredOf<C, K>>;
  readonly fireClaiming: <K extends NamesOf<C, 'claiming'>>(
    name: K,
    payload: Frozen<PayloadOf<C, K>>,
  ) => Promise<FiredOf<C, K>>;
  readonly hasHandlers: <K extends NamesOf<C>>(name: K) => boolean;
  /** Another number as soon as this caller's plan of the point has changed. */
  readonly generation: <K extends NamesOf<C>>(name: K) => number;
}
