/** The hook points of a tool call: rewriting, the guards, the result, the outcome. */
import { checkCallAmendment, checkToolAmendment } from './check-tool-amendment.js';
import { defineHooks } from './define-hooks.js';
import { subagentHooks } from './hooks-subagent.js';
import { claimingHook, modifyingHook, voidHook } from './hook-point.js';
import type { JsonValue } from './json.js';
import type { FromCall } from './origin.js';
import type { Pending } from './request.js';
import type { GuardedTool, ToolIdentity, ToolResult } from './tool.js';
import type { GuardVerdict } from './verdict.js';

export interface ToolCallStart extends FromCall {
  readonly name: string;
  readonly args: JsonValue;
}

export interface ToolCallAmendment {
  /** They feed forward, and are checked by the tool's schema and sealed behind the pipeline. */
  readonly args: JsonValue;
  /** Answers the call without its body; the guards are asked all the same. `pending(…)` makes the call wait. */
  readonly result: ToolResult | Pending;
  /** Refuses the call; wins over `result`. */
  readonly error: string;
}

/** The call as it would run: guards, answerer, log and body all get this copy. */
export interface SealedToolCall extends FromCall {
  /** Frozen. What it says of itself and of its arguments is no part of the call's digest, but of the tool's. */
  readonly tool: GuardedTool;
  readonly args: JsonValue;
  /** SHA-256 (hex) of the canonical JSON (RFC 8785) of `{ tool, args }`, the tool without its annotations: its digest has them. */
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

/** A question of a guard, and what has settled it. */
export interface AskRecord {
  readonly guard: string;
  readonly rule?: string;
  readonly question: string;
  /** The request whose answer has granted it, or the grant of the session. */
  readonly granted?: { readonly request: string } | { readonly grant: string };
}

/** What is left of a call as evidence. */
export interface ToolCallRecord {
  readonly callId: string;
  readonly tool: ToolIdentity | undefined;
  /** `undefined`: the call was never sealed. */
  readonly digest: string | undefined;
  /** `undefined`: the guards were never asked. */
  readonly decision: 'clear' | 'deny' | 'ask' | undefined;
  readonly verdicts: readonly GuardVerdict[];
  /** Of the last fire of the guards; absent when they were never asked. */
  readonly guardMs?: number;
  readonly asks: readonly AskRecord[];
  readonly reason?: string;
  /** The handler that refused, supplied or failed the call. */
  readonly by?: string;
  /** The rule that the guard named which denied it. */
  readonly rule?: string;
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

const ofCall = { origin: 'object', callId: 'string', attempt: 'number', batch: 'object' } as const;
const call = { ...ofCall, name: 'string' } as const;
const end = { ...call, outcome: 'string', result: 'object', ms: 'number', record: 'object' } as const;

export const toolHooks = defineHooks({
  beforeTool: modifyingHook<ToolCallStart, ToolCallAmendment>({
    discipline: 'pipeline',
    summary: 'Before a tool call is sealed: its arguments can be rewritten, its result supplied, the call refused.',
    fields: { ...call, args: 'any?' },
    keys: { args: 'any', result: 'object', error: 'string' },
    terminal: ['result', 'error'],
    check: checkCallAmendment,
    aka: ['before_tool_call', 'PreToolUse', 'tool_call'],
  }),
  toolPolicy: claimingHook<SealedToolCall, AskDetail>({
    discipline: 'guard',
    summary: 'The call is sealed: each guard may deny it or ask; none can allow it.',
    fields: { ...ofCall, tool: 'object', args: 'any?', digest: 'string', supplied: 'boolean' },
    keys: { detail: 'any' },
    order: ['tool-policy?', '*'],
    aka: ['tool_policy', 'permissionRequest', 'canUseTool'],
  }),
  ...subagentHooks, // in place of a body
  afterTool: modifyingHook<ToolCallResult, ToolResultAmendment>({
    discipline: 'pipeline',
    summary: 'A tool has answered: its result can be rewritten before anybody sees it.',
    fields: { ...call, args: 'any?', result: 'object', ms: 'number' },
    keys: { result: 'object' },
    check: checkToolAmendment,
    aka: ['after_tool_call', 'PostToolUse', 'tool_result'],
  }),
  toolEnd: voidHook<ToolEnd>({
    summary: 'Every outcome of every tool call, the denied and the cancelled included.',
    fields: end,
    aka: ['tool_end', 'PostToolUseFailure', 'tool_execution_end'],
  }),
  toolEndWithPath: voidHook<ToolEndWithPath>({
    summary: 'As toolEnd, once for each path argument that the tool declares.',
    fields: { ...end, path: 'string', cwd: 'string' },
    aka: ['file_edited'],
  }),
});
