/** The inboxes of a runtime: who runs, who waits for a turn, and who is refused. */
import { closeClass } from '@treblehook/core';
import { HookError } from '@treblehook/types';
import type { Clock } from '../contract.js';
import type { Entrance } from '../run/entrance.js';
import { Aborted } from '../run/run-abort.js';
import type { RunState } from '../run/run-state.js';
import { Emptying } from './emptying.js';

export interface InboxOptions {
  /** Runs that may wait, of each agent. */
  readonly cap: number;
  readonly waitMs: number;
  /** Runs that may have their turn at the same time, of all agents together. */
  readonly maxTurns: number;
  readonly clock: Clock;
}

interface Waiting {
  readonly run: RunState;
  readonly goIn: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * First come, first served, but for a run whose session is in use: those behind it go in, and it is the next one of its
 * session. Whoever does not get in is told so.
 */
export class Inbox implements Entrance {
  readonly #options: InboxOptions;
  readonly #inside = new Set<RunState>();
  /** Inside, or not told to the end yet. */
  readonly #open = new Set<RunState>();
  #waiting: Waiting[] = [];
  #isClosed = false;
  readonly #emptying: Emptying;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#emptying = new Emptying(() => this.#open.size === 0);
  }

  enter(run: RunState): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#mayGoIn(run)) {
      this.#goIn(run);
      return Promise.resolve();
    }
    const { name } = run.config;
    const { cap } = this.#options;
    if (this.#waiting.filter((one) => one.run.config.name === name).length >= cap) {
      return Promise.reject(new HookError('TH_INBOX_FULL', { agent: name, cap }));
    }
    return this.#wait(run);
  }

  leave(run: RunState): void {
    if (!this.#inside.delete(run)) return;
    this.#letIn();
  }

  over(run: RunState): void {
    this.leave(run);
    this.#open.delete(run);
    this.#emptying.left();
  }

  /** Lets nobody in any more, and tells so to who waits: gives how many they were. */
  close(): number {
    this.#isClosed = true;
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { refuse } of refused) refuse(closed());
    return refused.length;
  }

  get open(): readonly RunState[] {
    return [...this.#open];
  }

  waitingOf(agent: string): number {
    return this.#waiting.filter(({ run }) => run.config.name === agent).length;
  }

  /** Resolves when all is told of everyone who was let in. */
  empty(): Promise<void> {
    return this.#emptying.wait();
  }

  #mayGoIn(run: RunState): boolean {
    if (this.#inside.size >= this.#options.maxTurns) return false;
    for (const one of this.#inside) if (isSameSession(one, run)) return false;
    return true;
  }

  #goIn(run: RunState): void {
    this.#inside.add(run);
    this.#open.add(run);
  }

  #letIn(): void {
    const still: Waiting[] = [];
    for (const one of this.#waiting) {
      if (!this.#mayGoIn(one.run)) still.push(one);
      else {
        this.#goIn(one.run);
        one.goIn();
      }
    }
    this.#waiting = still;
  }

  async #wait(run: RunState): Promise<void> {
    const { clock, waitMs } = this.#options;
    const drop = (): void => {
      this.#waiting = this.#waiting.filter((one) => one.run !== run);
    };
    let off = (): void => {};
    let cancel = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ run, goIn: resolve, refuse: reject });
        off = run.abort.onAbort(() => reject(new Aborted()));
        cancel = clock.after(waitMs, () => reject(this.#late(run)));
      });
    } catch (error) {
      drop(); // one that was let in as it went away is taken out by `over`
      throw error;
    } finally {
      off();
      cancel();
    }
  }

  #late(run: RunState): HookError {
    const holder = [...this.#inside].find((one) => isSameSession(one, run))?.id;
    const what =
      holder === undefined
        ? `all ${this.#options.maxTurns} turns of the runtime were taken`
        : `the run '${holder}' holds it`;
    const { waitMs: ms } = this.#options;
    return new HookError('TH_SESSION_BUSY', { session: run.sessionId, ms, what, holder });
  }
}
closeClass(Inbox);

/** Whichever agent it is of: a session is one log. */
const isSameSession = (one: RunState, other: RunState): boolean => one.sessionId === other.sessionId;

const closed = (): HookError => new HookError('TH_DISPOSED', { what: 'the runtime', mend: 'make another one' });
