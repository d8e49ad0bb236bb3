/** A step of a call, and what the end of a call means for the calls behind it. */
import type { ToolCallRecord } from '@treblehook/types';
import type { Stop } from './calls.js';
import { unwrapped } from '../plain-hooks.js';
import { Aborted } from '../run/run-abort.js';
import { vetoed } from '../run/ending.js';
import type { RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';

/** A step of a call never rejects: what it throws ends the call, and the run behind it when it is no abort. */
export async function settled(run: RunState, call: ToolCall, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (error instanceof Aborted || run.abort.isAborted) {
      return endByAbort(run, call);
    }
    call.fatal ??= { error: unwrapped(error) };
    if (!call.isOver) call.end('error', `'${call.name}' has no result: the run has failed`, 'failed');
  }
}

/**
 * A call whose body a suspended run has not begun stays open in the log, and so does a task, whose child goes on from its
 * own; one that is over stays as it is.
 */
export function endByAbort(run: RunState, call: ToolCall): void {
  if (call.isOver) return;
  if (run.abort.isSuspended && (!call.isInBody || call.tool!.isRun) && call.leave()) return;
  if (!hasRun(call)) return call.end('cancelled', `cancelled: ${cutOf(call)}`, 'aborted');
  call.isWithheld = true;
  call.end(
    'error',
    `'${call.name}' has run, and the run was aborted before its result was ready: it is withheld`,
    'aborted',
  );
}

/** Its body has answered, and has not given up on the signal: who attempts it anew does it twice. */
const hasRun = ({ hasBegun, raw, wasCancelled }: ToolCall): boolean => hasBegun && raw !== undefined && !wasCancelled;

/** How far it has come: the model must not take a call that has run for one that never did. */
function cutOf({ name, hasBegun, progress }: ToolCall): string {
  if (!hasBegun && progress?.requests.some(({ by }) => by === 'tool') !== true) {
    return `the run was aborted before '${name}' started`;
  }
  return `the run was aborted before '${name}' was over`;
}

/** A denial that says `halt`, and a fault of the loop's own, end the run behind the call. */
export function stopOf(call: ToolCall): Stop | undefined {
  if (call.stoppedBy !== undefined) return call.stoppedBy;
  if (call.fatal !== undefined) {
    return { ending: { status: 'failed', error: call.fatal.error }, text: 'the run has failed before' };
  }
  if (call.verdict?.halt !== true || call.outcome !== 'denied') return undefined;
  return haltOf(call);
}

/** A denial that ends the run. */
export const haltOf = ({ reason = '', by }: Pick<ToolCall, 'reason' | 'by'> | ToolCallRecord): Stop => ({
  ending: vetoed(reason, by),
  text: `'${by ?? 'a guard'}' has ended the run`,
});

/** Takes one call of the budget, or gives the stop that its limit makes. */
export function limitStop(run: RunState): Stop | undefined {
  if (run.abort.isAborted) return undefined;
  const limit = run.budget.takeCall();
  return limit && { ending: { status: 'incomplete', limit }, text: `the run has reached its limit '${limit}'` };
}
