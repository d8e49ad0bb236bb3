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

/** Rejects with `TH_ARGS_INVALID`, and with `TH_DISPOSED` while the body does not run. */
export async function nestedCall(run: RunState, parent: ToolCall, name: string, given: JsonValue): Promise<ToolResult> {
  if (!parent.isRunning) {
    const what = `the ctx of a call of '${parent.name}'`;
    throw new HookError('TH_DISPOSED', { what, mend: 'call other tools while the body runs' });
  }
  const args = sealedArgs(String(name), given);
  const { ids, toolbox } = run.config;
  const tool = toolbox.offered.find((one) => one.name === name);
  const batch = adopt({ id: ids('batch'), index: 0, size: 1, names: adopt([name]) });
  const origin = adopt({ callId: ids('call'), attempt: 1, batch });
  const call = new ToolCall({ name, tool, args, fault: undefined }, origin, parent);
  const isTooDeep = depthOf(call) > maxNesting;
  const stops: { stop: Stop | undefined } = { stop: isTooDeep ? tooDeep : run.stop };
  const offered = run.request?.tools.map((one) => one.name) ?? toolbox.toolSet;
  const group = [call];
  const done = settleGroup(run, group, offered, stops);
  parent.nested.add(done);
  try {
    await done;
  } finally {
    parent.nested.delete(done);
  }
  if (!isTooDeep) parent.stoppedBy ??= run.stop ??= stops.stop;
  return group[0]!.result!;
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
