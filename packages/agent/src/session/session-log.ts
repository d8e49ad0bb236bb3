/** The log of one session as this process reads and writes it, and what of it is durable. */
import { closeClass } from '@treblehook/core';
import {
  HookError,
  type Answer,
  type SessionRecord,
  type SessionStore,
  type SettleOutcome,
  type StoredRecord,
} from '@treblehook/types';
import type { Clock } from '../contract.js';
import { assertNoThen, isPromiseLike } from '../run/shared-prototypes.js';
import { SessionLease, type Holder, type LeaseOptions } from './session-lease.js';
import { inTime, nonsense, unanswered } from './store-wait.js';
import { bare } from './taken-record.js';

interface InFlight {
  readonly answer: Promise<void>;
  /** Whoever appends behind it waits no longer. */
  readonly goOn: () => void;
}

export class SessionLog {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #lease: SessionLease;
  #head = 0;
  /** What is appended under the lease of a run that did not write it. */
  #inFlight: InFlight | undefined;
  /** The last of what is to be appended outside of a run. It never rejects. */
  #outside: Promise<void> | undefined;

  constructor(options: LeaseOptions, sessionId: string) {
    this.#store = options.store;
    this.#sessionId = sessionId;
    this.#clock = options.clock;
    this.#waitMs = options.lockWaitMs;
    this.#lease = new SessionLease(options, sessionId);
  }

  /** The number of the last record that this process has written or read. */
  get head(): number {
    return this.#head;
  }

  /**
   * Takes the session for a run, and says whether the log has records that this process does not know. Rejects with `TH_SESSION_BUSY` when
   * another process holds it for longer than the wait, and when the run is aborted. Whatever it rejects with, nothing is held.
   */
  async enter(run: Holder): Promise<boolean> {
    const until = this.#clock.now() + this.#waitMs;
    // a store that does not answer who appended holds nobody for ever
    while (this.#outside !== undefined) await run.wait(this.#inTime(this.#outside, until - this.#clock.now()));
    await this.#lease.take(run, until);
    try {
      const news = this.#store.read(this.#sessionId, this.#head);
      const records: unknown = Array.isArray(news) ? news : await news;
      if (!Array.isArray(records)) throw nonsense('read', 'no list of records');
      return records.length > 0;
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  #inTime(outside: Promise<void>, ms: number): Promise<void> {
    const asked = 'what was appended outside of a run, such as a grant that was revoked';
    return inTime(outside, this.#clock, Math.max(0, ms), () => unanswered(this.#sessionId, this.#waitMs, asked));
  }

  /** Gives the whole log to `take`. Records go through no promise that a store has not made: each would be asked for `then`. */
  async readAll(take: (records: readonly StoredRecord[]) => void): Promise<void> {
    const given = this.#store.read(this.#sessionId);
    assertNoThen();
    const records: readonly StoredRecord[] = Array.isArray(given) ? given : await given;
    assertNoThen();
    if (!Array.isArray(records)) throw nonsense('read', 'no list of records');
    take(records);
  }

  /** The log as it was read is what this process goes on from. */
  isAt(head: number): void {
    this.#head = head;
  }

  /** All records or none; durable when it answers. A value where the store gave one. */
  append(...records: SessionRecord[]): void | Promise<void> {
    const lease = this.#lease.held;
    if (lease === undefined)
      throw new HookError('TH_LEASE_LOST', { session: this.#sessionId, fence: 'of a run that is over' });
    const answer = this.#store.append(lease, records);
    if (typeof answer === 'number') this.#wrote(answer, records.length);
    else return Promise.resolve(answer).then((head) => this.#wrote(head, records.length));
  }

  /**
   * Appends outside of a run, one behind the other: each would find the lease of the one before. Rejects with `TH_SESSION_BUSY`
   * when another process has the session. A store that does not answer keeps those behind until the lease has run out, when it
   * refuses to append under that; what it answers later is what this settles with.
   */
  outside(record: SessionRecord): Promise<void> {
    const before = this.#outside;
    let goOn = (): void => {};
    const last = new Promise<void>((resolve) => {
      goOn = () => {
        if (this.#outside === last) this.#outside = undefined;
        resolve();
      };
    });
    this.#outside = last;
    const append = (): Promise<void> => this.#appendOutside(record, goOn);
    const done = before === undefined ? append() : before.then(append);
    done.then(goOn, goOn); // swallows nothing: whoever appends is told by `done`
    return done;
  }

  async #appendOutside(record: SessionRecord, goOn: () => void): Promise<void> {
    while (this.#lease.passing !== undefined) await this.#lease.passing;
    if (this.#lease.held !== undefined) return this.#appendWithin(record, goOn);
    const lease = await this.#lease.borrow(record.type);
    const { over, end } = this.#lease.time();
    void over.then(goOn);
    try {
      this.#wrote(await this.#store.append(lease, [record]), 1);
    } finally {
      await Promise.race([this.#lease.giveBack(lease), over]);
      end();
    }
  }

  /** Under the lease of the run in hand, which gives that back behind it. */
  async #appendWithin(record: SessionRecord, goOn: () => void): Promise<void> {
    const answer = this.append(record);
    if (answer === undefined) return;
    const mine = { answer, goOn };
    this.#inFlight = mine;
    try {
      await answer;
    } finally {
      if (this.#inFlight === mine) this.#inFlight = undefined;
    }
  }

  /** It inherits nothing: it goes through a promise. */
  async settle(answer: Answer): Promise<SettleOutcome> {
    const given = this.#store.settle(this.#sessionId, answer);
    assertNoThen();
    const outcome = isPromiseLike(given) ? await given : given;
    assertNoThen();
    if (typeof outcome !== 'object' || outcome === null) throw nonsense('settle', 'no outcome');
    return bare(outcome);
  }

  /** Lets the next process in. Never throws; has an end as that of a lease. */
  async leave(): Promise<void> {
    const inFlight = this.#inFlight;
    this.#inFlight = undefined;
    await this.#lease.leave(inFlight?.answer);
    inFlight?.goOn();
  }

  /** A record of another process that slipped in between leaves the head behind: it is read at the next turn. */
  #wrote(head: number, count: number): void {
    if (!Number.isSafeInteger(head)) throw nonsense('append', 'no number of the last record');
    if (head === this.#head + count) this.#head = head;
  }
}
closeClass(SessionLog);
