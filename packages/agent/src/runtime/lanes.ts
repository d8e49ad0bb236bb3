/** Lanes: who comes after whom, by key, and how long anybody waits. */
import { HookError } from '@treblehook/types';
import type { Clock } from '../contract.js';
import { Aborted, type RunAbort } from '../run/run-abort.js';

export interface Place {
  /** Resolves when those in front have left. Never rejects. */
  readonly turn: Promise<void>;
  /** Idempotent. Who leaves before its turn does not let the next one pass those in front. */
  readonly leave: () => void;
}

/** First come, first served; a lane that nobody stands in is forgotten. */
export class Lanes {
  readonly #tails = new Map<string, Promise<void>>();

  /** Lanes that somebody stands in. */
  get size(): number {
    return this.#tails.size;
  }

  /** Nobody stands in it. */
  isFree(key: string): boolean {
    return !this.#tails.has(key);
  }

  /** Takes a place at once, in each lane of `keys`: all are joined together, so no two can wait for one another. */
  join(...keys: readonly string[]): Place {
    const lanes = [...new Set(keys)];
    const turn = after(lanes.flatMap((key) => this.#tails.get(key) ?? []));
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    const tail = turn.then(() => left);
    for (const key of lanes) this.#tails.set(key, tail);
    void tail.then(() => {
      for (const key of lanes) if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return { turn, leave };
  }
}

async function after(tails: readonly Promise<void>[]): Promise<void> {
  for (const tail of tails) await tail;
}

/** How long anybody waits for its turn. */
export interface Patience {
  readonly clock: Clock;
  readonly waitMs: number;
}

/** Resolves with the turn, with the abort, or when it has waited too long: false then. Never rejects. */
export async function isTurn(turn: Promise<void>, abort: RunAbort, { clock, waitMs }: Patience): Promise<boolean> {
  let cancel = (): void => {};
  const late = new Promise<false>((resolve) => (cancel = clock.after(waitMs, () => resolve(false))));
  try {
    return (await abort.race(Promise.race([turn, late]))) !== false;
  } catch {
    return true; // swallows the abort: what comes next tells of it, and a turn never rejects
  } finally {
    cancel();
  }
}

/**
 * Settles as what the session store was asked does, which may never answer. Rejects with `TH_SESSION_BUSY` when it has
 * waited too long, and when it was aborted; `cause` is then the signal's reason.
 */
export async function answered<T>(
  asked: Promise<T>,
  session: string,
  abort: RunAbort,
  { clock, waitMs }: Patience,
): Promise<T> {
  const began = clock.now();
  const what = 'the session store has not answered what stands in its log';
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(waitMs, () => reject(new HookError('TH_SESSION_BUSY', { session, ms: waitMs, what })));
  });
  try {
    return await abort.race(Promise.race([asked, late]));
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    const { reason: cause } = abort.signal as { readonly reason: unknown };
    const ms = Math.round(clock.now() - began);
    throw new HookError('TH_SESSION_BUSY', { session, ms, what: `it was aborted before, and ${what}`, cause });
  } finally {
    cancel();
  }
}
