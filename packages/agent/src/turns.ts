/** The turns of a run: request, answer, tool calls, until something ends it. */
import { runBatch } from './batch.js';
import { callModel } from './model-call.js';
import { takeInput } from './input.js';
import { buildRequest } from './request.js';
import type { Ending, RunState } from './run-state.js';

const cutByLength = {
  limit: 'output',
  text: 'the answer was cut by its length limit, so its calls are not to be trusted',
};

/**
 * The run from its input to its last turn, as `docs/lifecycle.md` draws it: goes on until the ending stands on the run.
 * Rejects with what ends the run `failed`, and with whatever an abort has left behind.
 */
export async function runTurns(run: RunState, input: string): Promise<void> {
  await takeInput(run, input);
  for (let turn = 0; run.ending === undefined; turn++) await runTurn(run, turn);
}

async function runTurn(run: RunState, turn: number): Promise<void> {
  run.abort.throwIfAborted();
  const limit = run.budget.hitBeforeStep();
  if (limit !== undefined) {
    run.ending = { status: 'incomplete', limit };
    return;
  }
  run.startTurn(turn);
  await buildRequest(run);
  if (run.ending !== undefined) return;
  const request = run.request!;
  const answer = await callModel(run, request);
  const { message, text, calls, finishReason, usage } = answer;
  run.text = text;
  if (message.content.length > 0) run.append(message);
  run.emit({ type: 'answer', turn, model: request.model, message, finishReason, usage });
  const cut = cutOf(finishReason);
  if (calls.length === 0) run.ending = cut?.ending ?? { status: 'done' };
  else await runBatch(run, answer, request, cut);
}

/** An answer that the model did not end of itself, and the end that it makes. */
function cutOf({ unified, raw }: { readonly unified: string; readonly raw: string | undefined }) {
  if (unified === 'stop' || unified === 'tool-calls') return undefined;
  const { limit, text } =
    unified === 'length'
      ? cutByLength
      : unified === 'content-filter'
        ? { limit: 'content-filter', text: 'the answer was cut by a content filter' }
        : { limit: `finish:${raw ?? unified}`, text: `the answer ended with '${raw ?? unified}'` };
  const ending: Ending = { status: 'incomplete', limit };
  return { ending, text };
}
