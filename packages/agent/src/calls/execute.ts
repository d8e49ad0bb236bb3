/** A cleared call runs: its body, behind it the stages that amend its result. */
import { putRequest, requestOf } from './ask.js';
import { BodyRun, type Held } from './body-run.js';
import { endByFault } from './end-by-fault.js';
import { digestOf } from '../door/canonical.js';
import { Clearance } from '../door/clearance.js';
import { assertGoesOn, type Step } from '../run/fire-step.js';
import { stepWithinGrace } from '../run/grace.js';
import type { RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';
import { contextOf } from './tool-context.js';
import { clearCall } from './clear-call.js';
import { errorResult, resultOf } from '../door/tool-result.js';

/** Guards that change each time they are asked would be asked for ever; so would a body that always waits. */
const maxRounds = 3;
const maxSuspensions = 10;

/** Why nobody knows what a body has done that was begun, and has not stopped. */
export const mayStillRun = 'may still be running';

/** Takes a call with a clearance to its raw result; leaves it with that, waiting, or over. */
export async function executeCall(run: RunState, call: ToolCall): Promise<void> {
  for (let suspensions = 0, round = 1; ;) {
    await clearCall(run, call);
    if (call.isSettled) return;
    assertGoesOn(run);
    const generation = run.caller.generation('toolPolicy');
    if (!isStanding(run, call, generation)) {
      call.isStartLost = call.isStartLogged;
      if (++round > maxRounds) {
        return call.deny('denied: the guards changed each time they were asked', 'the guards keep changing', undefined);
      }
      continue;
    }
    if (call.supplied === undefined && (!call.isStartLogged || call.isStartLost)) {
      await logStart(run, call);
      continue; // time has passed, and others may have run: all is looked at again
    }
    const held = await runBody(run, call, generation);
    const request = call.surfaced ?? (held === undefined ? undefined : requestOf(run, held));
    call.surfaced = undefined;
    if (request === undefined) return;
    if (!call.tool!.isRun && ++suspensions > maxSuspensions) {
      call.raw = errorResult(`'${call.name}' waits for one answer after another: it was stopped`);
      return;
    }
    await putRequest(run, call, 'tool', request);
    round = 1;
  }
}

function logStart(run: RunState, call: ToolCall): void | Promise<void> {
  const { isStartLost } = call;
  call.isStartLogged = true;
  call.isStartLost = false;
  call.spent = undefined; // from here on it is of the child of these arguments
  const { tool, args, digest } = call.sealed!;
  return run.write({
    type: 'started',
    ...call.logged(run.id),
    sealed: { tool, args, digest },
    cleared: call.cleared(),
    ...(isStartLost ? { anew: true } : {}),
  });
}

/** Whether the clearance is still worth what it says; one that is not is dropped. */
function isStanding(run: RunState, call: ToolCall, generation: number): boolean {
  const { grants, config } = run;
  const isCurrent =
    Clearance.isCurrent(call.clearance!, generation) &&
    !call.hasLostGrant((id) => grants.isInForce(id, config.clock.date()));
  if (!isCurrent) call.clearance = undefined;
  return isCurrent;
}

/**
 * The body starts before this returns: nothing comes between the look at `generation` and the body. Gives what the body
 * waits for, if it does.
 */
export async function runBody(run: RunState, call: ToolCall, generation: number): Promise<Held | undefined> {
  const { clearance } = call;
  call.clearance = undefined;
  if (call.supplied !== undefined) {
    Clearance.spend(clearance, call.tool!, generation);
    call.by = call.suppliedBy;
    call.raw = call.supplied;
    return undefined;
  }
  const ctx = contextOf(run, call);
  if (call.tool!.isRun) run.config.tasks!.attach(ctx, run, call);
  const body = new BodyRun(run, call);
  call.running = ctx;
  call.hasBegun = true;
  call.isInBody = true;
  body.start(() => call.tool!.run(clearance!, generation, ctx));
  if (!body.isOver) await body.settled();
  call.running = undefined;
  // a body is over when the calls are that it has made, awaited or not
  while (call.nested.size > 0) await Promise.all(call.nested);
  if (call.surfaced !== undefined || call.isLeft) call.raw = undefined; // its child goes on later
  if (!body.isOver) {
    const text = 'it did not stop when the run was aborted and may still be running; what it has done is not known';
    call.end('outcome-unknown', `'${call.name}': ${text}`, mayStillRun);
  }
  return body.held;
}

/** The raw result as the stages of `afterTool` leave it: the call is over. */
export async function settleResult(run: RunState, call: ToolCall): Promise<void> {
  const { name, args, ms } = call;
  const raw = call.raw!;
  call.rawDigest = digestOf({ ...raw });
  let step: Step<'afterTool'>;
  try {
    const payload = { origin: run.origin, ...call.origin, name, args, result: raw, ms };
    step = await stepWithinGrace(run, 'afterTool', payload);
  } catch (error) {
    call.isWithheld = true;
    endByFault(call, error, 'afterTool', 'the tool has run, its result is withheld');
    return;
  }
  const { result } = step.amended;
  call.settle(result === undefined ? raw : resultOf(result, 'a hook'));
  if (call.wasCancelled) call.outcome = 'cancelled';
}
