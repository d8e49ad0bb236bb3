/** Approvals: what a request of guards shows of its call, and what an answer to it may carry. */
import type { JsonValue } from './json.js';
import { ownFields } from './own-fields.js';
import type { Request } from './request.js';
import type { ToolIdentity } from './tool.js';

// Type aliases and no interfaces: only those are plain JSON to the compiler.

/** What one guard asks about the call. */
export type ApprovalAsk = { readonly guard: string; readonly rule?: string; readonly question: string };

/** `data` of a request of the kind `approval`: the call as it would run, and every question about it. */
export type ApprovalData = {
  readonly tool: Pick<ToolIdentity, keyof ToolIdentity>;
  /** As they are sealed. */
  readonly args: JsonValue;
  /** SHA-256 (hex) of tool and arguments: what a yes holds for. */
  readonly digest: string;
  readonly asks: readonly ApprovalAsk[];
};

/** `data` of a yes to an approval. */
export type ApprovalAnswer = {
  /** In place of those that were shown: checked by the schema and sealed anew; the yes holds for them. */
  readonly args?: JsonValue;
  /** The asks stay granted, for the same arguments or for `any`, until then (ms since the epoch) or as long as the session. */
  readonly remember?: { readonly for: 'session'; readonly args?: 'any'; readonly until?: number };
};

/** What guards ask about; `undefined` for the question of a tool or a stage, whatever it calls its kind. */
export function approvalOf({ kind, data }: Pick<Request, 'kind' | 'data'>): ApprovalData | undefined {
  if (kind !== 'approval' || !isObject(data)) return undefined;
  const { tool, args, digest, asks } = ownFields(data as Partial<ApprovalData>);
  const isWhole = isTool(tool) && args !== undefined && typeof digest === 'string' && Array.isArray(asks);
  return isWhole && asks.every(isAsk) ? (data as ApprovalData) : undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isTool(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { source, name, digest } = ownFields(value as Partial<ToolIdentity>);
  return typeof source === 'string' && typeof name === 'string' && typeof digest === 'string';
}

function isAsk(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { guard, rule, question } = ownFields(value as Partial<ApprovalAsk>);
  return typeof guard === 'string' && typeof question === 'string' && (rule === undefined || typeof rule === 'string');
}
