/** One run from the session's lock to its result. */
import { adopt, frozen } from '@treblehook/core';
import { isHookError, ownFields, type AgentDone, type Answer, type Message } from '@treblehook/types';
import type { RunResult } from './run-told.js';
import { tokensOf } from './metrics.js';
import type { OpenRun } from '../session/open-run.js';
import { tellOf } from './grace.js';
import { payloadError } from './payload-error.js';
import { unwrapped } from '../plain-hooks.js';
import { runsOf } from './registry-runs.js';
import { Aborted } from './run-abort.js';
import type { Ending } from './ending.js';
import type { RunState } from './run-state.js';
import { resumeTurns, runTurns } from './turns.js';

/** Where a run takes place. */
export interface Place {
  /** Waits for the runs in front, in this process and in others; leaves on the run what lets the next one in. */
  readonly enter: (run: RunState, start: Start) => Promise<void>;
  /** The transcript that the run starts from, and what it takes up when it does not begin anew. */
  readonly begin: (run: RunState, start: Start) => Promise<OpenRun | undefined>;
  /** Fires `sessionStart` when it is due. */
  readonly open: (run: RunState) => Promise<void>;
  /** The run is over. */
  readonly settle: (run: RunState, ending: Ending) => Promise<void>;
  /** The settled view. */
  readonly messages: () => readonly Message[];
}

/** Each its own. */
export interface Start {
  /** What a new run is told; `undefined`: a run that was left open goes on. */
  readonly input: string | undefined;
  /** Settles one of its requests first. */
  readonly answer: Answer | undefined;
}

/** With these a run rejects, before it has begun; every other fault is an ending. */
export const misuses: ReadonlySet<string> = new Set([
  'TH_WRONG_AGENT',
  'TH_NOTHING_OPEN',
  'TH_SESSION_BUSY',
  'TH_ANSWER_REFUSED',
  'TH_OPTION_INVALID',
  'TH_INBOX_FULL',
  'TH_DISPOSED',
  'TH_NO_GUARD',
  'TH_PERSONALITY_REFUSED',
]);

/** No run has begun: that is not the ending of one. */
class Misuse extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super('no run has begun');
    this.error = error;
  }
}

async function enter(run: RunState, place: Place, start: Start): Promise<OpenRun | undefined> {
  try {
    await place.enter(run, start);
    return await place.begin(run, start);
  } catch (error) {
    throw isHookError(error) && misuses.has(error.code) ? new Misuse(error) : error;
  }
}

/** Resolves for every ending; rejects when none has begun: `TH_SESSION_BUSY`, and what an answer or a resumption is refused with. */
export async function conductRun(run: RunState, place: Place, start: Start): Promise<RunResult> {
  try {
    return await conduct(run, place, start);
  } finally {
    run.abort.dispose();
    run.forget();
    run.config.entrance?.over(run);
  }
}

async function conduct(run: RunState, place: Place, start: Start): Promise<RunResult> {
  let ending: Ending;
  try {
    try {
      const open = await enter(run, place, start);
      run.forget = runsOf(run.config.registry).add(run);
      run.emit({ type: 'run-start', runId: run.id, sessionId: run.sessionId });
      await place.open(run);
      if (open !== undefined) await resumeTurns(run, open);
      else await runTurns(run, start.input!);
      ending = run.ending!;
    } catch (error) {
      if (error instanceof Misuse) throw error.error;
      ending = endingOf(run, error);
    }
    if (run.hasBegun) {
      try {
        await place.settle(run, ending);
      } catch (error) {
        ending = { status: 'failed', error };
      }
    }
  } finally {
    await run.leave?.();
  }
  run.endedAs = ending.status;
  const result = resultOf(run, ending, place.messages());
  await tellOf(run, 'agentDone', doneOf(run, ending));
  measureRun(run, ending);
  run.emit({ type: 'done', result });
  return result;
}

function endingOf({ failure, abort, isLogged, asking }: RunState, error: unknown): Ending {
  if (failure !== undefined) return { status: 'failed', error: failure.error };
  if (abort.isSuspended && isLogged) return { status: 'pending', pending: frozen([...asking]) };
  if (abort.isAborted || error instanceof Aborted) return { status: 'aborted' };
  return { status: 'failed', error: unwrapped(error) };
}

function resultOf(run: RunState, ending: Ending, messages: readonly Message[]): RunResult {
  const result: RunResult = {
    runId: run.id,
    sessionId: run.sessionId,
    ...ending,
    text: run.text,
    messages,
    toolCalls: adopt(run.toolCalls),
    turns: run.budget.steps,
    usage: run.usage,
    model: run.model,
  };
  return Object.freeze(ownFields(result));
}

function measureRun(run: RunState, ending: Ending): void {
  const { status, limit } = ownFields(ending);
  const { cost, usage, budget, toolCalls, origin } = run;
  run.measure(() => ({
    type: 'run',
    origin,
    ms: budget.usedMs,
    status,
    ...(limit === undefined ? {} : { limit }),
    turns: budget.steps,
    toolCalls: toolCalls.length,
    tokens: tokensOf(usage),
    ...(cost.total === undefined ? {} : { cost: cost.total }),
  }));
}

function doneOf(run: RunState, ending: Ending): AgentDone {
  const { status, limit, reason, error } = ownFields(ending);
  return {
    origin: run.origin,
    status,
    ...(limit === undefined ? {} : { limit }),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error: payloadError(error) }),
    text: run.text,
    turnCount: run.budget.steps,
    toolCalls: run.toolCalls.length,
    usage: run.usage,
  };
}
