/** The grants of one session that are in force here, and those that are taken back: these come to life by no log that is older. */
import { closeClass } from '@treblehook/core';
import type { Grant } from '@treblehook/types';

/** What a log says of grants. */
interface Told {
  readonly grants: ReadonlyMap<string, Grant>;
  readonly remembered: ReadonlySet<string>;
}

interface Revocation {
  /** Settles when the log has it, or cannot. */
  readonly end: Promise<void>;
  /** The log says that it is revoked, whoever wrote that. */
  isDurable: boolean;
}

export class SessionGrants {
  /** By id; what runs look at. */
  readonly live = new Map<string, Grant>();
  /** Requests whose answers have given grants. */
  readonly remembered = new Set<string>();
  readonly #revoked = new Map<string, Revocation>();

  /** Nothing has to be read to take it back. */
  knows(id: string): boolean {
    return this.live.has(id) || this.#revoked.has(id);
  }

  /**
   * Asked before a log is read, it gives what takes in what the log says then. Meanwhile grants may be given and taken back:
   * a log that is older than that has no say in it.
   */
  reading(): (told: Told) => void {
    const before = [...this.live.keys(), ...this.#revoked.keys()];
    return ({ grants, remembered }) => {
      for (const id of before) if (!grants.has(id)) this.#isGone(id);
      for (const [id, grant] of grants) if (!this.#revoked.has(id)) this.live.set(id, grant);
      for (const request of remembered) this.remembered.add(request);
    };
  }

  #isGone(id: string): void {
    this.live.delete(id);
    const revoked = this.#revoked.get(id);
    if (revoked !== undefined) revoked.isDurable = true;
  }

  /**
   * Out of force at once: a call that has not started is asked about anew. Whoever revokes it meanwhile waits for the same
   * end. When `write` rejects it is in force again, unless the log says otherwise.
   */
  revoke(id: string, write: () => Promise<void>): Promise<void> {
    const begun = this.#revoked.get(id);
    if (begun !== undefined) return begun.end;
    const grant = this.live.get(id);
    if (grant === undefined) return Promise.resolve();
    this.live.delete(id);
    const end = write().catch((error: unknown) => {
      if (revocation.isDurable) return;
      this.#revoked.delete(id);
      this.live.set(id, grant);
      throw error;
    });
    const revocation: Revocation = { end, isDurable: false };
    this.#revoked.set(id, revocation);
    return end;
  }
}
closeClass(SessionGrants);
