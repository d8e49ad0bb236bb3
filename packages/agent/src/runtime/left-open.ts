/** What a session was left with: whose it is, and the message that its open run is to reply to. */
import { HookError, ownFields, type ChannelMessage, type Chat } from '@treblehook/types';
import type { Config } from '../config.js';
import type { Current } from '../current.js';
import { invalid, meant } from '../read-option.js';
import { isOwn } from '../session/assert-own.js';
import { Replay } from '../session/replay.js';
import { SessionLog } from '../session/session-log.js';

export interface LeftOpen {
  /** The name that the session was opened under; `undefined` of a log that does not say. */
  readonly opener: string | undefined;
  /** `undefined`: no run is open. */
  readonly runId: string | undefined;
  /** `undefined`: there is no chat to reply to. */
  readonly message: ChannelMessage | undefined;
}

/**
 * `config`: of any agent of the runtime, since they share the store. `request`: what an answer is for. Rejects for a session
 * that the store does not have: `TH_ANSWER_REFUSED`, or `TH_NOTHING_OPEN` without an answer.
 */
export async function leftOpen(config: Config, sessionId: string, request: string | undefined): Promise<LeftOpen> {
  const replay = new Replay(sessionId);
  await new SessionLog(config, sessionId).readAll((records) => replay.take(records));
  const { agent: opener, open, isEmpty } = replay;
  if (!isEmpty) return ownFields({ opener, runId: open?.runId, message: open && messageOf(open) });
  const what = 'the store of the runtime has no such session: check its id, and the store';
  if (request === undefined) throw new HookError('TH_NOTHING_OPEN', { session: sessionId, what });
  throw new HookError('TH_ANSWER_REFUSED', { session: sessionId, request, what });
}

/** The message of a run that is over, or open; its text is the input as it is stored. */
export async function repliedTo(config: Config, sessionId: string, runId: string): Promise<ChannelMessage | undefined> {
  let message: ChannelMessage | undefined;
  await new SessionLog(config, sessionId).readAll((records) => {
    for (const { record } of records) if (record.type === 'run' && record.runId === runId) message = messageOf(record);
  });
  return message;
}

const messageOf = ({
  input,
  chat,
}: {
  readonly input: string;
  readonly chat?: Chat | undefined;
}): ChannelMessage | undefined =>
  chat && Object.freeze(ownFields({ platform: chat.platform, chatId: chat.chatId, text: input }));

/** The agent whose session it is. Throws `TH_OPTION_INVALID`. */
export function ownerOf<T extends { readonly current: Current }>(
  agents: ReadonlyMap<string, T>,
  sessionId: string,
  opener: string | undefined,
): T {
  const all = [...agents.values()];
  if (opener === undefined && all.length > 1) {
    throw invalid(`the log of '${sessionId}' does not say whose it is: resume it by runtime.agent(name)`);
  }
  const owner = all.find(({ current }) => isOwn(current.now, opener));
  if (owner !== undefined) return owner;
  throw invalid(
    `the session '${sessionId}' is one of '${opener}', which is no agent of the runtime${meant(opener!, agents.keys())}`,
  );
}
