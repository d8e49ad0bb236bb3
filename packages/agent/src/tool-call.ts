/** One tool call in hand: what is known of it, from the model's words to its outcome. */
import { closeClass, frozen } from '@treblehook/core';
import type {
  CallOrigin,
  HandlerRef,
  JsonValue,
  ToolCallRecord,
  ToolOutcome,
  ToolResult,
  VerdictRecord,
} from '@treblehook/types';
import type { ModelToolCall } from './answer.js';
import type { Clearance } from './clearance.js';
import type { RegisteredTool } from './registered-tool.js';
import type { Sealed } from './seal.js';
import { errorResult } from './tool-result.js';

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
  /** Given by a stage in place of the body's. */
  supplied: ToolResult | undefined;
  suppliedBy: string | undefined;
  /** Of the body alone. */
  ms = 0;
  rawDigest: string | undefined;
  outcome: ToolOutcome | undefined;
  result: ToolResult | undefined;
  reason: string | undefined;
  by: string | undefined;
  /** A fault that ends the run behind this call; boxed, since `undefined` can be thrown too. */
  fatal: { readonly error: unknown } | undefined;

  constructor({ name, tool, args, fault }: ModelToolCall, origin: CallOrigin) {
    this.name = name;
    this.tool = tool;
    this.args = args;
    this.fault = fault;
    this.origin = origin;
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  /** The call is over without a result of its own: `text` is what the model reads. */
  end(outcome: Exclude<ToolOutcome, 'ok'>, text: string, reason?: string, by?: string): void {
    this.outcome = outcome;
    this.result = errorResult(text);
    this.reason = reason;
    this.by = by;
  }

  deny(text: string, reason: string, by: HandlerRef | undefined): void {
    this.end('denied', text, reason, by?.id);
  }

  /** The call has run, or was answered by a stage. */
  answer(result: ToolResult): void {
    this.outcome = result.isError ? 'error' : 'ok';
    this.result = result;
  }

  /** What is left of it as evidence. */
  record(): ToolCallRecord {
    const { tool, sealed, verdict, reason, by, rawDigest } = this;
    return frozen({
      callId: this.origin.callId,
      tool: tool?.identity,
      digest: sealed?.digest,
      decision: verdict?.decision,
      verdicts: verdict?.verdicts ?? [],
      asks: (verdict?.asks ?? []).map((ask) => ({
        guard: ask.by.id,
        ...(ask.rule === undefined ? {} : { rule: ask.rule }),
        question: ask.ask,
      })),
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      outcome: this.outcome!,
      ...(rawDigest === undefined ? {} : { rawDigest }),
    });
  }
}
closeClass(ToolCall);
