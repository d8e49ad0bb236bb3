/** Who a session is, asked from outside of its runs: what comes before one, or behind it, is told under that personality. */
import type { Config } from '../config.js';
import type { Session } from '../contract.js';
import { configAs } from './in-force.js';
import { hasSeveral } from './session-place.js';
import type { SessionState } from './session-state.js';

/** Beside the session and not on it: nobody else gets hold of its state. */
const states = new WeakMap<Session, SessionState>();

export const remember = (session: Session, state: SessionState): void => void states.set(session, state);

/**
 * As the log says now. Rejects as `reload` does, and with `TH_PERSONALITY_REFUSED`. An agent of one personality is asked for no
 * session: nothing is opened, and it is a value.
 */
export function configInForce(config: Config, session: () => Session): Config | Promise<Config> {
  return hasSeveral(config) ? read(states.get(session())!) : config;
}

async function read(state: SessionState): Promise<Config> {
  const { config, id } = state;
  const { personality: switched } = await state.replay();
  return configAs(config, id, switched, switched?.id ?? config.personality.id);
}
