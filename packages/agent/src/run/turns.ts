/** The turns of a run: request, answer, tool calls, until something ends it. */
import type { ModelFinishReason, RunLimit } from '@treblehook/types';
import type { ModelAnswer } from '../model/answer.js';
import { runBatch } from '../calls/batch.js';
import { callsOf, type Stop } from '../calls/calls.js';
import { finishOrRevise } from './finish.js';
import { takeInput } from './input.js';
import { batchOf, countChildren } from '../calls/take-up.js';
import type { OpenRun } from '../session/open-run.js';
import { callModel } from '../model/model-call.js';
import { WrappedLLMCall } from '../model/wrapped-llm-call.js';
import { wrapTurn } from './wrap-turn.js';
import { buildPrompt } from './prompt.js';
import { buildRequest } from '../model/request.js';
import type { RunState } from './run-state.js';

/**
 * The run from its input to its last turn, as `docs/lifecycle.md` draws it: leaves the ending on the run. Rejects with what
 * ends the run `failed`, and with whatever an abort has left behind.
 */
export async function runTurns(run: RunState, input: string): Promise<void> {
  const text = await takeInput(run, input);
  if (run.ending !== undefined) return;
  await buildPrompt(run, text);
  await takeTurns(run, 0);
}

/** A run that was left open, from where its log ends. */
export async function resumeTurns(run: RunState, open: OpenRun): Promise<void> {
  const hasTurn = open.batch !== undefined || open.last !== undefined;
  if (run.config.around?.turn === undefined || !hasTurn) await takeUpTurn(run, open);
  else await wrapTurn(run, true, () => takeUpTurn(run, open));
  if (run.ending !== undefined) return;
  await buildPrompt(run, open.input);
  await takeTurns(run, open.nextTurn);
}

/** The rest of the turn that was left open. */
async function takeUpTurn(run: RunState, open: OpenRun): Promise<void> {
  if (open.batch !== undefined) {
    const batch = batchOf(run, open.batch, open.isPending);
    await countChildren(run, open, batch.calls);
    return runBatch(run, batch);
  }
  await countChildren(run, open, []);
  if (open.last !== undefined) await finishAnswer(run, open.last.finishReason);
}

async function takeTurns(run: RunState, from: number): Promise<void> {
  for (let turn = from; run.ending === undefined; turn++) {
    run.abort.throwIfAborted();
    const limit = run.budget.hitBeforeStep();
    if (limit !== undefined) {
      run.ending = { status: 'incomplete', limit };
      return;
    }
    run.startTurn(turn);
    if (run.config.around?.turn === undefined) await takeTurn(run);
    else await wrapTurn(run, false, () => takeTurn(run));
  }
}

async function takeTurn(run: RunState): Promise<void> {
  let answer: ModelAnswer;
  let by: string | undefined;
  if (run.config.around?.llmCall === undefined) {
    await buildRequest(run);
    if (run.ending !== undefined) return;
    answer = await callModel(run, run.request!);
  } else {
    const wrapped = new WrappedLLMCall(run);
    await wrapped.settled();
    if (wrapped.answer === undefined) return;
    ({ answer, by } = wrapped);
  }
  const { message, text, calls, finishReason, usage } = answer;
  run.text = text;
  if (message.content.length > 0) run.append(message);
  const offered = run.request?.tools.map(({ name }) => name) ?? []; // without a request there are no calls
  await logAnswer(run, answer, offered, by);
  const { turn, model } = run;
  run.emit({ type: 'answer', turn, model, message, finishReason, usage, ...(by === undefined ? {} : { by }) });
  if (calls.length === 0) await finishAnswer(run, finishReason);
  else await runBatch(run, { calls: callsOf(run, calls), offered, stop: cutOf(finishReason) });
}

function logAnswer(
  run: RunState,
  { message, calls, finishReason, usage }: ModelAnswer,
  offered: readonly string[],
  by: string | undefined,
): void | Promise<void> {
  return run.write({
    type: 'answer',
    runId: run.id,
    turn: run.turn,
    model: run.model,
    message,
    calls: calls.map(({ callId, name, args, fault }) => ({
      callId,
      name,
      args,
      ...(fault === undefined ? {} : { fault }),
    })),
    finishReason,
    usage,
    ...(by === undefined && run.budget.lastCounted !== undefined ? { tokens: run.budget.lastCounted } : {}),
    ...(calls.length === 0 ? {} : { offered }),
    ...(by === undefined ? {} : { by }),
  });
}

/** An answer without calls ends the run, unless it has to be revised. */
async function finishAnswer(run: RunState, finishReason: ModelFinishReason): Promise<void> {
  const cut = cutOf(finishReason);
  if (cut === undefined) await finishOrRevise(run);
  else run.ending = cut.ending;
}

/** An answer that the model did not end of itself, and the end that it makes. */
function cutOf({ unified, raw }: ModelFinishReason): Stop | undefined {
  if (unified === 'stop' || unified === 'tool-calls') return undefined;
  const stop = (limit: RunLimit, text: string): Stop => ({ ending: { status: 'incomplete', limit }, text });
  if (unified === 'length') {
    return stop('output', 'the answer was cut by its length limit, so its calls are not to be trusted');
  }
  if (unified === 'content-filter') return stop('content-filter', 'the answer was cut by a content filter');
  const said = raw ?? unified;
  return stop(`finish:${said}`, `the answer ended with '${said}'`);
}
