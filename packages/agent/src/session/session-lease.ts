/** The turn of this process among those that have a session: its lease, from the taking of it to the end. */
import { closeClass } from '@treblehook/core';
import { HookError, isHeld, isHookError, type Held, type Lease, type SessionStore } from '@treblehook/types';
import type { Clock } from '../contract.js';
import type { Config } from '../config.js';
import { isPromiseLike } from '../run/shared-prototypes.js';
import { inTime, nonsense, unanswered } from './store-wait.js';

/** ms. A lease is renewed at a third of this, so a process that stands still for less keeps it. */
export const leaseMs = 30_000;
/** Behind a renewal that has failed, ms. */
const retryMs = 1_000;
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

export type LeaseOptions = Pick<Config, 'store' | 'isShared' | 'leases' | 'clock' | 'lockWaitMs'>;

/** The time of a lease that nobody renews. */
export interface LeaseTime {
  /** It has run out by itself, or a shutdown waits no longer. */
  readonly over: Promise<void>;
  /** Nobody waits for that any more. */
  readonly end: () => void;
}

export class SessionLease {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** Others may have the store too: the lease has to be renewed. */
  readonly #isShared: boolean;
  readonly #leases: Set<SessionLease>;
  /** When it was asked for: the store counts its time from then, at the earliest. */
  #asked = 0;
  #held: Lease | undefined;
  /** Renews the lease no more; it is waited for no longer either. */
  #stop = (): void => {};
  /** A run of this process takes the lease, or gives it back. */
  #passing: Promise<void> | undefined;

  constructor({ store, isShared, leases, clock, lockWaitMs }: LeaseOptions, sessionId: string) {
    this.#store = store;
    this.#isShared = isShared;
    this.#sessionId = sessionId;
    this.#leases = leases;
    this.#clock = clock;
    this.#waitMs = lockWaitMs;
  }

  /** That of the run in hand. */
  get held(): Lease | undefined {
    return this.#held;
  }

  /** `until`, on the clock: rejects with `TH_SESSION_BUSY` when another process holds it for longer, and when the run is aborted. */
  async take(run: Holder, until: number): Promise<void> {
    for (let pause = pollMs.first; ; pause = Math.min(pause * 2, pollMs.most)) {
      this.#asked = this.#clock.now();
      const answer = this.#store.acquire(this.#sessionId, run.id, leaseMs);
      const isLater = isPromiseLike(answer);
      const passed = isLater ? this.#passes() : undefined;
      let holder: string;
      try {
        const lease = read(isLater ? await answer : answer);
        if (!isHeld(lease)) {
          this.#held = lease;
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
  }

  /** Until then it is not known whose the lease is. */
  get passing(): Promise<void> | undefined {
    return this.#passing;
  }

  /**
   * Takes it for one append outside of a run. Rejects with `TH_SESSION_BUSY` when another process holds it, and when the store
   * does not answer: one that it gives later is given back.
   */
  async borrow(holder: string): Promise<Lease> {
    const answer = this.#store.acquire(this.#sessionId, holder, leaseMs);
    const lease = read(isPromiseLike(answer) ? await this.#answered(Promise.resolve(answer)) : answer);
    if (isHeld(lease)) throw this.#busy(lease.holder);
    return lease;
  }

  #answered(given: Promise<Lease | Held>): Promise<Lease | Held> {
    return inTime(given, this.#clock, this.#waitMs, () => {
      const back = (late: Lease | Held): unknown => (isTaking(late) && !isHeld(late) ? this.giveBack(late) : undefined);
      void given.then(back, () => {}); // swallows a store that fails late: whoever asked has been refused
      return unanswered(this.#sessionId, this.#waitMs, 'who has it');
    });
  }

  /** Never throws: what was written under a lease stands, whether or not that can be given back. */
  giveBack(lease: Lease): void | Promise<void> {
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

  /** From now on: behind it an append under the lease is refused where somebody else has one. */
  time(): LeaseTime {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      const cancel = this.#clock.after(leaseMs, () => end());
      let isOver = false;
      end = () => {
        if (isOver) return;
        isOver = true;
        cancel();
        this.#leases.delete(this);
        resolve();
      };
    });
    this.#leases.add(this);
    this.#stop = end;
    return { over, end };
  }

  /** Nothing more is written under it. It is not given back, since a call may be under way: it runs out. */
  giveUp(): void {
    this.#held = undefined;
    this.#leases.delete(this);
    this.#stop();
  }

  /**
   * Lets the next process in, behind what is in flight. Never throws. A store that does not answer is waited for until the lease
   * has run out by itself.
   */
  async leave(inFlight: Promise<unknown> | undefined): Promise<void> {
    const lease = this.#held;
    this.giveUp();
    if (lease === undefined) return;
    const passed = this.#passes();
    const given =
      inFlight === undefined ? this.giveBack(lease) : Promise.allSettled([inFlight]).then(() => this.giveBack(lease));
    if (given !== undefined) {
      const { over, end } = this.time();
      await Promise.race([given, over]);
      end();
    }
    passed();
  }

  /** Renews the lease as long as the run has its turn; a run that has lost it must not go on. */
  #keep(run: Holder): void {
    const lease = this.#held!;
    let until = this.#asked + leaseMs;
    const renew = async (): Promise<void> => {
      const at = this.#clock.now();
      try {
        const answer = this.#store.renew(lease, leaseMs);
        if (isPromiseLike(answer)) await this.#renewed(Promise.resolve(answer), until - at);
        until = at + leaseMs;
        again(leaseMs / 3);
      } catch (error) {
        // any other fault is the store's, which still counts the time of the lease
        const isLost = isHookError(error) && error.code === 'TH_LEASE_LOST';
        const left = until - this.#clock.now();
        if (!isLost && left > 0) again(Math.min(retryMs, left));
        else if (this.#held === lease) run.fail(error);
      }
    };
    const again = (ms: number): void => {
      if (this.#held === lease) this.#stop = this.#clock.after(ms, () => void renew());
    };
    again(leaseMs / 3);
  }

  /** Not waited for longer than the lease has time left. */
  #renewed(given: Promise<void>, left: number): Promise<void> {
    return inTime(given, this.#clock, Math.max(0, left), () => unanswered(this.#sessionId, leaseMs, 'who has it'));
  }

  #busy(holder: string): HookError {
    const what = `the run '${holder}' of another process, or of another agent, holds it: try again when it has ended, or use another session`;
    return new HookError('TH_SESSION_BUSY', { session: this.#sessionId, ms: this.#waitMs, what, holder });
  }
}
closeClass(SessionLease);

/** Throws `TH_STORE_FAILED` for what is neither. */
function read(given: Lease | Held): Lease | Held {
  if (!isTaking(given)) throw nonsense('acquire', 'neither a lease nor who holds one');
  return given;
}

const isTaking = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && (Object.hasOwn(given, 'fence') || Object.hasOwn(given, 'holder'));
