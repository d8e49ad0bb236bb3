/** Waiting for a session store that may never answer: whoever waits has an end. */
import { HookError } from '@treblehook/types';
import type { Clock } from '../contract.js';

/** Settles as `given` does, or rejects with what `late` makes when `ms` have passed. No timer is left. */
export async function inTime<T>(given: Promise<T>, clock: Clock, ms: number, late: () => unknown): Promise<T> {
  let cancel = (): void => {};
  const over = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(late()));
  });
  try {
    return await Promise.race([given, over]);
  } finally {
    cancel();
  }
}

/** `asked`: what the store was asked for. */
export const unanswered = (session: string, ms: number, asked: string): HookError => {
  const what = `the session store has not answered ${asked}: try again when it has`;
  return new HookError('TH_SESSION_BUSY', { session, ms, what });
};

/** A store of somebody else's may keep anything but its contract: what it did not promise is not gone on with. */
export const nonsense = (call: string, what: string): HookError =>
  new HookError('TH_STORE_FAILED', {
    store: 'of this agent',
    what: `gave ${what} to ${call}`,
    mend: 'see the contract of SessionStore',
  });
