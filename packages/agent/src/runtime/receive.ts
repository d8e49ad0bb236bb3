/** A message from its coming in to its reply: claimed, run, dispatched, amended, sent, told. */
import { AbortFan, closeClass, endedBy } from '@treblehook/core';
import {
  HookError,
  ownFields,
  textOf,
  type AgentHooks,
  type ChannelHooks,
  type ChannelMessage,
  type HookCaller,
  type MessageSendingAmendment,
  type Origin,
} from '@treblehook/types';
import type { Config } from '../config.js';
import type { Agent, Clock } from '../contract.js';
import { assertKnown, invalid } from '../read-option.js';
import { withRunId } from '../run/given-id.js';
import { payloadError } from '../run/payload-error.js';
import { RunAbort } from '../run/run-abort.js';
import type { RunResult } from '../run/run-told.js';
import { assertNoThen, memberOf } from '../run/shared-prototypes.js';
import type { Received, ReceiveOptions } from './channel.js';
import { Lanes } from './lanes.js';
import { placeOf, readMessage, type Channels } from './read-channels.js';
import type { Fetch } from './runtime-contract.js';

export interface Addressee {
  readonly agent: Agent;
  readonly config: Config;
}

/** One message on its way. */
interface Delivery {
  readonly message: ChannelMessage;
  readonly to: Addressee;
  readonly sessionId: string;
  readonly runId: string;
  readonly abort: RunAbort;
  /** Bound to the abort. */
  readonly caller: HookCaller<AgentHooks & ChannelHooks>;
  /** Without it: what has happened is told. */
  readonly closing: HookCaller<AgentHooks & ChannelHooks>;
}

export class Receiver {
  readonly #channels: Channels;
  readonly #agents: ReadonlyMap<string, Addressee>;
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  readonly #aborts = new AbortFan();
  /** Claims come in order, so that runs do; replies of runs that end in order go out in order. */
  readonly #claims = new Lanes();
  readonly #replies = new Lanes();
  readonly #inHand = new Set<Delivery>();
  #isClosed = false;
  #onEmpty = (): void => {};

  constructor(channels: Channels, agents: ReadonlyMap<string, Addressee>, fetch: Fetch, clock: Clock) {
    this.#channels = channels;
    this.#agents = agents;
    this.#fetch = fetch;
    this.#clock = clock;
  }

