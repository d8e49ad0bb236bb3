/** Who a session is, asked from outside of its runs: what comes before one, or behind it, is told under that personality. */
import type { Config } from '../config.js';
import { configAs } from './in-force.js';
import { hasSeveral } from './session-place.js';
import { SessionState } from './session-state.js';

/**
 * As the log says now. Rejects as `reload` does, and with `TH_PERSONALITY_REFUSED`. No session is opened for it, and of an agent
 * of one personality nothing is read: it is a value.
 */
export function configInForce(config: Config, sessionId: string): Config | Promise<Config> {
  return hasSeveral(config) ? read(new SessionState(config, sessionId, undefined, {})) : config;
}

async function read(state: SessionState): Promise<Config> {
  const { config, id } = state;
  const { personality: switched } = await state.replay();
  return configAs(config, id, switched, switched?.id ?? config.personality.id);
}
