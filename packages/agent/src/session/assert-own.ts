/** Whose session it is: the agent that opened it goes on with it, and no other. */
import { HookError } from '@treblehook/types';
import type { Config } from '../config.js';

/** `opener`: as the log says; one that does not say is anybody's. */
export const isOwn = ({ name, formerNames }: Config, opener: string | undefined): boolean =>
  opener === undefined || opener === name || formerNames.includes(opener);

/** Throws `TH_WRONG_AGENT`. */
export function assertOwn(config: Config, session: string, opener: string | undefined): void {
  if (isOwn(config, opener)) return;
  const { name } = config;
  const mend = `go on as '${opener}', or take another session id; an agent that was renamed says so in formerNames`;
  throw new HookError('TH_WRONG_AGENT', { session, opener, agent: name, mend });
}
