/** `treblehook run`: one run of a session, new or named. */
import { assertAsk } from './asking.js';
import { conduct, voiceOf, type Voice } from './conduct.js';
import type { Io } from './io.js';
import { flagsAgain, folderAt, hostOf, type HostFlags } from './run-host.js';
import { findSession } from './session/find.js';
import { openRequests } from './session/state.js';
import { openKept, openStore, type Kept } from './store-file.js';
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
  const kept = await storeOf(flags, voice);
  try {
    const host = await hostOf(flags, { ...voice, store: kept?.store });
    const session = host.agent.session(flags.session);
    const start = () => session.stream(flags.prompt, { signal: io.signal });
    return await conduct(flags, voice, { host, kept, start });
  } finally {
    await kept?.store.close();
  }
}

/** `undefined`: nothing is kept. A session that is named must be there, and must not wait for somebody. */
async function storeOf(flags: RunFlags, { io, say }: Voice): Promise<Kept | undefined> {
  if (flags.store === false) return undefined;
  if (flags.session === undefined) return openStore(flags, io);
  const kept = openKept(flags, io);
  try {
    const { view, summary } = await findSession(kept, flags.session);
    if (summary.holder !== undefined) say(`waits for the session: the run '${summary.holder}' holds it`);
    const [open] = summary.holder === undefined ? openRequests(view) : [];
    if (open === undefined) return kept;
    const resume = `treblehook session resume ${flags.session}`;
    throw new UsageError(
      `the session '${flags.session}' waits for an answer, which a new prompt would give up: ` +
        `${resume} --yes ${open.request.id}${flagsAgain(flags)}, or --no ${open.request.id}`,
    );
  } catch (error) {
    await kept?.store.close();
    throw error;
  }
}
