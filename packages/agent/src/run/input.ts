/** The input of a run: stages rewrite it, give it context or reject it; then it is stored. */
import { fireStep } from './fire-step.js';
import { textMessage } from './text-message.js';
import { vetoed } from './ending.js';
import type { RunState } from './run-state.js';

/** Gives the input as it is stored; leaves the ending on the run when it was rejected, and then nothing is stored. */
export async function takeInput(run: RunState, given: string): Promise<string> {
  const { amended, by } = await fireStep(run, 'beforeInput', {
    origin: run.origin,
    text: given,
    context: [],
  });
  const { text = given, context = [], reject } = amended;
  if (reject !== undefined) {
    run.ending = vetoed(reject, by?.id);
    return text;
  }
  await run.onTaken?.();
  run.context = context;
  const message = run.append(textMessage('user', text));
  await run.write(
    ...run.preface,
    {
      type: 'run',
      runId: run.id,
      input: text,
      personality: run.config.personality.id,
      ...(run.job === undefined ? {} : { job: run.job }),
      ...(context.length === 0 ? {} : { context }),
      ...(run.note === undefined ? {} : { note: run.note }),
      ...(run.chat === undefined ? {} : { chat: run.chat }),
    },
    { type: 'message', runId: run.id, message },
    ...run.early,
  );
  run.isLogged = true;
  await run.caller.fireVoid('messageReceived', { origin: run.origin, message });
  return text;
}
