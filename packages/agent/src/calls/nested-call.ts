/** A call that the body of another one makes: the same steps, and no place in the history. */
import { adopt } from '@treblehook/core';
import { HookError, type JsonValue, type ToolResult } from '@treblehook/types';
import type { Stop } from './calls.js';
import { settleGroup } from './group.js';
import type { RunState } from '../run/run-state.js';
import { sealedArgs } from '../door/seal.js';
import { ToolCall } from './tool-call.js';

/** Bodies that call one another without end are stopped here. */
const maxNesting = 16;

/** Called while the body of `parent` runs. Rejects with `TH_ARGS_INVALID`, also for a name that is no text. */
export async function nestedCall(run: RunState, parent: ToolCall, name: string, given: JsonValue): Promise<ToolResult> {
  assertName(parent, name);
  const args = sealedArgs(name, given);
  const { ids, toolbox } = run.config;
  const tool = toolbox.offered.find((one) => one.name === name);
  const batch = adopt({ id: ids('batch'), index: 0, size: 1, names: adopt([name]) });
  const origin = adopt({ callId: ids('call'), attempt: 1, batch });
  const call = new ToolCall({ name, tool, args, fault: undefined }, origin, parent);
  const isTooDeep = depthOf(call) > maxNesting;
  const stops: { stop: Stop | undefined } = { stop: isTooDeep ? tooDeep : run.stop };
  const group = [call];
  const done = settleGroup(run, group, run.offered, stops);
  parent.nested.add(done);
  try {
    await done;
  } finally {
    parent.nested.delete(done);
  }
  if (!isTooDeep) parent.stoppedBy ??= run.stop ??= stops.stop;
  return group[0]!.result!;
}

/** What is logged of the call has a name: a log without one is no log. */
function assertName(parent: ToolCall, name: unknown): void {
  if (typeof name === 'string') return;
  const given = name === null ? 'null' : typeof name === 'number' ? `the number ${name}` : `of type ${typeof name}`;
  const what = `the body of '${parent.name}' gave a name that is ${given}: name the tool by a text`;
  throw new HookError('TH_ARGS_INVALID', { tool: 'ctx.callTool', what });
}

const tooDeep: Stop = Object.freeze({
  ending: Object.freeze({ status: 'incomplete', limit: 'toolCalls' } as const),
  text: 'tools call one another too deep',
});

function depthOf(call: ToolCall): number {
  let depth = 0;
  for (let at = call.parent; at !== undefined; at = at.parent) depth++;
  return depth;
}
