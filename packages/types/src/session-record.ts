/** The records of a session's log: appended in this order, never changed, plain data. */
import type { RunLimit, RunStatus } from './hooks-session.js';
import type { Job } from './hooks-llm.js';
import type { TaskBudget } from './hooks-subagent.js';
import type { AskRecord, ToolCallRecord, ToolOutcome } from './hooks-tool.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Message } from './message.js';
import type { ModelFinishReason, ModelUsage } from './model-port.js';
import type { Answer, Request } from './request.js';
import type { ToolIdentity, ToolResult } from './tool.js';
import type { GuardVerdict } from './verdict.js';

/** A call as the answer gave it. */
export interface LoggedCall {
  readonly callId: string;
  /** The name of the tool here. */
  readonly name: string;
  readonly args: JsonValue;
  /** Why the model's arguments could not be read. */
  readonly fault?: string;
}

/** A call as it was sealed. */
export interface LoggedSeal {
  readonly tool: ToolIdentity;
  readonly args: JsonValue;
  readonly digest: string;
}

/** What the guards said of a call whose body was about to start. */
export interface LoggedClearance {
  readonly verdicts: readonly GuardVerdict[];
  /** Their questions, each granted. */
  readonly asks: readonly AskRecord[];
  /** ms of the fire. */
  readonly ms: number;
}

/** What an answer has granted for the rest of a session. */
export interface Grant {
  readonly id: string;
  /** The request whose answer gave it. */
  readonly request: string;
  readonly tool: ToolIdentity;
  /** Full id of the guard whose ask it settles, and the rule that the ask named. */
  readonly guard: string;
  readonly rule?: string;
  /** Of an ask without a rule. */
  readonly question?: string;
  /** The digest of the one call that it holds for; absent: any arguments. */
  readonly digest?: string;
  /** Since the epoch, ms. */
  readonly until?: number;
}

/** The call of `task` that a session is for, and the terms on which it was given. */
export interface TaskParent {
  readonly sessionId: string;
  readonly callId: string;
  /** Of the sealed call: of other arguments it is no child. */
  readonly digest: string;
  readonly terms: { readonly budget: TaskBudget; readonly model: string };
}

/** Tool calls, tokens (reported; under a limit of tokens estimated where they are not) and known cost. */
export interface Spent {
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
}

/** Guards that ask about a call; a stage of `beforeTool`; the tool's own body. */
export type RequestSource = 'guards' | 'stage' | 'tool';

/** Where a message has come from, and its reply goes. */
export interface Chat {
  readonly platform: string;
  readonly chatId: string;
}

interface OfCall {
  readonly runId: string;
  readonly callId: string;
  /** The call whose body has made this one. */
  readonly parent?: string;
  /** Its wrapper has given this attempt arguments of its own, in place of the model's or of those that were sealed. */
  readonly changed?: true;
}