  async receive(given: ChannelMessage, options: ReceiveOptions = {}): Promise<Received> {
    if (this.#isClosed) throw new HookError('TH_DISPOSED', { what: 'the runtime', mend: 'make another one' });
    assertKnown(options, { signal: true }, 'option of receive');
    const { signal } = ownFields(options);
    if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal must be an AbortSignal');
    const delivery = this.#take(readMessage(given, this.#channels.senders.keys()), signal);
    const claim = this.#claims.join(delivery.sessionId);
    const reply = this.#replies.join(delivery.sessionId);
    this.#inHand.add(delivery);
    try {
      await claim.turn;
      const by = await this.#claimed(delivery);
      if (by !== undefined) return Object.freeze(ownFields({ outcome: 'claimed' as const, by }));
      const running = run(delivery, signal);
      claim.leave(); // it stands in the inbox
      const result = await running;
      await delivery.abort.race(reply.turn).catch(() => {}); // swallows the abort: what becomes of the reply tells of it
      return await this.#answer(delivery, result);
    } finally {
      claim.leave();
      reply.leave();
      delivery.abort.dispose();
      this.#inHand.delete(delivery);
      if (this.#inHand.size === 0) this.#onEmpty();
    }
  }

  /** Takes no message any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Gives up on what is not sent yet. */
  stop(reason: unknown): void {
    for (const { abort } of this.#inHand) abort.abort(reason);
  }

  /** Resolves when no message is on its way, or after `ms`. */
  async empty(ms: number): Promise<void> {
    if (this.#inHand.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = ms === Infinity ? (): void => {} : this.#clock.after(ms, resolve);
      this.#onEmpty = () => {
        cancel();
        resolve();
      };
    });
  }

  #take(message: ChannelMessage, signal: AbortSignal | undefined): Delivery {
    const { route, registry } = this.#channels;
    const { agent, sessionId } = placeOf(message, route, [...this.#agents.keys()]);
    const to = this.#agents.get(agent)!;
    const abort = new RunAbort(signal, this.#aborts);
    const { plugins } = to.config.personality;
    const { guards } = to.config;
    return {
      message,
      to,
      sessionId,
      runId: to.config.ids('run'),
      abort,
      caller: registry.scoped(ownFields({ plugins, guards, signal: abort.signal })),
      closing: registry.scoped(ownFields({ plugins, guards })),
    };
  }

  /** Who claims it. An abort is left to the run: it ends `aborted`, and is told. */
  async #claimed(delivery: Delivery): Promise<string | undefined> {
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

  /** Whatever becomes of a reply that was to be sent is told, once. */
  async #answer(delivery: Delivery, result: RunResult): Promise<Received> {
    const { message, closing } = delivery;
    const { platform, chatId } = message;
    const { received, text } = await this.#reply(delivery, result);
    const { outcome } = received;
    if (outcome === 'sent' || outcome === 'cancelled' || outcome === 'failed') {
      await closing.fireVoid('messageSent', {
        origin: originOf(delivery, result),
        platform,
        chatId,
        message: text,
        ok: outcome === 'sent',
        ...(outcome === 'sent' && received.messageId !== undefined ? { messageId: received.messageId } : {}),
        ...(outcome === 'failed' ? { error: payloadError(received.error) } : {}),
      });
    }
    return received;
  }

  /** Never rejects. `text` is the reply as far as stages have changed it. */
  async #reply(delivery: Delivery, result: RunResult): Promise<{ readonly received: Received; readonly text: string }> {
    const { message, abort, caller } = delivery;
    const { platform, chatId } = message;
    const { status } = result;
    const origin = originOf(delivery, result);
    const hasReply = status === 'done' && result.text !== '';
    let { text } = result;
    const as = (received: Received) => ownFields({ received: Object.freeze(ownFields(received)), text });
    try {
      assertGoesOn(delivery);
      const claim = await caller.fireClaiming('beforeDispatch', { origin, message, text, status });
      assertGoesOn(delivery);
      if (claim.handled) return as({ outcome: 'dispatched', by: endedBy(claim)!.id, result });
      if (!hasReply) return as({ outcome: 'unsent', result });
      const amended = await caller.fireModifying('messageSending', { origin, platform, chatId, message: text });
      assertGoesOn(delivery);
      const { message: changed = text, cancel } = ownFields(amended ?? {}) as Partial<MessageSendingAmendment>;
      text = changed;
      if (cancel !== undefined) return as({ outcome: 'cancelled', reason: cancel, by: endedBy(amended!)!.id, result });
      const messageId = await this.#send(delivery, text);
      return as({ outcome: 'sent', text, ...(messageId === undefined ? {} : { messageId }), result });
    } catch (thrown) {
      if (!hasReply) return as({ outcome: 'unsent', result }); // there was nothing to lose
      const isCut = abort.isAborted && !isOfChannel(thrown);
      return as({ outcome: 'failed', error: isCut ? givenUp(delivery, 'it was aborted before') : thrown, result });
    }
  }

  async #send(delivery: Delivery, text: string): Promise<string | undefined> {
    const { platform, chatId } = delivery.message;
    const send = this.#channels.senders.get(platform)!;
    const ports = Object.freeze(ownFields({ signal: delivery.abort.signal, fetch: this.#fetch }));
    let messageId: unknown;
    try {
      const sent = (async () => send(Object.freeze(ownFields({ chatId, text })), ports))();
      const answer: unknown = await delivery.abort.race(sent);
      messageId = typeof answer === 'object' && answer !== null ? memberOf(answer, 'messageId') : undefined;
    } catch (cause) {
      if (delivery.abort.isAborted) throw givenUp(delivery, 'it was aborted as it was sent, and may have gone out');
      throw new HookError('TH_CHANNEL_FAILED', { platform, chatId, what: textOf(cause), cause });
    }
    if (messageId === undefined || typeof messageId === 'string') return messageId;
    const what = 'its messageId is no text; the message may have gone out';
    throw new HookError('TH_CHANNEL_FAILED', { platform, chatId, what });
  }
}
closeClass(Receiver);

/** The run is in the inbox when this returns. */
function run({ to, sessionId, message, runId }: Delivery, signal: AbortSignal | undefined): Promise<RunResult> {
  const options = withRunId(ownFields(signal === undefined ? {} : { signal }), runId);
  return to.agent.session(sessionId).run(message.text, options);
}

function originOf({ to, sessionId, runId }: Delivery, result?: RunResult): Origin {
  const { path, personality } = to.config;
  const turn = Math.max(0, (result?.turns ?? 0) - 1);
  return { runId, sessionId, agentPath: path, personality: personality.id, turn };
}

function assertGoesOn({ abort }: Delivery): void {
  abort.throwIfAborted();
  assertNoThen();
}

const isOfChannel = (error: unknown): boolean => error instanceof HookError && error.code === 'TH_CHANNEL_FAILED';

function givenUp({ message: { platform, chatId }, abort }: Delivery, what: string): HookError {
  return new HookError('TH_CHANNEL_FAILED', { platform, chatId, what, cause: abort.signal.reason });
}
