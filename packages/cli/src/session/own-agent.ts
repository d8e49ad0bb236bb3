/** Which sessions the command line can go on with: those of its one agent. */
import type { SessionView } from '@treblehook/agent';
import { HookError } from '@treblehook/types';

/** What the agent of each run here is called. */
export const ownAgent = 'agent';

export const isOwn = ({ agent }: Pick<SessionView, 'agent'>): boolean => agent === undefined || agent === ownAgent;

/** Throws `TH_WRONG_AGENT`, before a policy or a tool of the session is asked for. */
export function assertOwn(session: string, view: Pick<SessionView, 'agent'>): void {
  if (isOwn(view)) return;
  const mend = 'a program has that agent, and it goes on there; or take another session';
  throw new HookError('TH_WRONG_AGENT', { session, opener: view.agent, agent: ownAgent, mend });
}
