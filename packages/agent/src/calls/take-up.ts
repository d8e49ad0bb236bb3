/** A call of a run that its log has left open: what is known of it, and how it goes on. */
import { frozen } from '@treblehook/core';
import type { LoggedSeal, Spent } from '@treblehook/types';
import { awaitAnswer, declined } from './ask.js';
import { takeAnswer } from './take-answer.js';
import { haltOf } from './call-step.js';
import { callsOf, type Batch } from './calls.js';
import type { Config } from '../config.js';
import type { RunState } from '../run/run-state.js';
import { seal } from '../door/seal.js';
import type { ToolCall } from './tool-call.js';
import { resultOf } from '../door/tool-result.js';
import { childIdOf, spentByChild, taskOf } from '../session/child-log.js';
import { type OpenRun } from '../session/open-run.js';
import { hasBegun, isBetween, sealedIn, type CallProgress, type OpenBatch } from '../session/call-progress.js';

/** The calls as the log knows them: those that are over as they ended, the others with what there is to take up. */
export function batchOf(run: RunState, { answer, calls }: OpenBatch, wasPending: boolean): Batch {
  const { offered: registered } = run.config.toolbox;
  const asked = calls.map(({ call: { callId, name, args, fault } }) => ({
    callId,
    name,
    args,
    fault,
    tool: registered.find((tool) => tool.name === name),
  }));
  const taken = callsOf(run, asked, (at) => (calls[at]!.earlier?.attempt ?? 0) + 1);
  for (const [at, call] of taken.entries()) {
    const { outcome } = calls[at]!;
    call.progress = { ...calls[at]!, wasPending };
    if (outcome === undefined) continue;
    call.outcome = outcome.outcome;
    call.result = frozen(outcome.result);
    call.args = outcome.args;
    call.isTold = true;
  }
  const halted = calls.find(({ outcome }) => outcome?.halt === true)?.outcome;
  return { calls: taken, offered: answer.offered ?? [], stop: halted && haltOf(halted.record) };
}

/**
 * What the children of its tasks have used counts before the run goes on, whatever becomes of those tasks: one that waits
 * for longer, that is denied now, that a body had given, or that other arguments have replaced, has used it all the same.
 */
export async function countChildren(run: RunState, { tasks }: OpenRun, calls: readonly ToolCall[]): Promise<void> {
  const { config, sessionId, budget } = run;
  const pricesOf = (agent: string): Config['prices'] => config.tasks?.pricesOf(agent) ?? config.prices;
  for (const given of tasks.left()) {
    let spent: Spent | undefined;
    try {
      spent = await spentByChild(config, sessionId, given, pricesOf);
    } catch {
      // swallows a log that cannot be read: its task says so when it goes on
    }
    if (spent === undefined) continue;
    const share = budget.shareOf(childIdOf(taskOf(sessionId, given)));
    share.reach(spent);
    const call = calls.find(({ origin, isTold }) => origin.callId === given.callId && !isTold);
    if (call !== undefined && tasks.isLast(given)) call.spent = share.counted;
  }
}

/** It was to be attempted anew, and nothing is known of that: what it has come to stands, whatever stops the calls behind. */
export function standsAsAttempted(call: ToolCall): boolean {
  const { progress } = call;
  if (progress === undefined || !isBetween(progress)) return false;
  const { outcome, result, record } = progress.earlier!;
  call.outcome = outcome;
  call.args = progress.earlier!.args;
  call.result = frozen(result);
  call.rawDigest = record.rawDigest;
  call.reason = 'the run was left before it was attempted anew';
  call.isOfAttempt = true;
  return true;
}

/** What its log knows of its arguments, whatever becomes of it. */
export function sealAsLogged(call: ToolCall): void {
  const sealed = call.progress && sealedIn(call.progress);
  if (sealed === undefined) return;
  call.sealed = frozen(sealed);
  call.args = call.sealed.args;
}

/**
 * What is certain of a call without another look, whatever stops the calls behind: its body had started, so nobody knows
 * what it has done; or nothing has happened. Nothing is run again by itself.
 */
export function endsWithItsProcess(run: RunState, call: ToolCall): boolean {
  const { name, progress } = call;
  if (progress === undefined) return false;
  if (progress.started !== undefined && !progress.isUnbegun && call.tool?.isRun !== true) {
    run.budget.takeCallAgain();
    const text = `'${name}' was running when its process ended; what it has done is not known`;
    call.end('outcome-unknown', text, 'the process ended');
    return true;
  }
  if (hasBegun(progress) || progress.wasPending) return false;
  call.end('not-started', `not-started: the process ended before '${name}' began`, 'the process ended');
  return true;
}

/** An open call that waits for an answer, or has one. A task goes on with its child. */
export async function takeUp(run: RunState, call: ToolCall, progress: CallProgress): Promise<void> {
  const { started, requests, isUnbegun } = progress;
  const { name } = call;
  const last = requests.at(-1) ?? (started === undefined ? undefined : { sealed: started });
  if (last === undefined) return; // of a later group: it goes on as it would have
  if (call.tool?.identity.digest !== last.sealed.tool.digest || call.tool.identity.source !== last.sealed.tool.source) {
    return call.end(
      'error',
      `'${name}' is another tool than the one that was asked about: call it anew`,
      'the tool has changed',
    );
  }
  call.asked = requests.filter(({ by }) => by === 'guards').length;
  for (const { by, request, sealed, supplied, answer: given, edited } of requests) {
    if (!takeSeal(call, sealed)) {
      return call.end('error', `'${name}' has other arguments in the log than were asked about`, 'the log was altered');
    }
    call.supplied = supplied && resultOf(supplied.result, 'a stage');
    call.suppliedBy = supplied?.by;
    const isExpired = request.expiresAt !== undefined && request.expiresAt <= run.config.clock.date();
    const answer = given ?? (isExpired ? declined(request, 'it has expired') : undefined);
    if (answer === undefined) await awaitAnswer(run, call, by, request);
    else await takeAnswer(run, call, by, request, answer, edited);
    if (call.isSettled) return;
  }
  // a task's child has a log of its own, from which it goes on
  if (started !== undefined && !takeSeal(call, started)) {
    return call.end(
      'error',
      `'${name}' has other arguments in the log than it was started with`,
      'the log was altered',
    );
  }
  if (isUnbegun) call.isStartLogged = call.isStartLost = true; // it is started anew
}

/** Says whether the arguments are those that the digest names. */
function takeSeal(call: ToolCall, logged: LoggedSeal): boolean {
  call.sealed = frozen(logged);
  call.args = call.sealed.args;
  return seal(call.tool!.identity, call.args).digest === logged.digest;
}
