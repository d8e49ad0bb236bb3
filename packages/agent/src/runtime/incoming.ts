/** A message that is taken on, or taken up: who is asked about it, under which personality, and its run. */
import { endedBy, frozen } from '@treblehook/core';
import { ownFields } from '@treblehook/types';
import { withPlugins, type Config } from '../config.js';
import type { Agent } from '../contract.js';
import type { Current } from '../current.js';
import { withGiven } from '../run/given-run.js';
import type { RunResult } from '../run/run-told.js';
import { assertNoThen } from '../run/shared-prototypes.js';
import { configInForce } from '../session/config-in-force.js';
import { originOf, type Delivery, type Undelivered } from './delivery.js';
import { answered, type Patience } from './lanes.js';
import type { Channels } from './read-channels.js';

export interface Incoming extends Omit<Delivery, 'config' | 'caller' | 'closing' | 'until'> {
  readonly agent: Agent;
  /** As the agent starts, whenever it is asked for; its session may be another personality. */
  readonly starts: Current;
}

type Registry = Channels['registry'];

/** Who claims it. An abort is left to the run: it ends `aborted`, and is told. Rejects as `inForceOf`. */
export async function claimOf(incoming: Incoming, registry: Registry, patience: Patience): Promise<string | undefined> {
  const { message, abort } = incoming;
  if (abort.isAborted) return undefined;
  try {
    const given = inForceOf(incoming, patience);
    const delivery = deliveryOf(incoming, registry, given instanceof Promise ? await given : given);
    if (abort.isAborted) return undefined;
    assertNoThen();
    const claim = await delivery.caller.fireClaiming('inboundClaim', { origin: originOf(delivery), message });
    assertNoThen();
    return claim.handled ? endedBy(claim)!.id : undefined;
  } catch (error) {
    if (abort.isAborted) return undefined;
    throw error;
  }
}

/** The run is in the inbox when this returns. */
export function runOf(
  { agent, sessionId, message, runId }: Incoming,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const { platform, chatId, text } = message;
  const given = { id: runId, chat: frozen({ platform, chatId }) };
  return agent.session(sessionId).run(text, withGiven(ownFields(signal === undefined ? {} : { signal }), given));
}

/** Never rejects: where it is not known who the session is, nobody but the host is told what becomes of the reply. */
export async function readyToReply(
  incoming: Incoming,
  registry: Registry,
  patience: Patience,
): Promise<{ readonly delivery: Delivery; readonly fault: Undelivered | undefined }> {
  try {
    const given = inForceOf(incoming, patience);
    const config = given instanceof Promise ? await given : given;
    return ownFields({ delivery: deliveryOf(incoming, registry, config), fault: undefined });
  } catch (error) {
    const { now } = incoming.starts;
    const { personality } = now;
    const nobody = { ...now, guards: [], personality: withPlugins(personality, []) };
    return ownFields({ delivery: deliveryOf(incoming, registry, nobody), fault: { error } });
  }
}

/** Who the session is now: a switch takes plugins away here too. A value goes through no promise. Rejects as `configInForce`, and as `answered`. */
function inForceOf({ starts, sessionId, abort }: Incoming, patience: Patience): Config | Promise<Config> {
  const config = configInForce(starts, sessionId);
  return config instanceof Promise ? answered(config, sessionId, abort, patience) : config;
}

function deliveryOf(incoming: Incoming, registry: Registry, config: Config): Delivery {
  const { sessionId, message, runId, abort } = incoming;
  const { guards } = config;
  const { plugins } = config.personality;
  const until = (signal: AbortSignal) => registry.scoped(ownFields({ plugins, guards, signal }));
  return ownFields({
    message,
    config,
    sessionId,
    runId,
    abort,
    caller: until(abort.signal),
    closing: registry.scoped(ownFields({ plugins, guards })),
    until,
  });
}
