/** The port of session stores: append-only logs, leases with a fencing number, answers that settle once. */
import type { Awaitable } from './handler.js';
import type { RunStatus } from './hooks-session.js';
import type { Answer } from './request.js';
import type { SessionRecord } from './session-record.js';

export interface StoredRecord {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Since the epoch, ms. */
  readonly at: number;
  readonly record: SessionRecord;
}

/** The right to append to one session. */
export interface Lease {
  readonly sessionId: string;
  /** Grows with each lease of a session; an append under an older one is refused. */
  readonly fence: number;
}

/** Somebody else has the session. */
export interface Held {
  readonly holder: string;
  /** When that lease runs out unless it is renewed, ms since the epoch. */
  readonly until: number;
}

export type SettleOutcome =
  | { readonly state: 'settled' }
  /** It has been answered before: that answer stands. */
  | { readonly state: 'taken'; readonly answer: Answer }
  /** Its time is over, or its run. */
  | { readonly state: 'expired' }
  | { readonly state: 'unknown' };

export interface SessionSummary {
  readonly sessionId: string;
  readonly records: number;
  /** Of the first and the last record, ms since the epoch. */
  readonly openedAt: number;
  readonly changedAt: number;
  /** Requests that can be answered: they have no answer, and have not expired. */
  readonly pending: number;
  /**
   * How its last run has ended; `pending`: it waits. `open`: its log has no ending of it, since it goes on (`holder`) or its
   * process has died. Absent of a session without a run.
   */
  readonly last?: RunStatus | 'open';
  /** The session that has tasked it: what it waits for is found and answered there. */
  readonly parent?: string;
  /** Who holds it now. */
  readonly holder?: string;
}

/**
 * Each call may answer at once or by a promise. Whatever the medium says is `TH_STORE_FAILED`; records that were appended
 * before stay readable. Ids are told apart to the last character; no agent gives one with a NUL, or with one half of a
 * surrogate pair.
 */
export interface SessionStore {
  /** Takes the session for `ms`, or says who has it. A lease that has run out, or whose holder is dead, is taken over. */
  readonly acquire: (sessionId: string, holder: string, ms: number) => Awaitable<Lease | Held>;
  /** Counts `ms` anew. `TH_LEASE_LOST` when somebody has taken the session over. */
  readonly renew: (lease: Lease, ms: number) => Awaitable<void>;
  /** Idempotent; a lease that is lost is no fault. */
  readonly release: (lease: Lease) => Awaitable<void>;
  /**
   * All records or none, durable when it answers; gives the number of the last one. Rejects with `TH_LEASE_LOST` under an
   * old fence. Several may be in flight under one lease, and in which order these are written is the store's to choose: a
   * body that was not begun when a grant was taken back does not start on it, so a revocation counts against those that
   * have run behind it, and not against a `started` that it has overtaken. A record `request` opens that request. Behind a record `settled` of any status but `pending` the requests of
   * the session that have no answer have expired.
   */
  readonly append: (lease: Lease, records: readonly SessionRecord[]) => Awaitable<number>;
  /** The records behind `after`, in order. An unknown session has none. */
  readonly read: (sessionId: string, after?: number) => Awaitable<readonly StoredRecord[]>;
  /**
   * Settles the open request that the answer names, and appends `answered`: compare and set, without a lease, so that
   * another process can answer. Of two answers one settles.
   */
  readonly settle: (sessionId: string, answer: Answer) => Awaitable<SettleOutcome>;
  /** All sessions, the last changed first. */
  readonly list: () => Awaitable<readonly SessionSummary[]>;
  readonly close: () => Awaitable<void>;
}

export const isHeld = (lease: Lease | Held): lease is Held => Object.hasOwn(lease, 'holder');
