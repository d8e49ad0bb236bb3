/** The hook points of channels, a catalogue of its own: a message comes in, its reply goes out. */
import { defineHooks } from './define-hooks.js';
import { claimingHook, modifyingHook, voidHook } from './hook-point.js';
import type { RunStatus } from './hooks-session.js';
import type { FromRun } from './origin.js';

/** A message as a channel takes it in. */
export interface ChannelMessage {
  readonly platform: string;
  readonly chatId: string;
  readonly text: string;
}

export interface InboundClaim extends FromRun {
  readonly message: ChannelMessage;
}

export interface BeforeDispatch extends FromRun {
  /** What is replied to. */
  readonly message: ChannelMessage;
  /** The reply: the text of the run. */
  readonly text: string;
  /** How the run ended. Unclaimed, only the text of one that is `done` is sent. */
  readonly status: RunStatus;
}

export interface MessageSending extends FromRun {
  readonly platform: string;
  readonly chatId: string;
  /** The text. */
  readonly message: string;
}

export interface MessageSendingAmendment {
  readonly message: string;
  /** Why nothing is sent. */
  readonly cancel: string;
}

export interface MessageSent extends MessageSending {
  readonly ok: boolean;
  /** What the platform calls it, if the channel knows. */
  readonly messageId?: string;
  /** Why it was not sent; a message that was cancelled has none. */
  readonly error?: unknown;
}

/** A stage that has emptied a reply has lost it: it says so, or the reply stays. */
function checkReply(
  _payload: MessageSending,
  { message, cancel }: Partial<MessageSendingAmendment>,
): string | undefined {
  if (message === undefined || cancel !== undefined || message.trim() !== '') return undefined;
  return 'it leaves nothing of the reply: set cancel, with the reason, so that nothing is sent';
}

const outbound = { origin: 'object', platform: 'string', chatId: 'string', message: 'string' } as const;

export const channelHooks = defineHooks({
  inboundClaim: claimingHook<InboundClaim>({
    discipline: 'route',
    summary: 'A message has come in: claimed, the loop does nothing.',
    fields: { origin: 'object', message: 'object' },
    aka: ['inbound_claim'],
  }),
  beforeDispatch: claimingHook<BeforeDispatch>({
    discipline: 'route',
    summary: 'The run of a message has ended: claimed, another surface sends the reply.',
    fields: { origin: 'object', message: 'object', text: 'string', status: 'string' },
    aka: ['before_dispatch'],
  }),
  messageSending: modifyingHook<MessageSending, MessageSendingAmendment>({
    discipline: 'pipeline',
    summary: 'Before a reply is sent: its text can be changed, or the sending cancelled.',
    fields: outbound,
    keys: { message: 'string', cancel: 'string' },
    terminal: ['cancel'],
    check: checkReply,
    aka: ['message_sending'],
  }),
  messageSent: voidHook<MessageSent>({
    summary: 'A reply was sent, could not be sent, or was cancelled.',
    fields: { ...outbound, ok: 'boolean', messageId: 'string?', error: 'any?' },
    aka: ['message_sent'],
  }),
});
export type ChannelHooks = typeof channelHooks;
