/** A session that begins under a name of the person's own: what the name may be, and what is said when it looks mistaken. */
import { isHookError } from '@treblehook/types';
import type { Voice } from '../conduct.js';
import type { Kept } from '../store-file.js';
import { UsageError } from '../usage-error.js';
import { findSession, type Found } from './find.js';

const longestName = 200;

/** Gives `undefined` of one that is not there yet: it begins, and stderr says so. Rejects for a name that none may have. */
export async function findOrBegin(kept: Kept, id: string, { say, warn }: Voice): Promise<Found | undefined> {
  try {
    return await findSession(kept, id);
  } catch (error) {
    if (!isHookError(error) || error.code !== 'TH_SESSION_UNKNOWN') throw error;
    assertName(id);
    say(`the session '${id}' begins: none of this id was in ${kept.shown}`);
    const near = (error.details['near'] as readonly string[]).filter((one) => !areOfOneSeries(id, one));
    if (near.length === 0) return undefined;
    const names = near.map((one) => `'${one}'`).join(', or ');
    warn({ message: `the session '${id}' is a new one: did you mean ${names}?` });
    return undefined;
  }
}

function assertName(id: string): void {
  const refuse = (what: string): never => {
    throw new UsageError(`--session names a new session, and its id ${what}: choose another one`);
  };
  if (/\p{Cc}/u.test(id)) refuse('has a control character');
  if (id.trim() === '') refuse('has nothing but spaces');
  if (id.startsWith('-')) refuse("begins with '-', as a flag does");
  if (id.length > longestName) refuse(`is longer than ${longestName} characters`);
}

/** `nightly-7` and `nightly-8`: whoever counts means each. The ids that are made for sessions are no such names. */
const areOfOneSeries = (a: string, b: string): boolean =>
  !a.startsWith('session_') && a !== b && a.replaceAll(/\d+/g, '0') === b.replaceAll(/\d+/g, '0');
