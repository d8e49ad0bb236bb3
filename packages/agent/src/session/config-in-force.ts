/** Who a session is, asked from outside of its runs: what comes before one, or behind it, is told under that personality. */
import type { Config } from '../config.js';
import type { Current } from '../current.js';
import { configAs } from './in-force.js';
import { hasSeveral } from './session-place.js';
import { SessionState } from './session-state.js';

/**
 * As the log says now. Rejects as `reload` does, and with `TH_PERSONALITY_REFUSED`. No session is opened for it, and of an agent
 * of one personality nothing is read: it is a value.
 */
export function configInForce(current: Current, sessionId: string): Config | Promise<Config> {
  const { now } = current;
  return hasSeveral(now) ? read(new SessionState(current, sessionId, undefined, {})) : now;
}

async function read(state: SessionState): Promise<Config> {
  const { personality: switched } = await state.replay();
  const { config, id } = state;
  return configAs(config, id, switched, switched?.id ?? config.personality.id);
}
