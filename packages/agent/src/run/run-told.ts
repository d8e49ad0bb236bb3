/** What a run tells while it goes, and what it resolves to. */
import type {
  JsonValue,
  Message,
  ModelFinishReason,
  ModelUsage,
  Request,
  RunLimit,
  RunStatus,
  ToolOutcome,
  ToolResult,
} from '@treblehook/types';

export interface RunToolCall {
  readonly id: string;
  readonly name: string;
  /** As sealed; as the model gave them when the call was never sealed. */
  readonly args: JsonValue;
  readonly output: string;
  readonly isError: boolean;
  readonly outcome: ToolOutcome;
}

/** `run()` resolves to one for every ending. Frozen; it inherits nothing. */
export interface RunResult {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  /**
   * When `incomplete`: a key of `AgentLimits`, `output` (the answer was cut by length), `content-filter`,
   * `finish:<reason>` for another reason that the provider gave; `continuations` and `no-progress` when `beforeFinish`
   * asked for one revision too many, or for the same one again.
   */
  readonly limit?: RunLimit;
  /** When `vetoed`: who said no, as far as known, and why. Under `continuations` and `no-progress`: what was asked for. */
  readonly reason?: { readonly text: string; readonly by?: string };
  /** When `failed`: the very object that was thrown. */
  readonly error?: unknown;
  /** The text of the last answer that the provider ended, one that was cut included; `''` when there is none. */
  readonly text: string;
  /** The session's messages when the run had settled. */
  readonly messages: readonly Message[];
  readonly toolCalls: readonly RunToolCall[];
  /** Model calls; one that was vetoed is none. */
  readonly turns: number;
  /** All model calls together. A field that no call reported is `undefined`. */
  readonly usage: ModelUsage;
  /** The key of the model that was called last, or would have been. */
  readonly model: string;
  /** When `pending`: what the run waits for. `resume` takes an answer. */
  readonly pending?: readonly Request[];
}

/** What `stream()` yields, in this order per turn. */
export type AgentEvent =
  | { readonly type: 'run-start'; readonly runId: string; readonly sessionId: string }
  /** While `beforeOutput` has handlers a delta is a whole block. */
  | { readonly type: 'text-delta'; readonly turn: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly turn: number; readonly text: string }
  /** An attempt has failed and another follows; nothing of the failed one was emitted. */
  | {
      readonly type: 'retry';
      readonly turn: number;
      /** The attempt that failed, from 1. */
      readonly attempt: number;
      readonly waitMs: number;
      readonly error: unknown;
    }
  /** A block of the answer was kept back by `beforeOutput`: nothing of it is seen. */
  | {
      readonly type: 'output-withheld';
      readonly turn: number;
      readonly kind: 'text' | 'reasoning';
      readonly reason: string;
      readonly by?: string;
    }
  /** The model's answer is whole and stands in the history. */
  | {
      readonly type: 'answer';
      readonly turn: number;
      readonly model: string;
      readonly message: Message;
      readonly finishReason: ModelFinishReason;
      readonly usage: ModelUsage;
      /** A wrapper of `around` has given it: no model has said it. */
      readonly by?: string;
    }
  /** A call has its turn; `args` as the model gave them. */
  | {
      readonly type: 'tool-call';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly args: JsonValue;
    }
  /** The call is over; `result` as `afterTool` left it. */
  | {
      readonly type: 'tool-end';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly outcome: ToolOutcome;
      readonly result: ToolResult;
      readonly ms: number;
    }
  /** A call waits for an answer. */
  | { readonly type: 'request'; readonly turn: number; readonly callId: string; readonly request: Request }
  | {
      readonly type: 'answered';
      readonly turn: number;
      readonly callId: string;
      readonly requestId: string;
      readonly ok: boolean;
    }
  /** What the child of a task tells; its own children's too, one in another. */
  | {
      readonly type: 'subagent';
      readonly turn: number;
      /** Of the call of `task`. */
      readonly callId: string;
      readonly agentPath: readonly string[];
      readonly event: AgentEvent;
    }
  /** The last event of every run. */
  | { readonly type: 'done'; readonly result: RunResult };

/** Breaking off the iteration (`return`) aborts the run and waits until it has settled. */
export type AgentStream = AsyncGenerator<AgentEvent, RunResult, undefined>;
