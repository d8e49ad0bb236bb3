/** One run from the session's lock to its result. */
import { adopt, frozen } from '@treblehook/core';
import { ownFields, type AgentDone, type Message } from '@treblehook/types';
import type { RunResult } from './contract.js';
import { payloadError } from './payload-error.js';
import { Aborted } from './run-abort.js';
import type { Ending, RunState } from './run-state.js';
import type { Transcript } from './transcript.js';
import { runTurns } from './turns.js';

/** Where a run takes place. */
export interface Place {
  /** Waits for the runs in front; leaves on the run what lets the next one in. Rejects with `TH_SESSION_BUSY`. */
  readonly enter: (run: RunState) => Promise<void>;
  /** Fires `sessionStart` when it is due. */
  readonly open: (run: RunState) => Promise<void>;
  /** The run is over; `transcript` is what the next one starts from. */
  readonly settle: (run: RunState, transcript: Transcript) => void;
  readonly transcript: Transcript;
  /** The settled view. */
  readonly messages: () => readonly Message[];
}

/** Resolves for every ending. */
export async function conductRun(run: RunState, place: Place, input: string): Promise<RunResult> {
  let ending: Ending;
  try {
    try {
      await place.enter(run);
      run.begin(place.transcript);
      await place.open(run);
      await runTurns(run, input);
      ending = run.ending!;
    } catch (error) {
      ending = run.abort.isAborted || error instanceof Aborted ? { status: 'aborted' } : { status: 'failed', error };
    }
    if (run.leave !== undefined) {
      // what a stage has replaced counts only in a run that has settled
      const isSettled = ending.status !== 'failed' && ending.status !== 'aborted' && ending.status !== 'pending';
      place.settle(run, isSettled ? run.working : run.original);
    }
  } finally {
    run.abort.dispose();
    run.leave?.();
  }
  const result = resultOf(run, ending, place.messages());
  await run.closing.fireVoid('agentDone', doneOf(run, ending));
  run.emit({ type: 'done', result });
  return result;
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
    usage: frozen(run.usage),
    model: run.model,
  };
  return Object.freeze(ownFields(result));
}

function doneOf(run: RunState, { status, limit, reason, error }: Ending): AgentDone {
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
