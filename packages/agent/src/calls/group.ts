/** A group of calls: cleared one by one in order, their bodies run together, their results settled in order. */
import { append } from '@treblehook/core';
import { limitStop, settled, stopOf } from './call-step.js';
import type { Stop } from './calls.js';
import { prepareCall } from './prepare-call.js';
import { executeCall, settleResult } from './execute.js';
import { assertGoesOn } from '../run/fire-step.js';
import { endsWithItsProcess, sealAsLogged, standsAsAttempted, takeUp } from './take-up.js';
import type { RunState } from '../run/run-state.js';
import { hasBegun } from '../session/call-progress.js';
import type { ToolCall } from './tool-call.js';
import { tellEnd } from './tool-end.js';
import { clearCall } from './clear-call.js';
import { isProposed } from './proposal.js';
import { WrappedCall } from './wrapped-call.js';

/**
 * Leaves in `stops` why the calls behind the group must not start: it goes through no promise. A call that its wrapper has
 * attempted anew stands in the group as its last attempt.
 */
export async function settleGroup(
  run: RunState,
  group: ToolCall[],
  offered: readonly string[],
  stops: { stop: Stop | undefined },
): Promise<void> {
  let together: ToolCall[] = [];
  const flush = async (): Promise<void> => {
    await runTogether(run, together);
    for (const call of together) {
      await finishCall(run, call);
      stops.stop ??= stopOf(inHand(call));
    }
    together = [];
  };
  for (const given of group) {
    if (!given.isTold) await startCall(run, given, offered, stops);
    const call = inHand(given);
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
  if (run.config.around !== undefined) for (const [at, call] of group.entries()) group[at] = inHand(call);
}

const inHand = (call: ToolCall): ToolCall => call.wrap?.call ?? call;

/** A call has its turn: leaves it cleared, waiting or over. */
async function startCall(
  run: RunState,
  call: ToolCall,
  offered: readonly string[],
  stops: { readonly stop: Stop | undefined },
): Promise<void> {
  const { name, args, origin } = call;
  run.emit({ type: 'tool-call', turn: run.turn, callId: origin.callId, name, args });
  sealAsLogged(call);
  if (standsAsAttempted(call) || endsWithItsProcess(run, call)) return;
  const why = stops.stop ?? placeOf(run, call);
  if (why !== undefined) return stopCall(call, why);
  await settled(run, call, async () => {
    assertGoesOn(run);
    if (call.progress !== undefined) await takeUp(run, call, call.progress);
    if (call.isSettled) return;
    if (run.config.around?.toolCall !== undefined && !isProposed(call)) {
      return new WrappedCall(run, call, offered, stops).clear();
    }
    if (call.sealed === undefined) await prepareCall(run, call, offered);
    if (!call.isSettled) await clearCall(run, call);
  });
}

/** Takes one call of the budget, or gives the stop that its limit makes: one that had begun has its place. */
function placeOf(run: RunState, { progress }: ToolCall): Stop | undefined {
  if (progress === undefined || !hasBegun(progress)) return limitStop(run);
  run.budget.takeCallAgain();
  return undefined;
}

function stopCall(call: ToolCall, why: Stop): void {
  call.stoppedBy = why;
  call.end('not-started', `not-started: ${why.text}`, why.text);
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
  if (call.isTold) return;
  if (call.wrap !== undefined) await call.wrap.finish();
  else if (!call.isSettled && call.raw !== undefined) await settled(run, call, () => settleResult(run, call));
  const last = inHand(call);
  if (last.waiting === undefined && !last.isLeft) await settled(run, last, () => tellEnd(run, last));
}
