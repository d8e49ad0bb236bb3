/** A grant is taken back: found in its session or in an open child of that, out of force at once, and then durable. */
import { invalid, meant } from '../read-option.js';
import type { GrantPlace } from './child-grants.js';
import type { SessionState } from './session-state.js';

/** Throws `TH_OPTION_INVALID` for one that neither the session nor a child of it ever had, and what kept it from being written. */
export async function revokeGrant(state: SessionState, grantId: string): Promise<void> {
  const place = placeOf(state, grantId) ?? (await lookedUp(state, grantId));
  if (place === undefined) return; // it was revoked elsewhere
  const write = (): Promise<void> => place.log.outside({ type: 'revoked', grantId });
  await place.grants.revoke(grantId, write, () => place.readGrants());
}

const placeOf = (state: SessionState, grantId: string): GrantPlace | undefined =>
  state.grants.knows(grantId) ? state : state.children.placeOf(grantId);

async function lookedUp(state: SessionState, grantId: string): Promise<GrantPlace | undefined> {
  const { config, children, id } = state;
  const { given, open } = await state.readGrants();
  const ofChildren = await children.read(config, state, open);
  const place = placeOf(state, grantId);
  if (place !== undefined || given.has(grantId) || ofChildren.has(grantId)) return place;
  const ids = state.shownGrants().map((one) => one.id);
  throw invalid(`the session '${id}' has no grant '${grantId}'${meant(grantId, ids)}`);
}
