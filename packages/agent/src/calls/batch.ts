/** The tool calls of one answer: each gets exactly one result, in source order, whatever happens. */
import { adopt, append, frozen } from '@treblehook/core';
import type { Request, ToolResultPart } from '@treblehook/types';
import type { Batch } from './calls.js';
import { settleGroup } from './group.js';
import { Aborted } from '../run/run-abort.js';
import type { RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';
import { tellEnd, tellSuspended } from './tool-end.js';
import { cutMiddle } from '../door/tool-result.js';

/**
 * Runs the calls, group by group, and appends their results. Leaves the ending on the run when one of them, or the stop,
 * ends it; calls that wait for an answer end it `pending`, and then no results are appended.
 */
export async function runBatch(run: RunState, { calls, offered, stop: given }: Batch): Promise<void> {
  run.offered = offered;
  const stops = { stop: given };
  for (let at = 0; at < calls.length;) {
    const group = calls.slice(at, at + groupSize(calls, at));
    await settleGroup(run, group, offered, stops);
    for (const call of group) calls[at++] = call;
    const waiting = group.filter((call) => call.waiting !== undefined);
    if (group.some((call) => call.isLeft)) {
      for (const call of group) if (isUnbegun(call)) run.unbegun.add(call.origin.callId);
      for (const call of calls) for (const request of openRequests(call)) run.asking.add(request);
      throw new Aborted();
    }
    if (waiting.length === 0) continue;
    if (stops.stop !== undefined) {
      // a run that ends waits for nobody
      for (const call of waiting) {
        call.end('cancelled', `cancelled: ${stops.stop.text}`, stops.stop.text);
        await tellEnd(run, call);
      }
      continue;
    }
    for (const call of waiting) await tellSuspended(run, call);
    run.ending = { status: 'pending', pending: frozen(waiting.map((call): Request => call.waiting!)) };
    return;
  }
  await run.record({ role: 'tool', content: adopt(resultParts(run, calls)) });
  run.isBatchClosed = true;
  run.budget.countStep(calls.every(({ outcome }) => outcome === 'denied'));
  if (stops.stop !== undefined) run.ending = stops.stop.ending;
}

/** Its log has its start, and would take it for one in flight. A task goes on with its child in any case. */
const isUnbegun = ({ isLeft, isStartLogged, isInBody, tool }: ToolCall): boolean =>
  isLeft && isStartLogged && !isInBody && tool?.isRun !== true;

/** What a call of a suspended run waits for, as far as the log knows. */
function openRequests({ waiting, isLeft, progress }: ToolCall): readonly Request[] {
  if (waiting !== undefined) return [waiting];
  if (!isLeft) return [];
  return (progress?.requests ?? []).filter(({ answer }) => answer === undefined).map(({ request }) => request);
}

/** How many calls from `at` on form a group: neighbours that are safe beside one another, or one alone. */
function groupSize(calls: readonly ToolCall[], at: number): number {
  let size = 0;
  while (at + size < calls.length && isSafe(calls[at + size]!)) size++;
  return Math.max(size, 1);
}

/** By the model's arguments; `settleGroup` looks again at those that were sealed. */
const isSafe = ({ tool, args }: ToolCall): boolean => tool?.isSafe(args) === true;

/** What the model reads: results too long together are cut, those in front first. */
function resultParts(run: RunState, calls: readonly ToolCall[]): ToolResultPart[] {
  const parts: ToolResultPart[] = [];
  let room = run.config.maxResultChars;
  for (const [index, { name, origin, result }] of calls.entries()) {
    const { output, isError } = result!;
    const cut = cutMiddle(output, Math.floor(room / (calls.length - index)));
    room -= Math.min(room, cut.length);
    append(parts, adopt({ type: 'tool-result', callId: origin.callId, name, output: cut, isError }));
  }
  return parts;
}
