/** The guards are asked about a sealed call; a verdict without an open ask becomes a clearance. */
import { approvalRequest, putRequest } from './ask.js';
import { Clearance } from '../door/clearance.js';
import { assertGoesOn } from '../run/fire-step.js';
import { grantFor, shownAsk } from './grants.js';
import type { RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';

/** Of one call; asks that are new each time would be put for ever. */
const maxAsked = 2;
/** The same call, refused so often, is not put again. */
const maxRejections = 2;

/** Leaves the call with a clearance, waiting for an answer, or over. */
export async function clearCall(run: RunState, call: ToolCall): Promise<void> {
  while (!call.isSettled && call.clearance === undefined) {
    assertGoesOn(run);
    await askGuards(run, call);
    if (call.openAsks.length > 0) await settleAsks(run, call);
  }
}

/**
 * Asks the guards once. Leaves the call with a clearance, with open asks, or over. Whoever goes on looks again whether the
 * guard plan is still the one that answered: between an answer and its reading others may run.
 */
async function askGuards(run: RunState, call: ToolCall): Promise<void> {
  const { args, digest } = call.sealed!;
  const verdict = await run.caller.fireClaiming('toolPolicy', {
    origin: run.origin,
    ...call.origin,
    tool: call.tool!.guarded,
    args,
    digest,
    supplied: call.supplied !== undefined,
  });
  call.verdict = verdict;
  call.openAsks = [];
  const { decision, reason = '', by, rule, asks } = verdict;
  if (decision === 'deny') {
    const where = rule === undefined ? '' : ` (rule '${rule}')`;
    return call.deny(`denied by '${by?.id ?? 'a guard'}'${where}: ${reason}`, reason, by);
  }
  if (decision === 'ask') {
    call.openAsks = asks.filter((ask) => {
      if (call.isGranted(ask)) return false;
      const grant = grantFor(run.grants.inForce(run.config.clock.date()), call.sealed!, ask);
      if (grant === undefined) return true;
      call.grant(shownAsk(ask), { grant: grant.id });
      call.restsOn(grant.id);
      return false;
    });
    if (call.openAsks.length > 0) return;
  }
  call.clearance = Clearance.of(call.tool!, call.sealed!, verdict, {
    isUnguarded: run.config.unguarded !== undefined,
    isGranted: (ask) => call.isGranted(ask),
  });
  if (call.clearance === undefined) call.deny('denied: no guard was asked', 'no guard was asked', undefined);
}

/** Puts the open asks as one request; leaves the call over, waiting, or with asks that are granted. */
async function settleAsks(run: RunState, call: ToolCall): Promise<void> {
  const { openAsks: asks } = call;
  const first = asks[0]!.by;
  const questions = asks.map((one) => `'${one.by.id}' asks: ${one.ask}`).join('; ');
  if (run.config.onAsk === 'deny') {
    const text = `denied: ${questions}; nobody can be asked here`;
    return call.deny(text, 'nobody can be asked here', first);
  }
  if (run.rejectionsOf(call.sealed!.digest) >= maxRejections) {
    return call.deny(
      'denied: this very call was refused twice before, it is not asked for again',
      'refused twice',
      first,
    );
  }
  if (call.asked >= maxAsked) {
    return call.deny(`denied: the guards asked anew each time: ${questions}`, 'the guards keep asking', first);
  }
  call.asked++;
  await putRequest(run, call, 'guards', approvalRequest(run, call, asks));
}
