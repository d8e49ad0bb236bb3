/** One tool call in hand: what is known of it, from the model's words to its outcome. */
import { adopt, closeClass, frozen } from '@treblehook/core';
import {
  ownFields,
  type Answer,
  type Ask,
  type AskRecord,
  type CallOrigin,
  type HandlerRef,
  type JsonValue,
  type LoggedClearance,
  type Request,
  type RequestDraft,
  type Spent,
  type ToolCallRecord,
  type ToolContext,
  type ToolOutcome,
  type ToolResult,
  type VerdictRecord,
} from '@treblehook/types';
import type { ModelToolCall } from '../model/answer.js';
import type { Proposal } from './proposal.js';
import type { Stop } from './calls.js';
import type { Clearance } from '../door/clearance.js';
import { isNameless, shownAsk, type ShownAsk } from './grants.js';
import { evidenceIn, type CallProgress, type Evidence } from '../session/call-progress.js';
import type { RegisteredTool } from '../door/registered-tool.js';
import type { Sealed } from '../door/seal.js';
import { errorResult } from '../door/tool-result.js';
import type { WrappedCall } from './wrapped-call.js';

/**
 * Its steps write to it and pass nothing on: what a promise resolves to is asked for `then`, so nothing that matters to
 * the door goes through one.
 */
export class ToolCall {
  readonly name: string;
  readonly tool: RegisteredTool | undefined;
  /** The call's part of every payload about it. */
  readonly origin: CallOrigin;
  /** Why the model's arguments cannot be read. */
  readonly fault: string | undefined;
  /** The model's, then as amended, then as sealed. */
  args: JsonValue;
  /** What the schema made of them. */
  checked: unknown;
  sealed: Sealed | undefined;
  verdict: VerdictRecord<unknown> | undefined;
  clearance: Clearance | undefined;
  /** Asks of the last verdict that nothing has granted. */
  openAsks: readonly Ask<unknown>[] = [];
  /** How often its asks were put. */
  asked = 0;
  /** The request that it waits for: the run cannot go on with it. */
  waiting: Request | undefined;
  /** The run is suspended before it began: it stays open in the log. */
  isLeft = false;
  /** What a stage makes it wait for. */
  held: RequestDraft | undefined;
  /** What the child of its task waits for: answered there. */
  surfaced: Request | undefined;
  /** The log has an attempt of it that stands for it. */
  isOfAttempt = false;
  /** By the child of its task. */
  spent: Spent | undefined;
  /** To the body's own request. */
  answer: Answer | undefined;
  /** Given by a stage in place of the body's. */
  supplied: ToolResult | undefined;
  suppliedBy: string | undefined;
  /** Given by its wrapper, which has not called `core`: it goes before what a stage supplies. */
  proposed: Proposal | undefined;
  /** What stands around it, and knows the attempt in hand. */
  wrap: WrappedCall | undefined;
  /** What its body was given, while that runs: it may make calls of its own. */
  running: ToolContext | undefined;
  /** Its body was started, and may wait for an answer now. */
  hasBegun = false;
  /** The body in hand has been started: what stands in its way ends the call. */
  isInBody = false;
  /** Its wrapper has given it other arguments than it had. */
  isChanged = false;
  /** Those that are not over. */
  readonly nested = new Set<Promise<void>>();
  /** That its body is about to start stands in the log. */
  isStartLogged = false;
  /** What cleared it then is lost, before its body began. */
  isStartLost = false;
  /** Of the body, before `afterTool`. */
  raw: ToolResult | undefined;
  wasCancelled = false;
  /** Of the body alone. */
  ms = 0;
  rawDigest: string | undefined;
  outcome: ToolOutcome | undefined;
  result: ToolResult | undefined;
  reason: string | undefined;
  by: string | undefined;
  /** What its log knows of it, when its run was left open. */
  progress: (CallProgress & { readonly wasPending: boolean }) | undefined;
  /** The call whose body has made it. */
  readonly parent: ToolCall | undefined;
  /** Why it was not to start, or what a call of its body says about those behind it. */
  stoppedBy: Stop | undefined;
  /** A stage of `afterTool` has failed closed: what the body gave is shown to nobody, and nothing stands in its place. */
  isWithheld = false;
  /** Its outcome is logged and told. */
  isTold = false;
  /** A fault that ends the run behind this call; boxed, since `undefined` can be thrown too. */
  fatal: { readonly error: unknown } | undefined;
  readonly #granted = new Map<string, NonNullable<AskRecord['granted']>>();
  readonly #grants = new Set<string>();

  constructor({ name, tool, args, fault }: Omit<ModelToolCall, 'callId'>, origin: CallOrigin, parent?: ToolCall) {
    this.name = name;
    this.tool = tool;
    this.args = args;
    this.fault = fault;
    this.origin = origin;
    this.parent = parent;
  }

