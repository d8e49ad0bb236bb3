/** Who a session is: the personality in force, as the last switch has left it, and the agent as that one. */
import { closeClass } from '@treblehook/core';
import { HookError, ownFields, settingsFault, type PersonalityInForce, type SessionRecord } from '@treblehook/types';
import { withPersonality, type Config } from '../config.js';
import type { Current } from '../current.js';
import type { OpenRun } from './open-run.js';

export type Switched = Extract<SessionRecord, { readonly type: 'personality' }>;

export class InForce {
  readonly #current: Current;
  readonly #sessionId: string;
  /** The last switch; without one the session is what its agent starts as. */
  #switched: Switched | undefined;
  /** The agent as what is in force, once it was asked for; and the agent that it is of. */
  #now: Config | undefined;
  #of: Config | undefined;

  constructor(current: Current, sessionId: string) {
    this.#current = current;
    this.#sessionId = sessionId;
  }

  /** As the log says. */
  take(switched: Switched | undefined): void {
    if (switched === this.#switched) return;
    this.#switched = switched;
    this.#now = undefined;
  }

  get id(): string {
    return this.#switched?.id ?? this.#config.personality.id;
  }

  get #config(): Config {
    return this.#current.now;
  }

  /** What the next run is made of. Throws `TH_PERSONALITY_REFUSED` when the agent has no such personality any more. */
  get config(): Config {
    if (this.#of !== this.#config) this.#now = undefined;
    this.#of = this.#config;
    return (this.#now ??= configAs(this.#config, this.#sessionId, this.#switched, this.id));
  }

  /** A run goes on as who it was. Throws `TH_NOTHING_OPEN` when the agent cannot be that any more. */
  configOf({ personality }: OpenRun): Config {
    if (personality === this.id && this.#config.personalities.has(personality)) return this.config;
    return configOfRun(this.#config, this.#sessionId, this.#switched, personality);
  }

  /** Of a personality that the agent does not have nothing is left but its name. */
  told(): PersonalityInForce {
    const as = asOf(this.#config, this.#switched, this.id);
    if (as !== undefined) return toldOf(as);
    return Object.freeze(ownFields({ id: this.id, plugins: none, tools: none }));
  }
}
closeClass(InForce);

const none: readonly string[] = Object.freeze([]);

/** It goes through a promise: it inherits nothing. */
export const toldOf = ({ personality, toolbox }: Config): PersonalityInForce =>
  Object.freeze(ownFields({ id: personality.id, plugins: personality.plugins, tools: toolbox.toolSet }));

/** The agent as one of its personalities, narrowed as the switch to it was. */
function asOf(config: Config, switched: Switched | undefined, id: string): Config | undefined {
  const narrow = switched?.id === id ? switched : undefined;
  if (id === config.personality.id && narrow === undefined) return config;
  const personality = config.personalities.get(id);
  return personality && withPersonality(config, personality, narrow);
}

/** As `asOf`. Throws `TH_PERSONALITY_REFUSED` when the agent is none such, or its settings do not go with it. */
export function configAs(config: Config, session: string, switched: Switched | undefined, id: string): Config {
  const as = asOf(config, switched, id);
  if (as === undefined) {
    const all = [...config.personalities.keys()].join(', ');
    const what = `the agent '${config.name}' has ${all}; give it this one in personalities, or switch the session to another one (switchPersonality)`;
    throw new HookError('TH_PERSONALITY_REFUSED', { session, personality: id, what });
  }
  const fault = settingsFault(as.settings, as.toolbox.toolSet);
  if (fault === undefined) return as;
  throw new HookError('TH_PERSONALITY_REFUSED', { session, personality: id, what: fault });
}

/** As `configAs`, for a run that was left open. Throws `TH_NOTHING_OPEN`. */
export function configOfRun(config: Config, session: string, switched: Switched | undefined, id: string): Config {
  if (config.personalities.has(id)) return configAs(config, session, switched, id);
  const all = [...config.personalities.keys()].map((one) => `'${one}'`).join(', ');
  const isOther = config.personalities.has(switched?.id ?? config.personality.id);
  const orElse = isOther ? 'begin a new run' : 'switch the session to one that it has (switchPersonality)';
  const what = `its run is one of the personality '${id}', and this agent is ${all}: give the agent that personality, too, or ${orElse}, which gives the run up`;
  throw new HookError('TH_NOTHING_OPEN', { session, what });
}
