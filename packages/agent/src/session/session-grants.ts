/** The grants of one session that are in force here, and those that are taken back: these come to life by no log that is older. */
import { closeClass } from '@treblehook/core';
import type { Grant } from '@treblehook/types';

/** What a log says of grants. */
interface Told {
  readonly grants: ReadonlyMap<string, Grant>;
  readonly remembered: ReadonlySet<string>;
}

interface Revocation {
  readonly grant: Grant;
  /** Settles when the log has it, or cannot. */
  end: Promise<void>;
  /**
   * `writing`: the store has not answered. `durable`: the store or the log says so, whoever wrote that. `failed`: it could
   * not be written, and the log is asked whether it has it all the same; `unknown`: that cannot be read either.
   */
  state: 'writing' | 'failed' | 'unknown' | 'durable';
}

export class SessionGrants {
  /** By id. Nobody else adds to it: what is taken back must not come into force again behind a wait. */
  readonly #live = new Map<string, Grant>();
  /** Requests whose answers have given grants. */
  readonly #answered = new Set<string>();
  readonly #revoked = new Map<string, Revocation>();
  /** Readings of the log that were begun, and the last of them that was taken. */
  #begun = 0;
  #taken = 0;

  /** Neither taken back nor over at that date. */
  inForce(date: number): readonly Grant[] {
    return [...this.#live.values()].filter(({ until = Infinity }) => until > date);
  }

  isInForce(id: string, date: number): boolean {
    const { until = Infinity } = this.#live.get(id) ?? { until: -Infinity };
    return until > date;
  }

  /** The answer to this request has given grants, revoked ones too. */
  hasAnswered(request: string): boolean {
    return this.#answered.has(request);
  }

  /** The log has it. It comes into force, unless it was taken back while that was acknowledged. */
  add(grant: Grant): void {
    this.#answered.add(grant.request);
    if (!this.#revoked.has(grant.id)) this.#live.set(grant.id, grant);
  }

  /** Nothing has to be read to take it back. */
  knows(id: string): boolean {
    return this.#live.has(id) || this.#revoked.has(id);
  }

  /**
   * Asked before a log is read, it gives what takes in what the log says then. Meanwhile grants may be given and taken back:
   * a log that is older than that has no say in it.
   */
  reading(): (told: Told) => void {
    const before = [...this.#live.keys(), ...this.#revoked.keys()];
    const failed = [...this.#revoked.values()].filter(({ state }) => state === 'failed' || state === 'unknown');
    const turn = ++this.#begun;
    return ({ grants, remembered }) => {
      for (const id of before) if (!grants.has(id)) this.#isGone(id);
      for (const request of remembered) this.#answered.add(request);
      // asked for before one that is taken already: what that had no more has been taken back elsewhere
      if (turn < this.#taken) return;
      this.#taken = turn;
      for (const revocation of failed) if (grants.has(revocation.grant.id)) this.#undo(revocation);
      for (const [id, grant] of grants) if (!this.#revoked.has(id)) this.#live.set(id, grant);
    };
  }

  #isGone(id: string): void {
    this.#live.delete(id);
    const revoked = this.#revoked.get(id);
    if (revoked === undefined) return;
    if (revoked.state === 'unknown') revoked.end = Promise.resolve();
    revoked.state = 'durable';
  }

  /** The log does not have it: the grant is in force again. Not when it was taken back anew meanwhile. */
  #undo(revocation: Revocation): void {
    const { grant } = revocation;
    if (this.#revoked.get(grant.id) === revocation && revocation.state !== 'durable') this.#revoked.delete(grant.id);
  }

  /**
   * Out of force at once: a call that has not started is asked about anew. Whoever revokes it meanwhile waits for the same
   * end. When `write` rejects, `read` takes in the log: a store may have written what it could not acknowledge. The grant is
   * in force again only when the log says so; when that cannot be read either, it stays out of force.
   */
  revoke(id: string, write: () => Promise<void>, read: () => Promise<unknown>): Promise<void> {
    const before = this.#revoked.get(id);
    if (before !== undefined && before.state !== 'unknown') return before.end;
    const grant = before?.grant ?? this.#live.get(id);
    if (grant === undefined) return Promise.resolve();
    this.#live.delete(id);
    const written = (): void => void (revocation.state = 'durable');
    const end = write().then(written, async (error: unknown) => {
      if (revocation.state === 'durable') return;
      revocation.state = 'failed';
      try {
        await read();
      } catch {
        // swallows that the log cannot be read: whoever revokes is told why it could not be written
      }
      if (isDurable(revocation)) return;
      revocation.state = 'unknown';
      throw error;
    });
    const revocation: Revocation = { grant, end, state: 'writing' };
    this.#revoked.set(id, revocation);
    return end;
  }
}

/** Asked anew after a wait. */
const isDurable = ({ state }: Revocation): boolean => state === 'durable';
closeClass(SessionGrants);
