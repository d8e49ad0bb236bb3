/** Questions that a run waits for: what is asked, and what an answer says. Plain JSON, fixed keys. */
import type { JsonValue } from './json.js';

export interface Request {
  /** 128 random bits: who does not know it cannot answer. */
  readonly id: string;
  /** `approval`: guards ask about a call. Anything else is a tool's, or a stage's, own. */
  readonly kind: string;
  readonly prompt: string;
  /** Where the answer is given, when that is elsewhere. */
  readonly url?: string;
  /** Of an approval it is `ApprovalData`: `approvalOf(request)`. */
  readonly data?: JsonValue;
  /** Since the epoch, whole ms (a fraction is rounded up); from then on it counts as declined. */
  readonly expiresAt?: number;
  /** The names of the agents from the root to the one that asks, when that is a child: the loop says so, nobody else. */
  readonly path?: readonly string[];
}

/** A request as a tool or a stage makes it. */
export type RequestDraft = Omit<Request, 'id' | 'path'>;

/** What a tool's body, or a stage of `beforeTool`, gives in place of a result when it has to wait for an answer. */
export interface Pending {
  readonly pending: RequestDraft;
}

/** The call waits; it is no failure. After the answer the body starts from its beginning, with `ctx.answer`. */
export const pending = (request: RequestDraft): Pending => ({ pending: request });

/** It settles the one request that it names. */
export interface Answer {
  readonly id: string;
  readonly ok: boolean;
  /** Of a yes to an approval it is `ApprovalAnswer`. */
  readonly data?: JsonValue;
  readonly reason?: string;
}
