/** An answer that asks for no more calls: the run ends, or the model is told to revise. */
import { fireStep } from './fire-step.js';
import { join, textMessage } from './text-message.js';
import type { RunState } from './run-state.js';

/** Of one run, over all handlers: two that take turns are one that never ends. */
const maxContinuations = 5;

/** Leaves the ending on the run, or one message that says what is missing. */
export async function finishOrRevise(run: RunState): Promise<void> {
  const { count, last } = run.continuations;
  const { amended } = await fireStep(run, 'beforeFinish', {
    origin: run.origin,
    text: run.text,
    continuations: count,
  });
  const text = join(amended.revise ?? []);
  if (text === '') {
    run.ending = { status: 'done' };
    return;
  }
  const reason = { text };
  if (count >= maxContinuations) run.ending = { status: 'incomplete', limit: 'continuations', reason };
  else if (last !== undefined && last.text === text && last.toolCalls === run.toolCalls.length) {
    run.ending = { status: 'incomplete', limit: 'no-progress', reason };
  } else {
    run.continuations = { count: count + 1, last: { text, toolCalls: run.toolCalls.length } };
    await run.record(textMessage('user', text));
  }
}
