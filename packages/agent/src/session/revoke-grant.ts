/** A grant of a session is taken back: found, out of force at once, and then durable. */
import { invalid, meant } from '../read-option.js';
import type { SessionState } from './session-state.js';

/** Throws `TH_OPTION_INVALID` for one that the session never had, and what kept it from being written. */
export async function revokeGrant(state: SessionState, grantId: string): Promise<void> {
  const { grants, log, id } = state;
  if (!grants.knows(grantId) && !(await state.readGrants()).has(grantId)) {
    const ids = Array.from(grants.inForce(), (one) => one.id);
    throw invalid(`the session '${id}' has no grant '${grantId}'${meant(grantId, ids)}`);
  }
  const write = (): Promise<void> => log.outside({ type: 'revoked', grantId });
  await grants.revoke(grantId, write, () => state.readGrants());
}
