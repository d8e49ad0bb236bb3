/** The queue of a session: one run at a time, in the order of their calls, and no waiting for ever. */
import { HookError } from '@treblehook/types';
import { closeClass } from '@treblehook/core';
import type { Clock } from '../contract.js';
import type { RunState } from '../run/run-state.js';

export class SessionLock {
  readonly #session: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** Resolves when the runs that were queued so far have left. */
  #tail: Promise<void> | undefined;
  /** The run that had its turn last: while somebody waits too long, it has it still. */
  #holder: string | undefined;

  /** `before`: the end of another session of this id, which has the first turn. It never rejects. */
  constructor(session: string, clock: Clock, waitMs: number, before: Promise<void> | undefined) {
    this.#session = session;
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#tail = before;
    void before?.then(() => {
      if (this.#tail === before) this.#tail = undefined;
    });
  }

  /** Waits for the runs in front; leaves on the run what lets the next one in. Rejects when it waits too long. */
  enter(run: RunState): Promise<void> {
    return this.take(
      run.id,
      (leave) => (run.unlock = leave),
      (both) => run.abort.race(both),
      () => run.abort.throwIfAborted(),
    );
  }

  /** What lets the next one in goes through no promise: it would be asked for `then`. */
  async take(
    holder: string,
    onTurn: (leave: () => void) => void,
    wait: (both: Promise<void>) => Promise<void> = (both) => both,
    look: () => void = () => {},
  ): Promise<void> {
    const before = this.#tail;
    let leave = (): void => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const all = before === undefined ? mine : before.then(() => mine);
    this.#tail = all;
    void all.then(() => {
      if (this.#tail === all) this.#tail = undefined;
    });
    try {
      if (before !== undefined) await this.#within(before, wait);
      look();
    } catch (error) {
      leave();
      throw error;
    }
    this.#holder = holder;
    onTurn(leave);
  }

  /** Resolves when the runs that are queued now have left, however long that lasts. */
  async idle(): Promise<void> {
    await this.#tail;
  }

  /** As `idle`; rejects when it waits too long. */
  async free(): Promise<void> {
    if (this.#tail !== undefined) await this.#within(this.#tail);
  }

  /** Resolves with the turn, or rejects with `TH_SESSION_BUSY` when it does not come in time. No timer is left, whatever `wait` does. */
  async #within(turn: Promise<void>, wait = (both: Promise<void>): Promise<void> => both): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((_, reject) => {
      cancel = this.#clock.after(this.#waitMs, () => reject(this.#busy()));
    });
    try {
      await wait(Promise.race([turn, late]));
    } finally {
      cancel();
    }
  }

  #busy(): HookError {
    const holder = this.#holder;
    const who = holder === undefined ? 'runs are queued in it' : `the run '${holder}' holds it`;
    const what = `${who}; a tool or a hook of a run cannot wait for its own session: use another session there`;
    return new HookError('TH_SESSION_BUSY', { session: this.#session, ms: this.#waitMs, what, holder });
  }
}
closeClass(SessionLock);
