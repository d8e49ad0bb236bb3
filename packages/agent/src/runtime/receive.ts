/** A message from its coming in to its reply: offered to who claims it, let into the inbox in its turn, run, answered. */
import { AbortFan, closeClass } from '@treblehook/core';
import { HookError, ownFields, type Answer, type ChannelMessage } from '@treblehook/types';
import { readAnswer } from '../calls/answer-given.js';
import type { Agent, ResumeOptions } from '../contract.js';
import type { Current } from '../current.js';
import { asInvalid, assertKnown, assertText, invalid, meant } from '../read-option.js';
import { RunAbort } from '../run/run-abort.js';
import type { RunResult } from '../run/run-told.js';
import type { Channel, Received, ReceiveOptions, Replied } from './channel.js';
import { answer as reply, notReplied } from './delivery.js';
import { Emptying } from './emptying.js';
import { claimOf, readyToReply, runOf, type Incoming } from './incoming.js';
import { answered, isTurn, Lanes, type Patience, type Place } from './lanes.js';
import { leftOpen, ownerOf, repliedTo } from './left-open.js';
import { noChannel, placeOf, readMessage, type Channels } from './read-channels.js';
import type { Fetch } from './runtime-contract.js';

export interface Addressee {
  readonly agent: Agent;
  readonly current: Current;
}

interface Places {
  readonly entry: Place;
  readonly exit: Place;
}

/** Of what is in hand: for the report of a shutdown. */
interface Whose {
  readonly sessionId: string;
  readonly agent: string;
}

export class Receiver {
  readonly #channels: Channels;
  readonly #agents: ReadonlyMap<string, Addressee>;
  readonly #fetch: Fetch;
  readonly #patience: Patience;
  readonly #aborts = new AbortFan();
  /** By session: what is resumed finds out its chat first, and those of its session that come later wait for it. */
  readonly #arrivals = new Lanes();
  /** Into the inbox, by session: claims are asked for at once, so that who waits waits there and counts there. */
  readonly #entries = new Lanes();
  /** Replies, by session and by chat. */
  readonly #exits = new Lanes();
  readonly #inHand = new Map<RunAbort, Whose>();
  #isVerified = false;
  #isClosed = false;
  readonly #emptying: Emptying;

  constructor(channels: Channels, agents: ReadonlyMap<string, Addressee>, fetch: Fetch, patience: Patience) {
    this.#channels = channels;
    this.#agents = agents;
    this.#fetch = fetch;
    this.#patience = patience;
    this.#emptying = new Emptying(() => this.#inHand.size === 0);
  }

