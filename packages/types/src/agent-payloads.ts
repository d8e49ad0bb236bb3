/** The payloads and answers of the agent's hook points. */
import type { JsonObject, JsonValue } from './json.js';
import type { Message } from './message.js';
import type { ModelFinishReason, ModelUsage } from './model-port.js';
import type { CallOrigin, Origin } from './origin.js';
import type { ToolDescriptor, ToolIdentity, ToolResult } from './tool.js';
import type { GuardVerdict } from './verdict.js';

interface FromRun {
  readonly origin: Origin;
}
interface FromCall extends FromRun, CallOrigin {}

export interface SessionStart extends FromRun {
  readonly how: 'opened' | 'resumed';
}
export interface SessionEnd extends FromRun {
  readonly how: 'closed';
}

export interface PromptBuild extends FromRun {
  /** The personality's system text. */
  readonly system: string;
  /** What the user said. */
  readonly input: string;
}
export interface PromptAmendment {
  readonly prependSystem: string;
  readonly overrideSystem: string;
  readonly appendSystem: string;
  /** No system text: joined into one user message in the tail of each request of the run, and never stored. */
  readonly context: readonly string[];
}

/** A closed set: provider options and headers are the host's. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string };
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
  readonly responseFormat?: { readonly type: 'text' } | { readonly type: 'json'; readonly schema?: JsonObject };
}

/** What a run says about its kind of work: `run(input, { job })`. */
export interface Job {
  readonly class: string;
  readonly justification?: string;
}

export interface LLMRequest extends FromRun {
  /** The front system text first; every result behind its call; no call open. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  /** The names that the personality may offer. */
  readonly toolSet: readonly string[];
  /** A key of the agent's models. */
  readonly model: string;
  readonly models: readonly string[];
  readonly settings: ModelSettings;
  /** User or system messages sent behind the last message of this request only. */
  readonly inject: readonly Message[];
  readonly job?: Job;
}
export interface LLMAmendment {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly inject: readonly Message[];
  readonly model: string;
  readonly settings: ModelSettings;
  /** Why nothing may be sent. */
  readonly veto: string;
}
export interface LLMAttempt extends LLMRequest {
  /** From 1; a retry counts one more. */
  readonly attempt: number;
}

export interface LLMAnswer {
  readonly message: Message;
  /** What the provider sent, chunk by chunk; kept when somebody listens. */
  readonly raw?: readonly unknown[];
}
export interface LLMOutcome extends FromRun {
  readonly model: string;
  readonly response?: LLMAnswer;
  readonly error?: unknown;
  readonly usage?: ModelUsage;
  readonly finishReason?: ModelFinishReason;
  readonly attempts: number;
  readonly ms: number;
}

export interface ToolCallStart extends FromCall {
  readonly name: string;
  readonly args: JsonValue;
}
export interface ToolCallAmendment {
  /** They feed forward, and are checked by the tool's schema and sealed behind the pipeline. */
  readonly args: JsonValue;
  /** Answers the call without its body; the guards are asked all the same. */
  readonly result: ToolResult;
  /** Refuses the call; wins over `result`. */
  readonly error: string;
}

/** The call as it would run: guards, answerer, log and body all get this copy. */
export interface SealedToolCall extends FromCall {
  readonly tool: ToolIdentity;
  readonly args: JsonValue;
  /** SHA-256 (hex) of the canonical JSON (RFC 8785) of `{ tool, args }`. */
  readonly digest: string;
  /** A stage has given the result: the body would not run. */
  readonly supplied: boolean;
}
export interface AskDetail {
  readonly detail: JsonValue;
}

export interface ToolCallResult extends FromCall {
  readonly name: string;
  readonly args: JsonValue;
  readonly result: ToolResult;
  readonly ms: number;
}
export interface ToolResultAmendment {
  readonly result: ToolResult;
}

export type ToolOutcome = 'ok' | 'error' | 'denied' | 'cancelled' | 'suspended' | 'not-started' | 'outcome-unknown';

/** What is left of a call as evidence. */
export interface ToolCallRecord {
  readonly callId: string;
  readonly tool: ToolIdentity | undefined;
  /** `undefined`: the call was never sealed. */
  readonly digest: string | undefined;
  /** `undefined`: the guards were never asked. */
  readonly decision: 'clear' | 'deny' | 'ask' | undefined;
  readonly verdicts: readonly GuardVerdict[];
  readonly asks: readonly { readonly guard: string; readonly rule?: string; readonly question: string }[];
  readonly reason?: string;
  /** The handler that refused, supplied or failed the call. */
  readonly by?: string;
  readonly outcome: ToolOutcome;
  /** SHA-256 (hex) of the result before `afterTool`. */
  readonly rawDigest?: string;
}
export interface ToolEnd extends FromCall {
  readonly name: string;
  readonly outcome: ToolOutcome;
  readonly result: ToolResult;
  readonly ms: number;
  readonly record: ToolCallRecord;
}
export interface ToolEndWithPath extends ToolEnd {
  readonly path: string;
  readonly cwd: string;
}

export type RunStatus = 'done' | 'vetoed' | 'pending' | 'incomplete' | 'aborted' | 'failed';
export interface AgentDone extends FromRun {
  readonly status: RunStatus;
  /** The limit that was hit, when `incomplete`. */
  readonly limit?: string;
  readonly reason?: { readonly text: string; readonly by?: string };
  readonly error?: unknown;
  readonly text: string;
  readonly turnCount: number;
  readonly toolCalls: number;
  readonly usage: ModelUsage;
}

export interface BeforeCompaction extends FromRun {
  readonly trigger: 'auto' | 'manual';
  /** The messages that would be replaced by a summary. */
  readonly dropping: readonly Message[];
  readonly tokensBefore: number;
}
export interface CompactionAmendment {
  /** Why the history must stay as it is. */
  readonly veto: string;
  /** The summary, in place of the summariser's. */
  readonly summary: string;
}
export interface AfterCompaction extends BeforeCompaction {
  readonly outcome: 'done' | 'failed' | 'vetoed';
  readonly reason?: string;
  readonly tokensAfter?: number;
  /** Messages of the tail that were kept. */
  readonly keptTail?: number;
  readonly ms: number;
}
