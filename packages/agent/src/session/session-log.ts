/** The log of one session as this process writes it: its turn among processes, and what is durable. */
import { closeClass } from '@treblehook/core';
import {
  HookError,
  isHeld,
  type Answer,
  type Lease,
  type SessionRecord,
  type SessionStore,
  type SettleOutcome,
  type StoredRecord,
} from '@treblehook/types';
import type { Clock } from '../contract.js';
import type { Config } from '../config.js';
import { assertNoThen, isPromiseLike } from '../run/shared-prototypes.js';
import { bare } from './taken-record.js';

/** ms. A lease is renewed at a third of this, so a process that stands still for less keeps it. */
export const leaseMs = 30_000;
/** Between two looks at a session that another process holds. */
const pollMs = { first: 10, most: 250 };

/** Who has the session. */
export interface Holder {
  readonly id: string;
  /** Waits `ms`; rejects when there is nothing to wait for any more. */
  readonly pause: (ms: number) => Promise<void>;
  /** Settles as `turn` does; rejects when there is nothing to wait for any more. */
  readonly wait: (turn: Promise<void>) => Promise<void>;
  /** It has lost the session. */
  readonly fail: (error: unknown) => void;
}

type LogOptions = Pick<Config, 'store' | 'isShared' | 'leases' | 'clock' | 'lockWaitMs'>;

export class SessionLog {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** Others may have the store too: the lease has to be renewed. */
  readonly #isShared: boolean;
  readonly #leases: Set<SessionLog>;
  #head = 0;
  #lease: Lease | undefined;
  /** Renews the lease no more; it is waited for no longer either. */
  #stop = (): void => {};
  /** A run of this process takes the lease, or gives it back. */
  #passing: Promise<void> | undefined;
  /** What was appended last under the lease of a run that did not write it. */
  #inFlight: void | Promise<void> = undefined;
  /** The last of what is to be appended outside of a run. It never rejects. */
  #outside: Promise<void> | undefined;

  constructor({ store, isShared, leases, clock, lockWaitMs }: LogOptions, sessionId: string) {
    this.#store = store;
    this.#isShared = isShared;
    this.#sessionId = sessionId;
    this.#leases = leases;
    this.#clock = clock;
    this.#waitMs = lockWaitMs;
  }

  /** The number of the last record that this process has written or read. */
  get head(): number {
    return this.#head;
  }

