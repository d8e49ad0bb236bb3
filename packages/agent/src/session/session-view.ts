/** The shapes of a session as it is shown: its runs with their turns, calls, questions and answers. */
import type {
  Answer,
  Chat,
  Grant,
  JsonObject,
  JsonValue,
  LoggedSeal,
  ModelFinishReason,
  ModelUsage,
  Request,
  RequestSource,
  RunLimit,
  RunStatus,
  ToolCallRecord,
  ToolOutcome,
  ToolResult,
} from '@treblehook/types';

/** Times are ms since the epoch. */
export interface SessionView {
  /** The agent that opened it; `undefined` of a log that is empty. */
  readonly agent: string | undefined;
  readonly runs: readonly RunView[];
  /** What was given and not revoked; some may be over by their `until`. */
  readonly grants: readonly Grant[];
}

export interface RunView {
  readonly runId: string;
  readonly input: string;
  readonly personality: string;
  readonly startedAt: number;
  /** As the host gave it by `RunOptions.note`. */
  readonly note?: JsonObject;
  /** Its input was a message of this chat, where its reply goes. */
  readonly chat?: Chat;
  /** `pending`: it waits for answers. `undefined`: it goes on, or its process has died; the log cannot tell which. */
  readonly status: RunStatus | undefined;
  readonly endedAt?: number;
  readonly limit?: RunLimit;
  readonly reason?: { readonly text: string; readonly by?: string };
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  /** How often it was taken up after it had been left open. */
  readonly resumed: number;
  readonly turns: readonly TurnView[];
}

/** One answer of the model, and what came of it. */
export interface TurnView {
  readonly turn: number;
  readonly at: number;
  readonly model: string;
  readonly text: string;
  readonly finishReason: ModelFinishReason;
  readonly usage: ModelUsage;
  /** In the order of the answer; calls that bodies have made stand behind them, with `parent`. */
  readonly calls: readonly CallView[];
  /** What a handler had to say against ending here. */
  readonly revise?: string;
}

export interface CallView {
  readonly callId: string;
  readonly parent?: string;
  readonly name: string;
  /** As the model gave them. */
  readonly args: JsonValue;
  /** As the call was sealed last; absent when the log does not know it sealed. */
  readonly sealed?: LoggedSeal;
  /**
   * `asked`: nothing has come of it yet. `waits`: for an answer. `answered`: it has that, and nothing has come of it yet.
   * `started`: its body was about to start, and what came of it is not known. `over`: `end` says how.
   */
  readonly state: 'asked' | 'waits' | 'answered' | 'started' | 'over';
  readonly end?: CallEnd;
  readonly questions: readonly QuestionView[];
  /** What the body said when nobody waited any more. */
  readonly late: readonly string[];
}

export interface CallEnd {
  readonly at: number;
  readonly outcome: ToolOutcome;
  readonly result: ToolResult;
  readonly ms: number;
  readonly record: ToolCallRecord;
}

export interface QuestionView {
  readonly request: Request;
  readonly by: RequestSource;
  readonly askedAt: number;
  readonly answer?: Answer;
  readonly answeredAt?: number;
}
