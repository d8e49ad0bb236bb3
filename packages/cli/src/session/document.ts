/** One session as data: what `show --json` prints, and what its text is made of. */
import type { CallView, RunView, SessionGrant, TurnView } from '@treblehook/agent';
import type { Request } from '@treblehook/types';
import { asCalled } from '../called-as.js';
import type { CallEffects } from '../effects.js';
import { flagsBeside, givenOf } from '../given.js';
import { shellWord, type Io } from '../io.js';
import { defaultStore, type StoreFlags } from '../store-file.js';
import type { Found } from './find.js';
import type { RevokedGrant } from './granted.js';
import { isOwn } from './own-agent.js';
import { fateOf, openRequests, stateOf, type CallFate, type SessionState } from './state.js';

/** Times are ms since the epoch. */
export interface SessionDocument {
  readonly sessionId: string;
  readonly store: string;
  readonly agent: string | undefined;
  readonly openedAt: number;
  readonly changedAt: number;
  readonly records: number;
  readonly state: SessionState;
  /** The session that has tasked it; what it waits for is answered in the root of those, and it is resumed there. */
  readonly parent?: string;
  /** The run that has it now. */
  readonly holder?: string;
  readonly runs: readonly ShownRun[];
  readonly open: readonly ShownRequest[];
  readonly grants: readonly ShownGrant[];
  /** What was granted and is taken back. */
  readonly revoked: readonly RevokedGrant[];
}
export interface ShownRun extends Omit<RunView, 'turns'> {
  readonly turns: readonly ShownTurn[];
}
export interface ShownTurn extends Omit<TurnView, 'calls'> {
  readonly calls: readonly (CallView & { readonly fate: CallFate })[];
}
/** A grant, and the command that takes it back. */
export interface ShownGrant extends SessionGrant {
  readonly revoke: string;
}
/** A request that nobody has answered, and the commands that answer it; absent where the session is another agent's. */
export interface ShownRequest extends Request {
  readonly callId: string;
  readonly isExpired: boolean;
  readonly yes?: string;
  readonly no?: string;
  /** What its call would do now; absent when nothing is known of that. */
  readonly effects?: CallEffects;
}

/** `root`: the session that is answered for this one, itself unless it is the child of a task; `grants`: as `grantsOf` and `revokedOf` give them. */
export function sessionDocument(
  flags: StoreFlags,
  { summary, view }: Found,
  now: number,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  root: Found,
  { grants, revoked }: { readonly grants: readonly SessionGrant[]; readonly revoked: readonly RevokedGrant[] },
): SessionDocument {
  const { sessionId, openedAt, changedAt, records, holder, parent } = summary;
  const state = stateOf(view, summary);
  const resume = asCalled(`treblehook session resume ${shellWord(root.summary.sessionId)}`, env);
  const revoke = asCalled(`treblehook session revoke ${shellWord(root.summary.sessionId)}`, env);
  const given = givenOf(root.view.runs.at(-1));
  const again = flagsBeside(given, given ?? {}, flags, cwd);
  return {
    sessionId,
    store: flags.store || defaultStore,
    agent: view.agent,
    openedAt,
    changedAt,
    records,
    state,
    ...(parent !== undefined && { parent }),
    ...(holder !== undefined && { holder }),
    runs: view.runs.map((run) => ({
      ...run,
      turns: run.turns.map((turn) => ({
        ...turn,
        calls: turn.calls.map((call) => ({ ...call, fate: fateOf(call, run, state) })),
      })),
    })),
    open: openRequests(view).map(({ request, call }) => ({
      ...request,
      callId: call.callId,
      isExpired: request.expiresAt !== undefined && request.expiresAt <= now,
      ...(isOwn(root.view) && {
        yes: `${resume} --yes ${request.id}${again}`,
        no: `${resume} --no ${request.id}${again}`,
      }),
    })),
    grants: grants.map((grant) => ({
      ...grant,
      revoke: `${revoke} ${grant.id}${flagsBeside(undefined, {}, flags, cwd)}`,
    })),
    revoked,
  };
}
