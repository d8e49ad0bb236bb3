/** The registry: it takes handlers, keeps them in order, fires points and says what it does. */
import type { Frozen } from './frozen.js';
import type { NamesOf, PayloadOf } from './define-hooks.js';
import type { ErrorCode } from './error-table.js';
import type { HookError } from './errors.js';
import type { CallModel, HandlerRef } from './handler.js';
import type { PointDescription } from './plan-row.js';
import type { FiredOf, HookCaller, HookRegistrar, PluginList } from './registrar.js';
import type { VerdictKind } from './verdict.js';

export interface RegistryOptions<C> {
  /** One list per point, in place of the house order. Entries: full ids, plugin ids, `'*'`; `'id?'` may be missing. */
  readonly order?: { readonly [K in NamesOf<C>]?: readonly string[] };
  /** Pipelines: order entry → keys that are final behind it, in place of the house locks of that point. */
  readonly locks?: { readonly [K in NamesOf<C, 'modifying'>]?: Readonly<Record<string, readonly string[]>> };
  /** ms, by point (`'beforeLLM'`) or by handler (`'beforeLLM/compaction'`, `'beforeLLM/acme/trim'`). */
  readonly budgets?: Readonly<Record<string, number>>;
  /** Plugin ids in their order. */
  readonly plugins?: readonly string[];
}

export interface ScopeOptions {
  readonly plugins?: PluginList;
  /** Plugin ids that count on guard points only. */
  readonly guards?: readonly string[];
  /** Full ids that are left out of plans, never on guard points. */
  readonly without?: readonly string[];
  /** The caller fires the points of this plugin alone (`TH_NOT_YOURS`), as a handler of it may by `ctx.fire`. */
  readonly owner?: string;
  readonly signal?: AbortSignal;
  /**
   * Put on `ctx` as `callModel`. `inHand` lists the full ids of the handlers whose calls led here, innermost first.
   */
  readonly callModel?: (request: any, purpose: string, inHand: readonly string[]) => ReturnType<CallModel>;
}

export type StageOutcome = 'passed' | 'amended' | 'claimed' | 'denied' | 'asked' | 'refused' | 'failed' | 'timeout';

export interface Stage {
  readonly by: HandlerRef;
  readonly outcome: StageOutcome;
  /** What it set, after refusals. */
  readonly amendment?: Readonly<Record<string, unknown>>;
  readonly ms: number;
}

/** What `registry.events` tells, by type. Each event is frozen. */
export interface HookEvents {
  readonly registered: { readonly hook: string; readonly by: HandlerRef };
  readonly unregistered: { readonly hook: string; readonly by: HandlerRef };
  /** After a fire: what went in, what came out, and each stage. Stage times are taken only while somebody listens. */
  readonly fired: {
    readonly hook: string;
    readonly payload: unknown;
    readonly result: unknown;
    readonly ms: number;
    readonly stages: readonly Stage[];
  };
  readonly handlerFailed: HandlerFault;
  /** `late`: the answer that came after the budget, told once; it is dropped. */
  readonly handlerTimedOut: HandlerFault & { readonly late?: 'answer' | 'error' };
  /** The whole amendment (`TH_RESULT_INVALID`), or one key of it (`TH_KEY_LOCKED`, `TH_HOST_KEY`). */
  readonly amendmentRefused: HandlerFault & { readonly key?: string };
  /** A merge key that was already taken. */
  readonly keyShadowed: HandlerFault & { readonly key: string };
  readonly claimed: { readonly hook: string; readonly by: HandlerRef };
  readonly denied: {
    readonly hook: string;
    readonly by: HandlerRef;
    readonly kind: VerdictKind;
    readonly reason: string;
    /** Of a denial that is a fault of the guard. */
    readonly code?: ErrorCode;
  };
}
/** What the events about a fault carry. */
export interface HandlerFault {
  readonly hook: string;
  readonly by: HandlerRef;
  readonly code: ErrorCode;
  readonly error: HookError;
}

export interface HookEventSource {
  /** A listener that throws, or rejects, is contained. Nobody outside can emit, clear or mute. */
  readonly on: <T extends keyof HookEvents>(type: T, listener: (event: HookEvents[T]) => unknown) => () => void;
}

/** A set of handlers between its first registration and its place in the plans. */
export interface StagedHandlers<C> {
  /** Registers into the set; behind `commit` it is the plugin's registrar, behind `discard` it is dead. */
  readonly registrar: HookRegistrar<C>;
  /**
   * Puts the set in the place of the owner's old one in one synchronous step, as `replace` does. Throws `TH_DISPOSED` for a
   * set that was committed or discarded, or whose plugin is gone, and the fault of an order that it would break: the old
   * set and its registrar stand then.
   */
  readonly commit: () => void;
  /** Drops the set. Idempotent. */
  readonly discard: () => void;
}

export interface HookRegistry<C> extends HookRegistrar<C> {
  readonly catalogue: C;
  /** A registrar with the owner fixed: it registers and inspects, and cannot pose as another owner. */
  readonly forPlugin: (pluginId: string) => HookRegistrar<C>;
  /** Removes all of an owner's handlers; its captured registrars then throw `TH_DISPOSED`. */
  readonly unregisterPlugin: (pluginId: string) => void;
  /**
   * Replaces an owner's handlers in one synchronous step: a fire sees the old set or the new, never neither. If
   * `register` throws, or the new set would break the order, the old set and its registrar stand.
   */
  readonly replace: (pluginId: string, register: (registrar: HookRegistrar<C>) => void) => void;
  /**
   * A new set of an owner's handlers that nobody sees until it is committed, however long gathering takes: what `replace`
   * does in two steps. Throws `TH_OPTION_INVALID` and `TH_ID_TAKEN` for an id that no plugin may have.
   */
  readonly stage: (pluginId: string) => StagedHandlers<C>;
  /** Binds the lists once, so that fire sites cannot forget them. Equal lists share plans. */
  readonly scoped: (options: ScopeOptions) => HookCaller<C>;
  readonly fireVoid: <K extends NamesOf<C, 'void'>>(
    name: K,
    payload: Frozen<PayloadOf<C, K>>,
    plugins?: PluginList,
  ) => Promise<void>;
  readonly fireModifying: <K extends NamesOf<C, 'modifying'>>(
    name: K,
    payload: Frozen<PayloadOf<C, K>>,
    plugins?: PluginList,
  ) => Promise<FiredOf<C, K>>;
  readonly fireClaiming: <K extends NamesOf<C, 'claiming'>>(
    name: K,
    payload: Frozen<PayloadOf<C, K>>,
    plugins?: PluginList,
  ) => Promise<FiredOf<C, K>>;
  /** The catalogue and all plans as plain data. */
  readonly describe: () => { readonly hooks: readonly PointDescription[] };
  /** Throws one error that lists every fault. After it has passed, a registration that would break it throws. */
  readonly verify: () => void;
  readonly events: HookEventSource;
}
