/** A message from its coming in to its reply: offered to who claims it, let into the inbox in its turn, run, answered. */
import { AbortFan, closeClass, endedBy } from '@treblehook/core';
import { HookError, ownFields, type ChannelMessage } from '@treblehook/types';
import type { Config } from '../config.js';
import type { Agent } from '../contract.js';
import { asInvalid, assertKnown, invalid } from '../read-option.js';
import { withRunId } from '../run/given-id.js';
import { RunAbort } from '../run/run-abort.js';
import type { RunResult } from '../run/run-told.js';
import { assertNoThen } from '../run/shared-prototypes.js';
import { configInForce } from '../session/config-in-force.js';
import type { Channel, Received, ReceiveOptions } from './channel.js';
import { answer, originOf, type Delivery } from './delivery.js';
import { Emptying } from './emptying.js';
import { Lanes, type Place } from './lanes.js';
import { noChannel, placeOf, readMessage, type Channels } from './read-channels.js';
import type { Fetch } from './runtime-contract.js';

export interface Addressee {
  readonly agent: Agent;
  readonly config: Config;
}

/** A message that is taken on. */
interface Incoming extends Omit<Delivery, 'config' | 'caller' | 'closing'> {
  readonly agent: Agent;
  /** As the agent starts; its session may be another personality. */
  readonly starts: Config;
  readonly signal: AbortSignal | undefined;
  /** Absent: only a handler can deal with it. */
  readonly send: Channel['send'] | undefined;
  readonly entry: Place;
  readonly exit: Place;
}

export class Receiver {
  readonly #channels: Channels;
  readonly #agents: ReadonlyMap<string, Addressee>;
  readonly #fetch: Fetch;
  readonly #aborts = new AbortFan();
  /** Into the inbox, by session: claims are asked for at once, so that who waits waits there and counts there. */
  readonly #entries = new Lanes();
  /** Replies, by session and by chat. */
  readonly #exits = new Lanes();
  readonly #inHand = new Set<Incoming>();
  #isVerified = false;
  #isClosed = false;
  readonly #emptying: Emptying;

  constructor(channels: Channels, agents: ReadonlyMap<string, Addressee>, fetch: Fetch) {
    this.#channels = channels;
    this.#agents = agents;
    this.#fetch = fetch;
    this.#emptying = new Emptying(() => this.#inHand.size === 0);
  }

  async receive(given: ChannelMessage, options: ReceiveOptions = {}): Promise<Received> {
    if (this.#isClosed) throw new HookError('TH_DISPOSED', { what: 'the runtime', mend: 'make another one' });
    const incoming = this.#take(given, options);
    this.#inHand.add(incoming);
    try {
      return await this.#conduct(incoming);
    } finally {
      incoming.entry.leave();
      incoming.exit.leave();
      incoming.abort.dispose();
      this.#inHand.delete(incoming);
      this.#emptying.left();
    }
  }

  /** Takes no message any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Messages on their way. */
  get open(): readonly { readonly sessionId: string; readonly agent: string }[] {
    return [...this.#inHand].map(({ sessionId, starts: { name } }) => ownFields({ sessionId, agent: name }));
  }

  /** Gives up on what is not sent yet. */
  stop(reason: unknown): void {
    for (const { abort } of this.#inHand) abort.abort(reason);
  }

  /** Resolves when no message is on its way. */
  empty(): Promise<void> {
    return this.#emptying.wait();
  }

  #take(given: ChannelMessage, options: ReceiveOptions): Incoming {
    const message = readMessage(given);
    try {
      return this.#incoming(message, readSignal(options));
    } catch (error) {
      throw asInvalid(error);
    }
  }

  #incoming(message: ChannelMessage, signal: AbortSignal | undefined): Incoming {
    const { route, registry, senders } = this.#channels;
    const { platform, chatId } = message;
    const place = placeOf(message, route, [...this.#agents.keys()]);
    const { sessionId } = place;
    const { agent, config } = this.#agents.get(place.agent)!;
    if (!this.#isVerified) registry.verify();
    this.#isVerified = true;
    const runId = config.ids('run');
    const abort = new RunAbort(signal, this.#aborts);
    return {
      message,
      agent,
      starts: config,
      sessionId,
      runId,
      signal,
      send: senders.get(platform),
      abort,
      entry: this.#entries.join(sessionId),
      exit: this.#exits.join(sessionId, `${platform}:${chatId}`),
    };
  }

  async #conduct(incoming: Incoming): Promise<Received> {
    const { message, abort, entry, exit, send } = incoming;
    const by = await claimOf(await this.#delivered(incoming));
    if (by !== undefined) return Object.freeze(ownFields({ outcome: 'claimed' as const, by }));
    if (send === undefined) throw noChannel(message, this.#channels);
    await unlessAborted(abort, entry.turn);
    const running = run(incoming);
    entry.leave(); // it stands in the inbox
    const result = await running;
    await unlessAborted(abort, exit.turn);
    return answer(await this.#delivered(incoming), { send, fetch: this.#fetch }, result);
  }

  /** Under the personality that the session has now: a switch takes plugins away here too. */
  async #delivered(incoming: Incoming): Promise<Delivery> {
    const { registry } = this.#channels;
    const { agent, starts, sessionId, message, runId, abort } = incoming;
    const given = configInForce(starts, () => agent.session(sessionId));
    const config = given instanceof Promise ? await given : given;
    const { guards } = config;
    const { plugins } = config.personality;
    return ownFields({
      message,
      config,
      sessionId,
      runId,
      abort,
      caller: registry.scoped(ownFields({ plugins, guards, signal: abort.signal })),
      closing: registry.scoped(ownFields({ plugins, guards })),
    });
  }
}
closeClass(Receiver);

function readSignal(options: ReceiveOptions): AbortSignal | undefined {
  assertKnown(options, { signal: true }, 'option of receive');
  const { signal } = ownFields(options);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal must be an AbortSignal');
  return signal;
}

/** Who claims it. An abort is left to the run: it ends `aborted`, and is told. */
async function claimOf(delivery: Delivery): Promise<string | undefined> {
  const { message, caller, abort } = delivery;
  if (abort.isAborted) return undefined;
  assertNoThen();
  try {
    const claim = await caller.fireClaiming('inboundClaim', { origin: originOf(delivery), message });
    assertNoThen();
    return claim.handled ? endedBy(claim)!.id : undefined;
  } catch (error) {
    if (abort.isAborted) return undefined;
    throw error;
  }
}

/** The abort ends the waiting, and what comes next tells of it. */
async function unlessAborted(abort: RunAbort, turn: Promise<void>): Promise<void> {
  await abort.race(turn).catch(() => {}); // swallows the abort: a turn never rejects
}

/** The run is in the inbox when this returns. */
function run({ agent, sessionId, message, runId, signal }: Incoming): Promise<RunResult> {
  const options = withRunId(ownFields(signal === undefined ? {} : { signal }), runId);
  return agent.session(sessionId).run(message.text, options);
}
