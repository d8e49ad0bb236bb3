/** The switch of a session to another personality: between two runs, told before it is so, durable when it is. */
import { adopt } from '@treblehook/core';
import { HookError, ownFields, type PersonalityInForce } from '@treblehook/types';
import { withPersonality, type Config, type ReadPersonality } from '../config.js';
import type { Current } from '../current.js';
import { asInvalid, assertText, invalid, meant } from '../read-option.js';
import { isEndless } from '../run/endless.js';
import { fireStepOf, type Step } from '../run/fire-step.js';
import { RunAbort } from '../run/run-abort.js';
import type { Teller } from './abandon.js';
import { configAs, toldOf, type InForce, type Switched } from './in-force.js';
import type { OpenRun } from './open-run.js';
import type { OutsideFires } from './outside-fires.js';
import type { Holder } from './session-lease.js';

/** The session as a switch sees it. */
export interface SwitchPlace {
  readonly current: Current;
  readonly sessionId: string;
  readonly inForce: InForce;
  readonly fires: OutsideFires;
  /** Takes the turn, in this process and among others; what is in force is what the log says then. */
  readonly enter: (holder: Holder) => Promise<void>;
  readonly leave: () => Promise<void>;
  readonly open: () => OpenRun | undefined;
  /** Makes it durable, and then it is in force. The run that was left open is given up with it, and its calls are told by `by`. */
  readonly write: (switched: Switched, left: OpenRun | undefined, by: Teller) => Promise<void>;
}

/** Resolves with what is in force. Whatever it rejects with, nothing is switched. */
export async function switchPersonality(place: SwitchPlace, id: string): Promise<PersonalityInForce> {
  const { current, sessionId, inForce, fires } = place;
  assertText('switchPersonality takes the id of a personality: it', id);
  const config = current.now; // of it what no update changes, until it has its turn
  personalityOf(config, id);
  const over = new AbortController();
  const holder: Holder = {
    id: newId(config),
    pause: (ms) => new Promise((resolve) => void config.clock.after(ms, resolve)),
    wait: (turn) => turn,
    fail: (error) => over.abort(error),
  };
  await place.enter(holder);
  try {
    const left = place.open();
    if (left !== undefined && canGoOn(current.now, left)) {
      const how = left.isPending ? 'waits for an answer' : 'was left open by its process';
      const what = `its run '${left.runId}' ${how}: resume it, or run another input, before it is switched`;
      throw new HookError('TH_PERSONALITY_REFUSED', { session: sessionId, personality: id, what });
    }
    if (inForce.id === id) return inForce.told();
    const to = withPersonality(current.now, personalityOf(current.now, id));
    const origin = adopt({ runId: holder.id, sessionId, agentPath: config.path, personality: id, turn: 0 });
    const caller = config.registry.scoped(ownFields({ plugins: to.personality.plugins, signal: over.signal }));
    const payload = { origin, from: inForce.told(), to: toldOf(to) };
    const fire = (): Promise<Step<'personalitySwitched'>> =>
      fireStepOf({ abort: over.signal }, caller, 'personalitySwitched', payload);
    const hasNoEnd = isEndless(config.registry, caller, 'personalitySwitched');
    const cancel = hasNoEnd ? config.clock.after(config.lockWaitMs, () => over.abort(late(place))) : () => {};
    const { amended } = await fires.fire(over, fire).finally(cancel);
    const { plugins, tools } = ownFields(amended.personality ?? {});
    const switched: Switched = Object.freeze({
      type: 'personality',
      id,
      ...(plugins === undefined ? {} : { plugins }),
      ...(tools === undefined ? {} : { tools }),
    });
    configAs(current.now, sessionId, switched, id); // a narrowing that the settings do not allow is refused now
    const abort = new RunAbort(over.signal, config.aborts);
    try {
      const until: Teller['until'] = (signal) =>
        config.registry.scoped(ownFields({ plugins: to.personality.plugins, signal }));
      const closing = config.registry.scoped(ownFields({ plugins: to.personality.plugins }));
      await place.write(switched, left, { abort, config: to, closing, until, origin });
    } finally {
      abort.dispose();
    }
    return inForce.told();
  } finally {
    await place.leave();
  }
}

/** Throws `TH_OPTION_INVALID`. */
function personalityOf({ personalities, name }: Config, id: string): ReadPersonality {
  const one = personalities.get(id);
  if (one !== undefined) return one;
  throw invalid(`'${id}' is no personality of the agent '${name}'${meant(id, personalities.keys())}`);
}

/** A run whose personality is gone keeps its session from nothing: whoever switches it gives the run up. */
const canGoOn = ({ personalities }: Config, { personality }: OpenRun): boolean => personalities.has(personality);

function late({ current, sessionId: session }: SwitchPlace): HookError {
  const { lockWaitMs: ms } = current.now;
  const what = 'a handler of personalitySwitched that has no budget has not answered: nothing is switched';
  return new HookError('TH_SESSION_BUSY', { session, ms, what });
}

function newId(config: Config): string {
  try {
    return config.ids('run');
  } catch (error) {
    throw asInvalid(error);
  }
}
