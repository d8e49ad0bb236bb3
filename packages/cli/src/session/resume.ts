/** `treblehook session resume`: the run that was left open goes on, with an answer or without one. */
import type { QuestionView, SessionView } from '@treblehook/agent';
import { didYouMean, HookError, type Answer } from '@treblehook/types';
import { assertAsk } from '../asking.js';
import { conduct, voiceOf } from '../conduct.js';
import type { Io } from '../io.js';
import { assertWhole, changesOf, flagsFrom, givenOf, type Given } from '../given.js';
import { hostOf, type HostFlags } from '../run-host.js';
import { openKept } from '../store-file.js';
import { namesIn } from '../tools/built-in.js';
import { UsageError } from '../usage-error.js';
import { findSession, type Found } from './find.js';
import { assertOwn } from './own-agent.js';
import { openRequests } from './state.js';

export interface ResumeFlags extends HostFlags {
  readonly session: string;
  readonly yes?: string | undefined;
  readonly no?: string | undefined;
  readonly reason?: string | undefined;
  readonly remember?: boolean | undefined;
}

/** Resolves to the exit code. Rejects with `UsageError` or a `HookError` when nothing could be run. */
export async function resumeSession(flags: ResumeFlags, io: Io): Promise<number> {
  const answer = answerOf(flags);
  assertAsk(flags, true);
  namesIn(flags);
  const kept = openKept(flags, io);
  let close = async (): Promise<void> => {};
  try {
    const found = await findSession(kept, flags.session);
    assertOwn(flags.session, found.view);
    assertFree(found);
    if (answer !== undefined) assertAsked(found, answer);
    const voice = voiceOf(io);
    const logged = givenOf(found.view.runs.at(-1));
    if (logged === undefined && flags.policy === undefined) throw unknownPolicy(flags.session);
    const whole = logged === undefined ? flags : flagsFrom(flags, logged, io.cwd);
    const isModelFromLog = flags.model === undefined && whole.model !== undefined;
    const made = await hostOf(whole, { ...voice, store: kept!.store, isModelFromLog, isResumed: true });
    const { host, given } = made;
    ({ close } = made);
    if (logged !== undefined) assertWhole(logged, given);
    for (const message of differences(logged, given)) voice.warn({ message });
    const start = () => host.agent.session(flags.session).resumeStream(answer, { signal: io.signal });
    const answered = answeredIn(found);
    return await conduct(whole, voice, { host, close, kept, start, answered, given, logged });
  } finally {
    await close();
    await kept?.store.close();
  }
}

function differences(logged: Given | undefined, given: Given): readonly string[] {
  if (logged !== undefined) return changesOf(logged, given).map((change) => `when the run began ${change}`);
  return [
    `the log does not say what the run was given: it goes on in '${given.dir}' with the policy '${given.policy!}'`,
  ];
}

/** A program began it, with guards of its own: nothing goes on without a policy that somebody has named. */
const unknownPolicy = (session: string): UsageError =>
  new UsageError(
    `the log of '${session}' does not say what the run was given: a program began it, so answer it there; to go on here give --policy <file>, and the --dir, --model and --tools that it had`,
  );

function answerOf({ yes, no, reason, remember }: ResumeFlags): Answer | undefined {
  if (yes !== undefined && no !== undefined) throw new UsageError('--yes and --no: give one answer at a time');
  if (remember && yes === undefined) throw new UsageError('--remember goes with --yes <request>: only a yes is kept');
  if (reason !== undefined && no === undefined) throw new UsageError('--reason goes with --no <request>');
  if (yes !== undefined) return { id: yes, ok: true, ...(remember && { data: { remember: { for: 'session' } } }) };
  return no === undefined ? undefined : { id: no, ok: false, ...(reason !== undefined && { reason }) };
}

/** Nobody waits here for a run of another process: it may last. */
function assertFree({ summary: { sessionId, holder } }: Found): void {
  if (holder === undefined) return;
  const what = `the run '${holder}' of another process holds it: it goes on by itself, or ends there; try again then`;
  throw new HookError('TH_SESSION_BUSY', { session: sessionId, ms: 0, what, holder });
}

/** The requests of the session that have an answer. */
const answeredIn = ({ view }: Found): ReadonlySet<string> =>
  new Set(
    questionsIn(view)
      .filter(({ answer }) => answer !== undefined)
      .map(({ request }) => request.id),
  );

const questionsIn = ({ runs }: SessionView): readonly QuestionView[] =>
  runs.flatMap(({ turns }) => turns.flatMap(({ calls }) => calls.flatMap(({ questions }) => questions)));

/** A request that nobody has put; one that was answered before is refused by the session, with what it knows of it. */
function assertAsked({ summary: { sessionId }, view }: Found, { id }: Answer): void {
  const asked = questionsIn(view).map(({ request }) => request.id);
  if (asked.includes(id)) return;
  const open = openRequests(view).map(({ request }) => request.id);
  const mend = didYouMean(id, open) ?? (open.length === 0 ? 'none is open' : `open is ${open.join(', ')}`);
  const what = `there is no such request: ${mend}`;
  throw new HookError('TH_ANSWER_REFUSED', { session: sessionId, request: id, what });
}
