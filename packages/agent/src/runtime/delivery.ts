/** The reply of a message, from the result of its run to what became of it: dispatched, amended, sent, told. */
import { endedBy } from '@treblehook/core';
import {
  HookError,
  isHookError,
  ownFields,
  textOf,
  type AgentHooks,
  type ChannelHooks,
  type ChannelMessage,
  type HookCaller,
  type Origin,
} from '@treblehook/types';
import type { Config } from '../config.js';
import { unwrapped } from '../plain-hooks.js';
import { assertGoesOn, fireStepOf } from '../run/fire-step.js';
import { tellOf } from '../run/grace.js';
import { payloadError } from '../run/payload-error.js';
import { Aborted, type RunAbort } from '../run/run-abort.js';
import type { RunResult } from '../run/run-told.js';
import { memberOf } from '../run/shared-prototypes.js';
import type { Channel, Replied } from './channel.js';
import type { Fetch } from './runtime-contract.js';

/** One message on its way. */
export interface Delivery {
  readonly message: ChannelMessage;
  readonly config: Config;
  readonly sessionId: string;
  readonly runId: string;
  /** The caller's signal, and the end of a shutdown. */
  readonly abort: RunAbort;
  /** Bound to the abort. */
  readonly caller: HookCaller<AgentHooks & ChannelHooks>;
  /** Without it: what has happened is told. */
  readonly closing: HookCaller<AgentHooks & ChannelHooks>;
  /** Bound to a signal of somebody's own. */
  readonly until: (signal: AbortSignal) => HookCaller<AgentHooks & ChannelHooks>;
}

export interface WayOut {
  readonly send: Channel['send'];
  readonly fetch: Fetch;
}

/** Why nothing of a reply can be asked or sent. */
export interface Undelivered {
  readonly error: unknown;
}

/** Whatever becomes of a reply that was to be sent is told, once. */
export async function answer(
  delivery: Delivery,
  way: WayOut,
  result: RunResult,
  fault?: Undelivered,
): Promise<Replied> {
  const { message } = delivery;
  const { platform, chatId } = message;
  const { received, text } = await reply(delivery, way, result, fault);
  const { outcome } = received;
  if (outcome === 'sent' || outcome === 'cancelled' || outcome === 'failed') {
    await tellOf(delivery, 'messageSent', {
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
async function reply(
  delivery: Delivery,
  way: WayOut,
  result: RunResult,
  fault: Undelivered | undefined,
): Promise<{ readonly received: Replied; readonly text: string }> {
  const { message, abort, caller } = delivery;
  const { platform, chatId } = message;
  const { status } = result;
  const origin = originOf(delivery, result);
  const hasReply = isReply(result);
  let { text } = result;
  const as = (received: Replied) => ownFields({ received: Object.freeze(ownFields(received)), text });
  try {
    if (fault !== undefined) throw fault.error;
    assertGoesOn(delivery);
    const claim = await caller.fireClaiming('beforeDispatch', { origin, message, text, status });
    assertGoesOn(delivery);
    if (claim.handled) return as({ outcome: 'dispatched', by: endedBy(claim)!.id, result });
    if (!hasReply) return as({ outcome: 'unsent', result });
    const sending = { origin, platform, chatId, message: text };
    // fired to its end, as what is told is: a stage that fails as the abort comes is named, and not the abort
    const { amended, by } = await fireStepOf(delivery, caller, 'messageSending', sending, false);
    assertGoesOn(delivery);
    const { message: changed = text, cancel } = amended;
    text = changed;
    if (cancel !== undefined) return as({ outcome: 'cancelled', reason: cancel, by: by!.id, result });
    const messageId = await send(delivery, way, text);
    return as({ outcome: 'sent', text, ...(messageId === undefined ? {} : { messageId }), result });
  } catch (thrown) {
    if (!hasReply) return as({ outcome: 'unsent', result }); // there was nothing to lose
    const isCut = abort.isAborted && isOfAbort(thrown, abort);
    return as({
      outcome: 'failed',
      error: isCut ? givenUp(delivery, 'it was aborted before') : unwrapped(thrown),
      result,
    });
  }
}

async function send(delivery: Delivery, way: WayOut, text: string): Promise<string | undefined> {
  const { message, abort } = delivery;
  const { platform, chatId } = message;
  const ports = Object.freeze(ownFields({ signal: abort.signal, fetch: way.fetch }));
  let sent: Sent;
  try {
    const given = sentOf(way.send(Object.freeze(ownFields({ chatId, text })), ports));
    sent = given instanceof Promise ? await abort.race(given) : given;
  } catch (cause) {
    if (abort.isAborted) throw givenUp(delivery, 'it was aborted as it was sent, and may have gone out');
    throw new HookError('TH_CHANNEL_FAILED', { platform, chatId, what: textOf(cause), cause });
  }
  const { messageId } = sent;
  if (sent.isAnswer && (messageId === undefined || typeof messageId === 'string')) return messageId;
  const why = sent.isAnswer ? 'its messageId is no text' : 'it gave neither { messageId } nor nothing';
  throw new HookError('TH_CHANNEL_FAILED', { platform, chatId, what: `${why}; the message may have gone out` });
}

/** What a channel says of what it has sent. It inherits nothing, since it may go through a promise. */
interface Sent {
  readonly isAnswer: boolean;
  readonly messageId: unknown;
}

/**
 * What is no promise goes through none, and what one gives is read before it goes through ours: each promise would ask
 * it for a `then`, and one on `Object.prototype` would forge the answer, or give itself over and over without an end.
 */
function sentOf(given: unknown): Sent | Promise<Sent> {
  if (typeof given !== 'object' || given === null) {
    return ownFields({ isAnswer: given === undefined || given === null, messageId: undefined });
  }
  const then = memberOf(given, 'then');
  if (typeof then !== 'function') return ownFields({ isAnswer: true, messageId: memberOf(given, 'messageId') });
  return new Promise((resolve, reject) => {
    const read = (value: unknown): void => {
      try {
        resolve(sentOf(value));
      } catch (error) {
        reject(error);
      }
    };
    Reflect.apply(then, given, [read, reject]);
  });
}

const isReply = ({ status, text }: RunResult): boolean => status === 'done' && text.trim() !== '';

/** Of a result whose way out is not known: nothing can be told. */
export function notReplied(result: RunResult, error: unknown): Replied {
  const received: Replied = isReply(result) ? { outcome: 'failed', error, result } : { outcome: 'unsent', result };
  return Object.freeze(ownFields(received));
}

export function originOf({ config, sessionId, runId }: Delivery, result?: RunResult): Origin {
  const { path, personality } = config;
  const turn = Math.max(0, (result?.turns ?? 0) - 1);
  return { runId, sessionId, agentPath: path, personality: personality.id, turn };
}

/** Not a fault that came of its own while the abort was on its way. */
const isOfAbort = (thrown: unknown, { signal }: RunAbort): boolean =>
  thrown instanceof Aborted || thrown === signal.reason || (isHookError(thrown) && thrown.code === 'TH_ABORTED');

function givenUp({ message: { platform, chatId }, abort }: Delivery, what: string): HookError {
  return new HookError('TH_CHANNEL_FAILED', { platform, chatId, what, cause: abort.signal.reason });
}