  /**
   * Takes the session for a run, and says whether the log has records that this process does not know. Rejects with `TH_SESSION_BUSY` when
   * another process holds it for longer than the wait, and when the run is aborted.
   */
  async enter(run: Holder): Promise<boolean> {
    const until = this.#clock.now() + this.#waitMs;
    while (this.#outside !== undefined) await this.#behind(this.#outside, run, until);
    for (let pause = pollMs.first; ; pause = Math.min(pause * 2, pollMs.most)) {
      const answer = this.#store.acquire(this.#sessionId, run.id, leaseMs);
      const isLater = isPromiseLike(answer);
      const passed = isLater ? this.#passes() : undefined;
      let holder: string;
      try {
        const lease = isLater ? await answer : answer;
        if (!isTaking(lease)) throw nonsense('acquire', 'neither a lease nor who holds one');
        if (!isHeld(lease)) {
          this.#lease = lease;
          this.#leases.add(this);
          break;
        }
        holder = lease.holder;
      } finally {
        passed?.();
      }
      const left = until - this.#clock.now();
      if (left <= 0) throw this.#busy(holder);
      await run.pause(Math.min(pause, left));
    }
    if (this.#isShared) this.#keep(run);
    const news = this.#store.read(this.#sessionId, this.#head);
    const records: unknown = Array.isArray(news) ? news : await news;
    if (!Array.isArray(records)) throw nonsense('read', 'no list of records');
    return records.length > 0;
  }

  /** Rejects as `enter` does: a store that does not answer who appended holds nobody for ever. */
  async #behind(outside: Promise<void>, run: Holder, until: number): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((_, reject) => {
      const ms = Math.max(0, until - this.#clock.now());
      cancel = this.#clock.after(ms, () => reject(this.#unanswered()));
    });
    try {
      await run.wait(Promise.race([outside, late]));
    } finally {
      cancel();
    }
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
    if (this.#lease === undefined)
      throw new HookError('TH_LEASE_LOST', { session: this.#sessionId, fence: 'of a run that is over' });
    const answer = this.#store.append(this.#lease, records);
    if (typeof answer === 'number') this.#wrote(answer, records.length);
    else return Promise.resolve(answer).then((head) => this.#wrote(head, records.length));
  }

  /**
   * Appends outside of a run, one behind the other: each would find the lease of the one before. Rejects with
   * `TH_SESSION_BUSY` when another process has the session.
   */
  outside(record: SessionRecord): Promise<void> {
    const before = this.#outside;
    const done = before === undefined ? this.#appendOutside(record) : before.then(() => this.#appendOutside(record));
    const over = (): void => {
      if (this.#outside === last) this.#outside = undefined;
    };
    const last = done.then(over, over); // swallows nothing: whoever appends is told by `done`
    this.#outside = last;
    return done;
  }

  async #appendOutside(record: SessionRecord): Promise<void> {
    while (this.#passing !== undefined) await this.#passing;
    if (this.#lease !== undefined) {
      await (this.#inFlight = this.append(record));
      return;
    }
    const lease = await this.#store.acquire(this.#sessionId, record.type, leaseMs);
    if (isHeld(lease)) throw this.#busy(lease.holder);
    try {
      this.#wrote(await this.#store.append(lease, [record]), 1);
    } finally {
      await this.#giveBack(lease);
    }
  }

  /** Never throws: what was written under a lease stands, whether or not that can be given back. */
  #giveBack(lease: Lease): void | Promise<void> {
    try {
      const answer = this.#store.release(lease);
      // swallows a store that cannot write, as below: the lease runs out by itself
      if (isPromiseLike(answer)) return Promise.resolve(answer).catch(() => {});
    } catch {
      // swallows a store that cannot write
    }
  }

  /** Until what it gives is called, whoever appends outside of a run waits: it is not known whose the lease is. */
  #passes(): () => void {
    let over = (): void => {};
    const passing = new Promise<void>((resolve) => {
      over = resolve;
    });
    this.#passing = passing;
    return () => {
      if (this.#passing === passing) this.#passing = undefined;
      over();
    };
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

  /** Writes nothing more. The lease is not given back, since a call may be under way: it runs out. */
  giveUp(): void {
    this.#lease = undefined;
    this.#leases.delete(this);
    this.#stop();
  }

  /** Lets the next process in. Never throws. A store that does not answer is waited for until the lease has run out by itself. */
  async leave(): Promise<void> {
    const lease = this.#lease;
    this.giveUp();
    if (lease === undefined) return;
    const passed = this.#passes();
    const given =
      this.#inFlight === undefined
        ? this.#giveBack(lease)
        : Promise.allSettled([this.#inFlight]).then(() => this.#giveBack(lease));
    if (given === undefined) return passed();
    await this.#untilOver(given.then(passed));
  }

  /** A shutdown that gives up ends it too. */
  async #untilOver(given: Promise<void>): Promise<void> {
    let cancel = (): void => {};
    this.#leases.add(this);
    await new Promise<void>((resolve) => {
      this.#stop = resolve;
      cancel = this.#clock.after(leaseMs, resolve);
      void given.then(resolve);
    });
    cancel();
    this.#leases.delete(this);
  }

  /** A record of another process that slipped in between leaves the head behind: it is read at the next turn. */
  #wrote(head: number, count: number): void {
    if (!Number.isSafeInteger(head)) throw nonsense('append', 'no number of the last record');
    if (head === this.#head + count) this.#head = head;
  }

  /** Renews the lease as long as the run has its turn; a run that has lost it must not go on. */
  #keep(run: Holder): void {
    const lease = this.#lease!;
    const renew = async (): Promise<void> => {
      try {
        await this.#store.renew(lease, leaseMs);
        if (this.#lease === lease) this.#keep(run);
      } catch (error) {
        if (this.#lease === lease) run.fail(error);
      }
    };
    this.#stop = this.#clock.after(leaseMs / 3, () => void renew());
  }

  #unanswered(): HookError {
    const what =
      'the session store has not answered what was appended outside of a run, such as a grant that was revoked: try again when it has';
    return new HookError('TH_SESSION_BUSY', { session: this.#sessionId, ms: this.#waitMs, what });
  }

  #busy(holder: string): HookError {
    const what = `the run '${holder}' of another process, or of another agent, holds it: try again when it has ended, or use another session`;
    return new HookError('TH_SESSION_BUSY', { session: this.#sessionId, ms: this.#waitMs, what, holder });
  }
}
closeClass(SessionLog);

/** A store of somebody else's may keep anything but its contract: what it did not promise is not gone on with. */
const nonsense = (call: string, what: string): HookError =>
  new HookError('TH_STORE_FAILED', {
    store: 'of this agent',
    what: `gave ${what} to ${call}`,
    mend: 'see the contract of SessionStore',
  });

const isTaking = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && (Object.hasOwn(given, 'fence') || Object.hasOwn(given, 'holder'));
