/** The tool calls of one answer: each gets exactly one result, in source order, whatever happens. */
import { adopt, append } from '@treblehook/core';
import type { CallOrigin, LLMRequest, ToolResultPart } from '@treblehook/types';
import type { Answer, ModelToolCall } from './answer.js';
import { prepareCall } from './before-tool.js';
import { Clearance } from './clearance.js';
import { executeCall } from './execute.js';
import { assertGoesOn } from './fire-step.js';
import { Aborted } from './run-abort.js';
import { vetoed, type Ending, type RunState } from './run-state.js';
import { ToolCall } from './tool-call.js';
import { tellEnd } from './tool-end.js';
import { askGuards } from './tool-policy.js';
import { cutMiddle } from './tool-result.js';

/** Why no further call of a batch starts. */
interface Stop {
  readonly ending: Ending;
  /** What the calls that did not start say. */
  readonly text: string;
}

/** Runs the calls and appends their results. Leaves the ending on the run when one of them, or `given`, ends it. */
export async function runBatch(run: RunState, { calls }: Answer, { tools }: LLMRequest, given?: Stop): Promise<void> {
  const size = calls.length;
  const batch = { id: run.config.ids('batch'), size, names: adopt(calls.map(({ name }) => name)) };
  const results: ToolResultPart[] = [];
  let stop = given;
  let room = run.config.maxResultChars;
  let denied = 0;
  for (const [index, asked] of calls.entries()) {
    const call = new ToolCall(asked, originOf(asked, { ...batch, index }));
    const { callId } = call.origin;
    const { name } = call;
    run.emit({ type: 'tool-call', turn: run.turn, callId, name, args: asked.args });
    stop ??= limitStop(run);
    if (stop !== undefined) call.end('not-started', `not-started: ${stop.text}`, stop.text);
    else await settleCall(run, call, tools);
    await tellEnd(run, call);
    if (call.outcome === 'denied') denied++;
    stop ??= stopOf(call);
    const { output, isError } = call.result!;
    const cut = cutMiddle(output, Math.floor(room / (size - index)));
    room -= Math.min(room, cut.length);
    append(results, adopt({ type: 'tool-result', callId, name, output: cut, isError }));
  }
  run.append({ role: 'tool', content: adopt(results) });
  run.budget.countStep(denied === size);
  if (stop !== undefined) run.ending = stop.ending;
}

const originOf = ({ callId }: ModelToolCall, batch: CallOrigin['batch']): CallOrigin =>
  adopt({ callId, attempt: 1, batch: adopt(batch) });

function limitStop(run: RunState): Stop | undefined {
  if (run.abort.isAborted) return undefined;
  const limit = run.budget.takeCall();
  return limit && { ending: { status: 'incomplete', limit }, text: `the run has reached its limit '${limit}'` };
}

/** A denial that says `halt`, and a fault of the loop's own, end the run behind the call. */
function stopOf(call: ToolCall): Stop | undefined {
  if (call.fatal !== undefined) {
    return { ending: { status: 'failed', error: call.fatal.error }, text: 'the run has failed before' };
  }
  if (call.verdict?.halt !== true || call.outcome !== 'denied') return undefined;
  const { reason: text = '', by } = call;
  return { ending: vetoed(text, by), text: `'${by ?? 'a guard'}' has ended the run` };
}

/** Guards that change each time they are asked would be asked for ever. */
const maxRounds = 3;

/** One call, up to its outcome. Never throws: the call is over when it resolves. */
async function settleCall(run: RunState, call: ToolCall, tools: LLMRequest['tools']): Promise<void> {
  try {
    assertGoesOn(run);
    await prepareCall(run, call, tools);
    for (let round = 1; !call.isOver && round <= maxRounds; round++) {
      assertGoesOn(run);
      await askGuards(run, call);
      if (call.isOver) return;
      assertGoesOn(run);
      const generation = run.caller.generation('toolPolicy');
      if (Clearance.isCurrent(call.clearance!, generation)) await executeCall(run, call, generation);
    }
    if (!call.isOver)
      call.deny('denied: the guards changed each time they were asked', 'the guards keep changing', undefined);
  } catch (error) {
    if (error instanceof Aborted || run.abort.isAborted) {
      if (!call.isOver)
        call.end('cancelled', `cancelled: the run was aborted before '${call.name}' started`, 'aborted');
      return;
    }
    call.fatal = { error };
    if (!call.isOver) call.end('error', `'${call.name}' has no result: the run has failed`, 'failed');
  }
}
