/** Plain hooks: one callback per kind, for hosts that want one value and no registry. */
import type {
  Awaitable,
  JsonValue,
  LLMAnswer,
  Message,
  ModelUsage,
  ToolDescriptor,
  ToolResult,
} from '@treblehook/types';

interface FromRun {
  readonly turn: number;
  readonly runId: string;
  /** Aborts with the run. */
  readonly signal: AbortSignal;
}
export interface BeforeLLMEvent extends FromRun {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly model: string;
  /** What for, when a handler makes the call by `ctx.callModel`. */
  readonly purpose?: string | undefined;
}
export interface AfterLLMEvent extends FromRun {
  readonly response: LLMAnswer;
  readonly model: string;
  readonly usage?: ModelUsage;
}
export interface BeforeToolEvent extends FromRun {
  readonly name: string;
  readonly args: JsonValue;
  readonly id?: string;
}
export interface AfterToolEvent extends BeforeToolEvent {
  readonly result: ToolResult;
}

/** A key that is `undefined` or `null` is not set; so is a missing one. */
type Amends<T> = Awaitable<{ readonly [K in keyof T]?: T[K] | null | undefined } | null | undefined | void>;

/**
 * Each callback may be sync or async; `undefined` or `null` changes nothing. An error of one ends the run `failed` with that
 * very error. No place for policy: there is no budget and no isolation.
 */
export interface Hooks {
  /** `veto`, the empty text included, sends nothing and ends the run `vetoed`. */
  beforeLLM?(e: BeforeLLMEvent): Amends<{
    readonly messages: readonly Message[];
    readonly tools: readonly ToolDescriptor[];
    readonly model: string;
    readonly veto: string;
  }>;
  afterLLM?(e: AfterLLMEvent): Awaitable<void>;
  /** `result` answers the call without its body, `error` refuses it; `error` wins. */
  beforeTool?(e: BeforeToolEvent): Amends<{
    readonly args: JsonValue;
    readonly result: ToolResult;
    readonly error: string;
  }>;
  afterTool?(e: AfterToolEvent): Amends<{ readonly result: ToolResult }>;
}

export const hookKinds = [
  'beforeLLM',
  'afterLLM',
  'beforeTool',
  'afterTool',
] as const satisfies readonly (keyof Hooks)[];