  /** Where it stands in the log. */
  logged(runId: string): { runId: string; callId: string; parent?: string; changed?: true } {
    const { callId } = this.origin;
    const changed = this.isChanged ? { changed: true as const } : {};
    return this.parent === undefined
      ? { runId, callId, ...changed }
      : { runId, callId, parent: this.parent.origin.callId, ...changed };
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  /** Nothing more can be done about it now. */
  get isSettled(): boolean {
    return this.outcome !== undefined || this.waiting !== undefined || this.isLeft;
  }

  /** The same call, attempted anew: nothing of what this one was granted, answered or told carries over. */
  again(args: JsonValue, attempt: number, isChanged: boolean): ToolCall {
    const { name, tool, origin, parent, wrap } = this;
    const fault = isChanged ? undefined : this.fault;
    const call = new ToolCall({ name, tool, args, fault }, adopt({ ...origin, attempt }), parent);
    call.wrap = wrap;
    call.isChanged = isChanged;
    return call;
  }

  /** The same attempt, with the arguments that its wrapper has given: what the log has of its start is so of it too. */
  remade(args: JsonValue): ToolCall {
    const call = this.again(args, this.origin.attempt, true);
    call.isStartLogged = this.isStartLogged;
    call.isStartLost = this.isStartLost;
    return call;
  }

  takeProposal(): void {
    this.supplied = this.proposed!.result;
    this.suppliedBy = this.proposed!.by;
  }

  /** An answer, or a grant of the session, settles this ask on the arguments as they are sealed now. */
  grant(ask: ShownAsk, by: NonNullable<AskRecord['granted']>): void {
    this.#granted.set(this.#keyOf(ask), by);
  }

  isGranted(ask: Ask<unknown>): boolean {
    return this.#granted.has(this.#keyOf(shownAsk(ask)));
  }

  /** A rule stands for its question, which may be worded anew each time; not that of a guard that may be another one. */
  #keyOf({ guard, rule, question }: ShownAsk): string {
    const asked = isNameless(guard) ? ` ? ${question}` : '';
    const what = rule === undefined ? `? ${question}` : `# ${rule.length} ${rule}${asked}`;
    return `${this.sealed!.digest} ${guard.length} ${guard} ${what}`;
  }

  /** What was granted rests on a grant of the session: it is worth nothing once that is revoked. */
  restsOn(grantId: string): void {
    this.#grants.add(grantId);
  }

  /** Whether a grant that it rests on is gone; what was granted is then forgotten. */
  hasLostGrant(isLive: (grantId: string) => boolean): boolean {
    for (const id of this.#grants) {
      if (isLive(id)) continue;
      this.#grants.clear();
      this.#granted.clear();
      return true;
    }
    return false;
  }

  /** The run is suspended: the call stays open in the log. One that a body makes cannot: it gives false. */
  leave(): boolean {
    if (this.parent !== undefined) return false;
    this.isLeft = true;
    return true;
  }

  /** The call is over without a result of its own: `text` is what the model reads. */
  end(outcome: Exclude<ToolOutcome, 'ok'>, text: string, reason?: string, by?: string): void {
    this.outcome = outcome;
    this.waiting = undefined;
    this.result = errorResult(text);
    this.reason = reason;
    this.by = by;
  }

  deny(text: string, reason: string, by: HandlerRef | undefined): void {
    this.end('denied', text, reason, by?.id);
  }

  /** The call has run, or was answered by a stage. */
  settle(result: ToolResult): void {
    this.outcome = result.isError ? 'error' : 'ok';
    this.result = result;
  }

  /** What is left of it as evidence. */
  record(outcome = this.outcome!): ToolCallRecord {
    const { tool, sealed, verdict, reason, by, rawDigest } = this;
    return frozen({
      callId: this.origin.callId,
      tool: sealed?.tool ?? tool?.identity,
      digest: sealed?.digest,
      ...(verdict === undefined ? evidenceIn(this.progress) : this.#evidence(verdict)),
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      outcome,
      ...(rawDigest === undefined ? {} : { rawDigest }),
    });
  }

  #evidence({ decision, rule }: VerdictRecord<unknown>): Evidence {
    const { verdicts, asks, ms } = this.cleared();
    return { decision, verdicts, asks, guardMs: ms, ...(decision === 'deny' && rule !== undefined && { rule }) };
  }

  /** What the guards have said, as the log keeps it. */
  cleared(): LoggedClearance {
    const { verdicts, asks, ms } = this.verdict!;
    return { verdicts, asks: asks.map((ask) => this.#askRecord(ask)), ms };
  }

  #askRecord(ask: Ask<unknown>): AskRecord {
    const shown = shownAsk(ask);
    const granted = this.#granted.get(this.#keyOf(shown));
    return granted === undefined ? shown : ownFields({ ...shown, granted });
  }
}
closeClass(ToolCall);
