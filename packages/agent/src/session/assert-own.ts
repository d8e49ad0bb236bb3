/** Whose session it is: the agent that opened it goes on with it, and no other. */
import { HookError } from '@treblehook/types';
import type { Config } from '../config.js';

/** `opener`: as the log says; one that does not say is anybody's. Throws `TH_WRONG_AGENT`. */
export function assertOwn({ name, formerNames }: Config, session: string, opener: string | undefined): void {
  if (opener === undefined || opener === name || formerNames.includes(opener)) return;
  const mend = `go on as '${opener}', or take another session id; an agent that was renamed says so in formerNames`;
  throw new HookError('TH_WRONG_AGENT', { session, opener, agent: name, mend });
}
