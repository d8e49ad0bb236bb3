/** A session as the place of its runs: who has the turn, what a run starts from, what it leaves. */
import { didYouMean, HookError, type Answer, type SettleOutcome } from '@treblehook/types';
import { approvalFault } from '../calls/answer-given.js';
import type { Config } from '../config.js';
import { invalid } from '../read-option.js';
import type { Place } from '../run/run.js';
import type { RunState } from '../run/run-state.js';
import { abandon, tellEnds } from './abandon.js';
import { endChildren, endChildrenOf } from './end-children.js';
import { giveUp } from './give-up.js';
import { configOfRun } from './in-force.js';
import type { OpenRun } from './open-run.js';
import type { SessionState } from './session-state.js';
import { settledRecord } from './settled-record.js';

export function placeOf(state: SessionState): Place {
  const { id, log, lock, inForce } = state;
  const { config } = state; // of it what no update changes
  /** What the run in hand has taken up. */
  let resumed: OpenRun | undefined;

  return {
    messages: () => state.view,
    async enter(run, { answer }) {
      const { entrance } = config;
      if (entrance !== undefined) {
        await entrance.enter(run);
        run.leave = () => entrance.leave(run);
      }
      await lock.enter(run);
      run.leave = async () => {
        run.hasLeft = true;
        await log.leave();
        run.unlock();
        entrance?.leave(run);
      };
      // before the lease: a run of another process may wait for this very answer
      if (answer !== undefined) await settleRequest(state, answer);
      if ((await log.enter(run)) || !state.isFresh) await state.reload();
    },
    async begin(run, start) {
      resumed = undefined;
      if (start.input === undefined) return (resumed = await takeUp(state, run));
      become(run, inForce.config);
      const left = state.open;
      if (left !== undefined) {
        // only now: an input that is rejected gives up nothing
        run.onTaken = async () => {
          const { message, ends } = await giveUp(state, left, (...records) => run.write(...records));
          if (message !== undefined) run.append(message);
          await tellEnds(run, left, ends);
        };
      }
      run.preface = state.preface();
      run.begin(state.transcript);
      return undefined;
    },
    async open(run) {
      run.abort.throwIfAborted(); // a run that never begins opens nothing
      const isFirst = state.lastOrigin === undefined;
      state.lastOrigin = run.origin;
      if (!isFirst) return;
      const how = state.isResumed ? 'resumed' : 'opened';
      await run.caller.fireVoid('sessionStart', { origin: run.origin, how });
      run.abort.throwIfAborted();
    },
    async settle(run, ending) {
      if (state.lastOrigin !== undefined) state.lastOrigin = run.origin;
      if (!run.isLogged) {
        state.isFresh = ending.status !== 'failed';
        return;
      }
      // what a stage has replaced counts only in a run that has settled
      const counts = ending.status !== 'failed' && ending.status !== 'aborted' && ending.status !== 'pending';
      state.isFresh = false; // until the log says so
      if (resumed?.batch !== undefined && !run.isBatchClosed && ending.status !== 'pending') {
        const { records, message, ends } = abandon(resumed, config.ids, run.toolCalls);
        await run.write(...records);
        if (message !== undefined) run.append(message);
        await tellEnds(run, resumed, ends);
      }
      await run.write(settledRecord(run, ending, counts && run.isRewritten ? state.view : undefined));
      state.transcript = counts ? run.working : run.original;
      if (ending.status !== 'pending') state.view = state.transcript.list();
      state.isFresh = ending.status !== 'pending' && ending.status !== 'failed';
      if (ending.status === 'pending') return;
      state.children.clear();
      if (resumed !== undefined) await endChildrenOf(config, id, resumed);
      await endChildren(config, run.openChildren.values());
    },
  };

  /** The run goes on with what was left open. */
  async function takeUp({ open, transcript }: SessionState, run: RunState): Promise<OpenRun> {
    if (open === undefined) {
      throw new HookError('TH_NOTHING_OPEN', {
        session: id,
        what: 'its last run has ended, or it has none: begin a new one with run',
      });
    }
    let unfit: { readonly error: unknown } | undefined;
    try {
      become(run, inForce.configOf(open));
    } catch (error) {
      if (config.parent === undefined) throw error;
      unfit = { error }; // the task of a child is over with this, and nobody else may take the child up
    }
    run.begin(transcript);
    run.restore(open);
    await run.write({ type: 'resumed', runId: run.id });
    state.open = undefined; // it goes on here: what comes of it stands in the log
    run.isLogged = true;
    if (unfit !== undefined) run.fail(unfit.error);
    return open;
  }
}

/** The run is of this personality; whether it has guards is known only now, when there are several, or it was another agent. */
function become(run: RunState, as: Config): void {
  if (hasSeveral(as) || as.parent !== undefined || run.config !== as) assertGuarded(as);
  if (run.config !== as) run.as(as);
}

/** Another personality may have guards that this one lacks: whether there are any is known when the log was read. */
export const hasSeveral = ({ personalities }: Config): boolean => personalities.size > 1;

/** Throws `TH_NO_GUARD`. */
export function assertGuarded({ toolbox, unguarded, registry, personality, guards }: Config): void {
  if (toolbox.offered.length === 0 || unguarded !== undefined) return;
  if (registry.hasHandlers('toolPolicy', [...personality.plugins, ...guards])) return;
  throw new HookError('TH_NO_GUARD');
}

/** Throws `TH_ANSWER_REFUSED`, `TH_OPTION_INVALID` for what is no answer to that request, and as `reload`. */
async function settleRequest(state: SessionState, answer: Answer): Promise<void> {
  const { id, log } = state;
  const replay = await state.replay();
  const { config } = state;
  if (replay.open !== undefined && config.parent === undefined) {
    const as = configOfRun(config, id, replay.personality, replay.open.personality);
    if (hasSeveral(config)) assertGuarded(as);
  }
  const request = replay.open?.requests().find((one) => one.id === answer.id);
  const fault = request?.kind === 'approval' ? approvalFault(answer) : undefined;
  if (fault !== undefined) throw invalid(`the answer to '${answer.id}' ${fault}`);
  const isAsked = replay.asked.has(answer.id); // a store that takes two ids for one would settle another request
  if (isAsked) state.isFresh = false;
  const outcome: SettleOutcome = isAsked ? await log.settle(answer) : { state: 'unknown' };
  if (outcome.state === 'settled') return;
  const open = (replay.open?.requests() ?? []).map((one) => one.id).filter((one) => one !== answer.id);
  const what = replay.isEmpty
    ? 'the store of this agent has no such session: check its id, and the store'
    : whyNot(outcome, answer.id, open);
  throw new HookError('TH_ANSWER_REFUSED', { session: id, request: answer.id, what });
}

/** With the requests that are still open: the answer may have been meant for one of them. */
function whyNot(outcome: Exclude<SettleOutcome, { state: 'settled' }>, id: string, open: readonly string[]): string {
  const left = open.length === 0 ? undefined : `open is ${open.join(', ')}`;
  if (outcome.state === 'unknown') return `there is no such request: ${didYouMean(id, open) ?? left ?? 'none is open'}`;
  const why = outcome.state === 'taken' ? standing(outcome.answer) : 'it has expired';
  return left === undefined ? why : `${why}; ${left}`;
}

/** Somebody has answered, or the loop has given it up; the reason says which. */
const standing = ({ ok, reason }: Answer): string =>
  ok || reason === undefined ? 'it was answered before' : `it is settled with a no: ${reason}`;
