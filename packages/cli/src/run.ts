/** `treblehook run`: one run of a session, new or named. */
import { assertAsk } from './asking.js';
import { conduct, voiceOf, type Voice } from './conduct.js';
import { shellWord, type Io } from './io.js';
import { changesOf, flagsBeside, givenOf, type Given } from './given.js';
import { folderAt, hostOf, type HostFlags } from './run-host.js';
import { findOrBegin } from './session/begin.js';
import type { Found } from './session/find.js';
import { assertOwn } from './session/own-agent.js';
import { openRequests, stateOf } from './session/state.js';
import { openStore, type Kept } from './store-file.js';
import { namesIn } from './tools/built-in.js';
import { UsageError } from './usage-error.js';

export interface RunFlags extends HostFlags {
  readonly prompt: string;
  readonly session?: string | undefined;
}

/** Resolves to the exit code. Rejects with `UsageError` or a `HookError` when nothing could be run. */
export async function run(flags: RunFlags, io: Io): Promise<number> {
  if (flags.prompt.trim() === '') throw new UsageError('the prompt is empty: say in quotes what to do');
  if (flags.store === false && flags.session !== undefined) {
    throw new UsageError('--session needs the store that the session is kept in: leave out --no-store');
  }
  assertAsk(flags, flags.store !== false);
  await folderAt(flags.dir, io.cwd); // before a file is made beside it
  const voice = voiceOf(io);
  namesIn(flags);
  const { kept, before } = await storeOf(flags, voice);
  let close = async (): Promise<void> => {};
  try {
    const made = await hostOf(flags, { ...voice, store: kept?.store });
    const { host, given } = made;
    ({ close } = made);
    const session = host.agent.session(flags.session);
    for (const change of before === undefined
      ? []
      : changesOf(before, given, ['dir', 'policy', 'project', 'config', 'plugins', 'tools', 'mcp'])) {
      voice.warn({ message: `in the last run of the session ${change}` });
    }
    const start = () => session.stream(flags.prompt, { signal: io.signal, note: { ...given } });
    return await conduct(flags, voice, { host, close, kept, start, given, logged: given });
  } finally {
    await close();
    await kept?.store.close();
  }
}

interface Place {
  /** `undefined`: nothing is kept. */
  readonly kept: Kept | undefined;
  /** What the last run of the session was given. */
  readonly before?: Given | undefined;
}

/** A session that is named and is there must not wait for somebody. */
async function storeOf(flags: RunFlags, voice: Voice): Promise<Place> {
  const { io, say } = voice;
  if (flags.store === false) return { kept: undefined };
  const kept = openStore(flags, io);
  if (flags.session === undefined) return { kept };
  try {
    const found = await findOrBegin(kept, flags.session, voice);
    if (found === undefined) return { kept };
    const { view, summary } = found;
    assertOwn(flags.session, view);
    if (summary.holder !== undefined) say(`waits for the session: the run '${summary.holder}' holds it`);
    const [open] = summary.holder === undefined ? openRequests(view) : [];
    const before = givenOf(view.runs.at(-1));
    if (open === undefined) {
      warnOfLeft(found, flags, voice);
      return { kept, before };
    }
    const resume = `treblehook session resume ${shellWord(flags.session)}`;
    const beside = flagsBeside(before, before ?? {}, flags, io.cwd);
    throw new UsageError(
      `the session '${flags.session}' waits for an answer, which a new prompt would give up: ` +
        `${resume} --yes ${open.request.id}${beside}, or --no ${open.request.id}${beside} --reason "…"`,
    );
  } catch (error) {
    await kept.store.close();
    throw error;
  }
}

/** A prompt begins a run, and gives up one that could have been gone on with. */
function warnOfLeft({ view, summary }: Found, flags: RunFlags, { io, warn }: Voice): void {
  const [last, state] = [view.runs.at(-1), stateOf(view, summary)];
  if (last === undefined || (state !== 'interrupted' && state !== 'ready')) return;
  const given = givenOf(last);
  const resume = `treblehook session resume ${shellWord(summary.sessionId)}${flagsBeside(given, given ?? {}, flags, io.cwd)}`;
  warn({
    message: `the run '${last.runId}' of the session had not ended: this prompt gives it up, where ${resume} would have gone on with it`,
  });
}
