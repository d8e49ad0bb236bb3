/** A group of calls: cleared one by one in order, their bodies run together, their results settled in order. */
import { append } from '@treblehook/core';
import type { Stop } from './calls.js';
import { prepareCall } from './prepare-call.js';
import { executeCall, settleResult } from './execute.js';
import { assertGoesOn } from '../run/fire-step.js';
import { takeUp } from './take-up.js';
import { unwrapped } from '../plain-hooks.js';
import { Aborted } from '../run/run-abort.js';
import { vetoed, type RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';
import { tellEnd } from './tool-end.js';
import { clearCall } from './clear-call.js';

/** Leaves in `stops` why the calls behind the group must not start: it goes through no promise. */
export async function settleGroup(
  run: RunState,
  group: readonly ToolCall[],
  offered: readonly string[],
  stops: { stop: Stop | undefined },
): Promise<void> {
  let together: ToolCall[] = [];
  const flush = async (): Promise<void> => {
    await runTogether(run, together);
    for (const call of together) {
      await finishCall(run, call);
      stops.stop ??= stopOf(call);
    }
    together = [];
  };
  for (const call of group) {
    if (!call.isTold) await startCall(run, call, offered, stops.stop);
    stops.stop ??= stopOf(call);
    if (group.length === 1 || call.isSettled || call.tool!.isSafe(call.sealed!.args)) {
      append(together, call);
      continue;
    }
    // its arguments were amended: it is no neighbour any more, and its guards must see the world behind the others
    const isBehind = together.length > 0;
    await flush();
    if (isBehind) call.clearance = undefined;
    append(together, call);
    await flush();
  }
  await flush();
}

/** A call has its turn: leaves it cleared, waiting or over. */
async function startCall(
  run: RunState,
  call: ToolCall,
  offered: readonly string[],
  stop: Stop | undefined,
): Promise<void> {
  const { name, args, origin } = call;
  run.emit({ type: 'tool-call', turn: run.turn, callId: origin.callId, name, args });
  const why = stop ?? limitStop(run);
  if (why !== undefined) return stopCall(call, why);
  await settled(run, call, async () => {
    assertGoesOn(run);
    if (call.progress !== undefined) await takeUp(run, call, call.progress);
    if (call.isSettled) return;
    if (call.sealed === undefined) await prepareCall(run, call, offered);
    if (!call.isSettled) await clearCall(run, call);
  });
}

function stopCall(call: ToolCall, why: Stop): void {
  call.stoppedBy = why;
  call.end('not-started', `not-started: ${why.text}`, why.text);
}

function limitStop(run: RunState): Stop | undefined {
  if (run.abort.isAborted) return undefined;
  const limit = run.budget.takeCall();
  return limit && { ending: { status: 'incomplete', limit }, text: `the run has reached its limit '${limit}'` };
}

/** The bodies of the calls that are neither over nor waiting, at most `maxConcurrentTools` at a time. */
async function runTogether(run: RunState, calls: readonly ToolCall[]): Promise<void> {
  const open = calls.filter((call) => !call.isSettled);
  const runOne = async (call: ToolCall): Promise<void> => {
    if (run.stop !== undefined) return stopCall(call, run.stop);
    await settled(run, call, () => executeCall(run, call));
  };
  const isTask = ({ tool }: ToolCall): boolean => tool!.isRun;
  if (open.length <= 1) {
    if (open[0] !== undefined) await runOne(open[0]);
    return;
  }
  const bodies = open.filter((call) => !isTask(call));
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < bodies.length) await runOne(bodies[next++]!);
  };
  const lanes = Array.from({ length: Math.min(run.config.maxConcurrentTools, bodies.length) }, lane);
  // a task takes no place in the pool: its child's tools are what works
  await Promise.all([...open.filter(isTask).map(runOne), ...lanes]);
}

/** The stages behind the body, then the outcome is logged and told. A call that waits has none yet. */
async function finishCall(run: RunState, call: ToolCall): Promise<void> {
  if (call.isTold || call.waiting !== undefined || call.isLeft) return;
  if (!call.isOver && call.raw !== undefined) await settled(run, call, () => settleResult(run, call));
  await settled(run, call, () => tellEnd(run, call));
}

/** A step of a call never rejects: what it throws ends the call, and the run behind it when it is no abort. */
async function settled(run: RunState, call: ToolCall, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (error instanceof Aborted || run.abort.isAborted) {
      if (call.isOver) return;
      if (run.abort.isSuspended && !call.isStartLogged && call.parent === undefined) call.isLeft = true;
      else call.end('cancelled', `cancelled: the run was aborted before '${call.name}' started`, 'aborted');
      return;
    }
    call.fatal ??= { error: unwrapped(error) };
    if (!call.isOver) call.end('error', `'${call.name}' has no result: the run has failed`, 'failed');
  }
}

/** A denial that says `halt`, and a fault of the loop's own, end the run behind the call. */
function stopOf(call: ToolCall): Stop | undefined {
  if (call.stoppedBy !== undefined) return call.stoppedBy;
  if (call.fatal !== undefined) {
    return { ending: { status: 'failed', error: call.fatal.error }, text: 'the run has failed before' };
  }
  if (call.verdict?.halt !== true || call.outcome !== 'denied') return undefined;
  const { reason = '', by } = call;
  return { ending: vetoed(reason, by), text: `'${by ?? 'a guard'}' has ended the run` };
}