  async receive(given: ChannelMessage, options: ReceiveOptions = {}): Promise<Received> {
    this.#assertOpen();
    const message = readMessage(given);
    const signal = typed(() => readSignal(options, 'receive'));
    const incoming = typed(() => this.#incoming(message, signal));
    const { sessionId, abort } = incoming;
    const arrival = this.#arrivals.isFree(sessionId) ? undefined : this.#arrivals.join(sessionId);
    const whose = ownFields({ sessionId, agent: incoming.starts.now.name });
    return this.#inOrder(abort, whose, arrival, async (join) => {
      if (arrival !== undefined) await this.#comes(sessionId, abort, arrival, 'an answer in front is still looked up');
      return this.#conduct(incoming, signal, join(sessionId, message));
    });
  }

  async resume(sessionId: string, given: Answer | undefined, options: ResumeOptions = {}): Promise<Replied> {
    this.#assertOpen();
    assertText('resume takes (sessionId, answer?): the id of a session', sessionId);
    const signal = readSignal(options, 'resume');
    const answer = given === undefined ? undefined : readAnswer(given);
    const abort = new RunAbort(signal, this.#aborts);
    const arrival = this.#arrivals.join(sessionId);
    // who opened it stands in the log, which may not answer
    const whose = ownFields({ sessionId, agent: [...this.#agents.keys()].join(' or ') });
    return this.#inOrder(abort, whose, arrival, async (join) => {
      await this.#comes(sessionId, abort, arrival, 'a message or an answer in front is still looked up');
      const [first] = [...this.#agents.values()] as [Addressee]; // they share the store
      const asking = leftOpen(first.current.now, sessionId, answer?.id);
      const { opener, runId, message } = await answered(asking, sessionId, abort, this.#patience);
      const { agent, current: starts } = ownerOf(this.#agents, sessionId, opener);
      this.#assertSends(message);
      this.#inHand.set(abort, ownFields({ sessionId, agent: starts.now.name }));
      const { entry, exit } = join(sessionId, message);
      await this.#enters(sessionId, abort, entry);
      const running = agent.session(sessionId).resume(answer, signal === undefined ? {} : { signal });
      entry.leave(); // it stands in the inbox
      const result = await running;
      let asked = message;
      if (result.runId !== runId) {
        const asking = repliedTo(starts.now, sessionId, result.runId);
        try {
          asked = await answered(asking, sessionId, abort, this.#patience);
        } catch (error) {
          return notReplied(result, error); // where the reply goes is not known, and the run is over
        }
      }
      const send = asked && this.#channels.senders.get(asked.platform);
      if (send === undefined) return Object.freeze(ownFields({ outcome: 'unsent' as const, result }));
      const incoming = ownFields({ message: asked!, agent, starts, sessionId, runId: result.runId, abort });
      return this.#reply(incoming, send, result, exit);
    });
  }

  /** In hand from its arrival to its end, when it leaves whatever it stands in. */
  async #inOrder<T>(
    abort: RunAbort,
    whose: Whose,
    arrival: Place | undefined,
    go: (join: (sessionId: string, message: ChannelMessage | undefined) => Places) => Promise<T>,
  ): Promise<T> {
    let places: Places | undefined;
    this.#inHand.set(abort, whose);
    try {
      return await go((sessionId, message) => {
        const chat = message === undefined ? [] : [`${message.platform}:${message.chatId}`];
        places = { entry: this.#entries.join(sessionId), exit: this.#exits.join(sessionId, ...chat) };
        arrival?.leave();
        return places;
      });
    } finally {
      arrival?.leave();
      places?.entry.leave();
      places?.exit.leave();
      abort.dispose();
      this.#inHand.delete(abort);
      this.#emptying.left();
    }
  }

  /** Takes no message any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Messages on their way. */
  get open(): readonly Whose[] {
    return [...this.#inHand.values()];
  }

  /** Gives up on what is not sent yet. */
  stop(reason: unknown): void {
    for (const abort of this.#inHand.keys()) abort.abort(reason);
  }

  /** Resolves when no message is on its way. */
  empty(): Promise<void> {
    return this.#emptying.wait();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new HookError('TH_DISPOSED', { what: 'the runtime', mend: 'make another one' });
  }

  #incoming(message: ChannelMessage, signal: AbortSignal | undefined): Incoming {
    const { route, registry } = this.#channels;
    const place = placeOf(message, route, [...this.#agents.keys()]);
    const { sessionId } = place;
    const { agent, current: starts } = this.#agents.get(place.agent)!;
    if (!this.#isVerified) registry.verify();
    this.#isVerified = true;
    const runId = starts.now.ids('run');
    return ownFields({ message, agent, starts, sessionId, runId, abort: new RunAbort(signal, this.#aborts) });
  }

  async #conduct(incoming: Incoming, signal: AbortSignal | undefined, { entry, exit }: Places): Promise<Received> {
    const { message, abort } = incoming;
    const by = await claimOf(incoming, this.#channels.registry, this.#patience);
    if (by !== undefined) return Object.freeze(ownFields({ outcome: 'claimed' as const, by }));
    const send = this.#channels.senders.get(message.platform);
    if (send === undefined) throw noChannel(message, this.#channels);
    await this.#enters(incoming.sessionId, abort, entry);
    const running = runOf(incoming, signal);
    entry.leave(); // it stands in the inbox
    const result = await running;
    return this.#reply(incoming, send, result, exit);
  }

  /** In its turn; one that came late goes out all the same. */
  async #reply(incoming: Incoming, send: Channel['send'], result: RunResult, { turn }: Place): Promise<Replied> {
    await isTurn(turn, incoming.abort, this.#patience);
    const { delivery, fault } = await readyToReply(incoming, this.#channels.registry, this.#patience);
    return reply(delivery, { send, fetch: this.#fetch }, result, fault);
  }

  /** Rejects with `TH_SESSION_BUSY` when those in front are not over in time. */
  async #enters(sessionId: string, abort: RunAbort, entry: Place): Promise<void> {
    const what =
      'a message in front is still offered; a handler of inboundClaim cannot wait for one of its own session';
    await this.#comes(sessionId, abort, entry, what);
  }

  /** Its turn, or the abort: then what comes next tells of it. Rejects with `TH_SESSION_BUSY`, which says what is in front. */
  async #comes(sessionId: string, abort: RunAbort, { turn }: Place, what: string): Promise<void> {
    if (await isTurn(turn, abort, this.#patience)) return;
    throw new HookError('TH_SESSION_BUSY', { session: sessionId, ms: this.#patience.waitMs, what });
  }

  /** Before anything has run. Throws `TH_OPTION_INVALID`. */
  #assertSends(message: ChannelMessage | undefined): void {
    const { senders } = this.#channels;
    if (message === undefined || senders.has(message.platform)) return;
    const near = meant(message.platform, senders.keys());
    throw invalid(`a message of the platform '${message.platform}' began the run, and no channel is of it${near}`);
  }
}
closeClass(Receiver);

function readSignal(options: ReceiveOptions, of: 'receive' | 'resume'): AbortSignal | undefined {
  assertKnown(options, { signal: true }, `option of ${of}`);
  const { signal } = ownFields(options);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal must be an AbortSignal');
  return signal;
}

/** Ports of the host may throw anything. */
function typed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asInvalid(error);
  }
}
