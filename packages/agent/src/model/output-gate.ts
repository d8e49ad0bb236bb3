/** Finished blocks of an answer pass `beforeOutput` before anybody sees them. */
import type { AttemptOptions } from './attempt.js';
import { fireStep } from '../run/fire-step.js';
import type { RunState } from '../run/run-state.js';

/** `undefined` while nobody would be asked: the deltas then stream through. */
export function outputGate(run: RunState): AttemptOptions['gate'] {
  if (!run.caller.hasHandlers('beforeOutput')) return undefined;
  return async ({ type: kind, text }) => {
    const { amended, by } = await fireStep(run, 'beforeOutput', { origin: run.origin, kind, text });
    const { withhold: reason } = amended;
    if (reason === undefined) return amended.text ?? text;
    run.emit({
      type: 'output-withheld',
      turn: run.turn,
      kind,
      reason,
      ...(by === undefined ? {} : { by: by.id }),
    });
    return undefined;
  };
}
