/** The contract of channels: where messages come from and replies go, and what became of a message. */
import type { AgentHooks, Answer, Awaitable, ChannelHooks, ChannelMessage, HookRegistry } from '@treblehook/types';
import type { ResumeOptions } from '../contract.js';
import type { RunResult } from '../run/run-told.js';
import type { Fetch, Runtime, RuntimeOptions } from './runtime-contract.js';

/** One platform. A host's port, like the model: no hook leads to it. */
export interface Channel {
  /** Without a colon: session ids begin with it. */
  readonly platform: string;
  /**
   * Sends one message. A rejection is told and given back, and never tried again: whether to send twice is the channel's to
   * know. `fetch` is the runtime's. The signal aborts with the caller's, and when a shutdown waits no longer; a channel that
   * goes on then is not waited for.
   */
  readonly send: (
    message: { readonly chatId: string; readonly text: string },
    ports: { readonly signal: AbortSignal; readonly fetch: Fetch },
  ) => Awaitable<{ readonly messageId?: string } | void>;
}

/** Which agent a message goes to, and which of its sessions. Default session: `<platform>:<chatId>`. */
export type Route = (message: ChannelMessage) => string | { readonly agent: string; readonly sessionId?: string };

export interface ChannelRuntimeOptions extends Omit<RuntimeOptions, 'channels' | 'route' | 'registry'> {
  /** Of `defineHooks(agentHooks, channelHooks)`, or of more. */
  readonly registry: HookRegistry<AgentHooks & ChannelHooks>;
  /** One of each platform. */
  readonly channels: readonly Channel[];
  /** Default, with one agent alone: that agent. */
  readonly route?: Route;
}

export interface ReceiveOptions {
  readonly signal?: AbortSignal;
}

/** What became of a message. It inherits nothing. */
export type Received =
  /** By a handler of `inboundClaim`, whose id is `by`: no run took place. */
  | { readonly outcome: 'claimed'; readonly by: string }
  /** By a handler of `beforeDispatch`: that surface sends. */
  | { readonly outcome: 'dispatched'; readonly by: string; readonly result: RunResult }
  | {
      readonly outcome: 'sent';
      /** As it was sent. */
      readonly text: string;
      readonly messageId?: string;
      readonly result: RunResult;
    }
  | { readonly outcome: 'cancelled'; readonly reason: string; readonly by: string; readonly result: RunResult }
  /** `TH_CHANNEL_FAILED`, the fault of a handler with `onError: 'abort'`, or why the log does not say whose reply it is. */
  | { readonly outcome: 'failed'; readonly error: unknown; readonly result: RunResult }
  /** The run ended otherwise than `done`, or with no text but whitespace; or what was resumed is no run of a message. */
  | { readonly outcome: 'unsent'; readonly result: RunResult };

/** What became of a reply. */
export type Replied = Exclude<Received, { readonly outcome: 'claimed' }>;

export interface ChannelRuntime extends Runtime {
  /**
   * Takes a message in: its run, and its reply by the channel of its platform. A message of a platform without one can be
   * claimed, and is refused otherwise. Claims are asked for at once; the messages of one session are run, and those of one
   * session or one chat answered, in the order of these calls; a reply that has waited for `inboxWaitMs` goes out all the same, so
   * that a `send` that never answers holds up nobody for ever. Rejects when no run has begun: `TH_MESSAGE_INVALID`, `TH_OPTION_INVALID`,
   * `TH_INBOX_FULL`, `TH_SESSION_BUSY`, `TH_DISPOSED`, `TH_PROTOTYPE_ALTERED`, and what `Session.run` rejects with.
   */
  readonly receive: (message: ChannelMessage, options?: ReceiveOptions) => Promise<Received>;
  /**
   * Goes on with the run that was left open, as `resume` of its agent does, in another process too; and when a message began
   * it, its reply goes to the chat of that message, as that of `receive` does and in the order of these calls. `agent.resume` and
   * `session.resume` send nothing. Rejects as they do, with `TH_SESSION_BUSY` when the store does not say within `inboxWaitMs`, or
   * before the abort, whose session it is, and with `TH_OPTION_INVALID` when the agent of the session is none of the runtime, or no
   * channel is of the platform of the message.
   */
  readonly resume: (sessionId: string, answer?: Answer, options?: ResumeOptions) => Promise<Replied>;
}
