/** The shapes of an audit: of each call who asked for it, what the guards said, who approved, what came of it. */
import type {
  ApprovalAsk,
  AskRecord,
  GuardVerdict,
  JsonValue,
  RequestSource,
  ToolCallRecord,
  ToolIdentity,
  ToolOutcome,
} from '@treblehook/types';

/** Times are ms since the epoch, durations ms. */
export interface SessionAudit {
  /** One for each attempt of each call, in the order in which they ended; what has not ended comes last. */
  readonly calls: readonly AuditedCall[];
  /** What contradicts the law of the door. Empty: every body that has started had a clearance for exactly its arguments. */
  readonly problems: readonly AuditProblem[];
}

export interface AuditedCall {
  readonly callId: string;
  readonly runId: string;
  readonly personality: string;
  /** From 1. */
  readonly attempt: number;
  /** The model that asked for it, or the call whose body did. */
  readonly askedBy: { readonly model: string; readonly turn: number } | { readonly call: string };
  readonly name: string;
  readonly tool?: ToolIdentity;
  /** As sealed; of a call that never was, as the model gave them. */
  readonly args: JsonValue;
  /** As the model gave them; of a call that a body makes, as it was sealed. */
  readonly given: JsonValue;
  /** Other arguments that answers have put in place of those that they were shown. */
  readonly edits: readonly AuditedEdit[];
  readonly digest?: string;
  readonly decision: ToolCallRecord['decision'];
  readonly guards: readonly GuardVerdict[];
  readonly guardMs?: number;
  readonly asks: readonly AuditedAsk[];
  /** What was put to whoever answers, in this order. */
  readonly requests: readonly AuditedRequest[];
  /** When its body was about to start. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** `undefined`: it has not ended. */
  readonly outcome: ToolOutcome | undefined;
  readonly ms?: number;
  readonly reason?: string;
  readonly by?: string;
  /** The rule that the guard named which denied it. */
  readonly rule?: string;
  /** What the model was told of a call that ended as an error without its body: arguments that do not fit, an unknown tool. */
  readonly fault?: string;
  /** Number of the record that tells its end, or its last one. */
  readonly seq: number;
}

export interface AuditedRequest {
  readonly id: string;
  readonly by: RequestSource;
  readonly prompt: string;
  /** Of guards: which of them ask, and by which rule. */
  readonly asks: readonly ApprovalAsk[];
  /** `undefined`: nobody has answered. */
  readonly answer: AuditedAnswer | undefined;
}

export interface AuditedEdit {
  readonly request: string;
  /** The arguments that the request showed, and those that its answer gave. */
  readonly shown: JsonValue;
  readonly args: JsonValue;
  /** What they were sealed as, and run with: other ones when the schema of the tool, which no log has, is said to have made them. */
  readonly sealed: JsonValue;
}

export interface AuditedAnswer {
  readonly request: string;
  readonly ok: boolean;
  readonly at: number;
  readonly reason?: string;
}

export interface AuditedAsk extends AskRecord {
  /** The answer that granted it. */
  readonly answer?: AuditedAnswer;
  /** The grant of the session that granted it, with the request that gave that. */
  readonly grant?: { readonly id: string; readonly request: string };
}

export interface AuditProblem {
  /**
   * `digest`: the digest is not that of the tool and the arguments. `no-clearance`: the body has started, or the call has
   * a result, without a `clear` of the guards, or the model was told of a result in front of the end. `no-guards`: no guard was there to ask. `not-granted`: a question was
   * settled by no yes and by no grant that stood then, a grant was given by no answer, or a request was answered before it
   * was put. `other-call`: what was asked for, what was shown, what was cleared and what has ended are not one and the same
   * attempt of a call of one run. `twice`: a body has started twice on one clearance, a request was answered twice, or a
   * call was asked for twice, or has gone on behind its end.
   */
  readonly code: 'digest' | 'no-clearance' | 'no-guards' | 'not-granted' | 'other-call' | 'twice';
  /** Empty of a grant, or an answer, to a request that the log does not have. */
  readonly callId: string;
  /** Number of the record. */
  readonly seq: number;
  readonly what: string;
}