export type SessionRecord =
  /** The first one. */
  | {
      readonly type: 'opened';
      readonly agent: string;
      /** The call whose child the session is: it goes on with that one's session. */
      readonly parent?: TaskParent;
    }
  /** From the next run on the session is another personality of its agent. */
  | {
      readonly type: 'personality';
      readonly id: string;
      /** What it was narrowed to: plugins of its list, and globs of tools over those that it may offer. Absent: not narrowed. */
      readonly plugins?: readonly string[];
      readonly tools?: readonly string[];
    }
  /** A run has its turn. */
  | {
      readonly type: 'run';
      readonly runId: string;
      readonly input: string;
      readonly personality: string;
      readonly job?: Job;
      /** What stages of `beforeInput` have added; it stands in no message. */
      readonly context?: readonly string[];
      /** What the host wants to find beside the run; nobody else reads it. */
      readonly note?: JsonObject;
      /** Its input is a message of this chat: its reply goes there, in another process too. */
      readonly chat?: Chat;
    }
  /** A run that was left open goes on, in this process. */
  | { readonly type: 'resumed'; readonly runId: string }
  /** A message that is no answer of the model: a seed, an input, the results of a step. */
  | { readonly type: 'message'; readonly runId?: string; readonly message: Message }
  /** An answer of the model, with the calls that it asks for. */
  | {
      readonly type: 'answer';
      readonly runId: string;
      readonly turn: number;
      readonly model: string;
      readonly message: Message;
      readonly calls: readonly LoggedCall[];
      /** Names of the tools that the request offered; absent without calls. */
      readonly offered?: readonly string[];
      readonly finishReason: ModelFinishReason;
      readonly usage: ModelUsage;
      /** What it counted against the limit of tokens, reported or estimated; absent without that limit, where the usage counts. */
      readonly tokens?: number;
      /** Given in place of an answer: no model has said it. */
      readonly by?: string;
    }
  /** An answer of the model in whose place another one was used: it stands in no history, and what it used counts. */
  | {
      readonly type: 'unused';
      readonly runId: string;
      readonly turn: number;
      readonly model: string;
      readonly message: Message;
      readonly finishReason: ModelFinishReason;
      readonly usage: ModelUsage;
      readonly tokens?: number;
    }
  /** A model call that is no answer of the history has used something: that of a handler, or one that failed. */
  | {
      readonly type: 'spent';
      readonly runId: string;
      readonly model: string;
      readonly usage: ModelUsage;
      /** What a handler asked for. */
      readonly purpose?: string;
      /** As in `answer`. */
      readonly tokens?: number;
    }
  /** The body of a call is about to start. */
  | (OfCall & {
      readonly type: 'started';
      readonly sealed: LoggedSeal;
      readonly cleared?: LoggedClearance;
      /**
       * It had not started when the clearance of the `started` in front of this one was lost, or when its run was suspended
       * (`unbegun`): it was cleared anew.
       */
      readonly anew?: true;
    })
  /** A call is over; `result` is whole, as `afterTool` left it. */
  | (OfCall & {
      readonly type: 'outcome';
      readonly name: string;
      /** As they were sealed last; of a call that never was, as the model gave them. */
      readonly args: JsonValue;
      readonly outcome: ToolOutcome;
      readonly result: ToolResult;
      readonly ms: number;
      readonly record: ToolCallRecord;
      /** What the child of a task has used of the run's limits, its own children included. */
      readonly spent?: Spent;
      /** It ends the run. */
      readonly halt?: true;
      /** What its last `attempt` has come to stands for the call: that attempt was counted, and this is no other one. */
      readonly ofAttempt?: true;
    })
  /** A call was attempted and is attempted anew: this attempt is over, the call is not. */
  | (OfCall & {
      readonly type: 'attempt';
      readonly name?: string;
      /** From 1. */
      readonly attempt: number;
      /** As in an `outcome`. */
      readonly args: JsonValue;
      readonly outcome: ToolOutcome;
      readonly result: ToolResult;
      readonly ms: number;
      readonly record: ToolCallRecord;
      /** Of a task, as in an `outcome`: the next attempt has another child. */
      readonly spent?: Spent;
    })
  /** What a body or a wrapper answered when nobody waited any more: told, never used. */
  | { readonly type: 'late'; readonly runId: string; readonly callId: string; readonly text: string }
  /** A call waits for an answer. */
  | (OfCall & {
      readonly type: 'request';
      /** Who asks. */
      readonly by: RequestSource;
      readonly request: Request;
      /** The call as it was shown. */
      readonly sealed: LoggedSeal;
      /** The result that a stage has given in place of the body's. */
      readonly supplied?: { readonly result: ToolResult; readonly by?: string };
    })
  /** An answer has settled a request. */
  | { readonly type: 'answered'; readonly answer: Answer }
  /** The schema has made other arguments of those that an answer has given: its yes holds for these. */
  | (OfCall & {
      readonly type: 'edited';
      readonly request: string;
      /** The digest of the call with the arguments as the answer gave them. */
      readonly given: string;
      readonly sealed: LoggedSeal;
    })
  | { readonly type: 'grant'; readonly grant: Grant }
  | { readonly type: 'revoked'; readonly grantId: string }
  | {
      readonly type: 'compaction';
      readonly runId: string;
      readonly outcome: 'done' | 'failed' | 'vetoed';
      readonly reason?: string;
      readonly tokensBefore: number;
      readonly tokensAfter?: number;
      /** Ids of the messages that the summary stands for; they stay in the log. */
      readonly dropping: readonly string[];
      readonly ms: number;
    }
  /** A run has ended, or waits for answers (`pending`). */
  | {
      readonly type: 'settled';
      readonly runId: string;
      readonly status: RunStatus;
      readonly limit?: RunLimit;
      readonly reason?: { readonly text: string; readonly by?: string };
      readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
      /** The working messages, when stages have replaced some: ids of those that the log has, and the new ones whole. */
      readonly working?: readonly (string | Message)[];
      /** ms of the run's own time so far, when it waits. */
      readonly usedMs?: number;
      /** Calls of a suspended run that stand as `started`, and whose bodies have not begun: they are run when it goes on. */
      readonly unbegun?: readonly string[];
    };
