/** A call that the body of another one makes: the same steps, and no place in the history. */
import { adopt } from '@treblehook/core';
import { HookError, type JsonValue, type ToolResult } from '@treblehook/types';
import { settleGroup } from './group.js';
import type { RunState } from './run-state.js';
import { sealedArgs } from './seal.js';
import { ToolCall } from './tool-call.js';

/** Bodies that call one another without end are stopped here. */
const maxDepth = 16;

/** Rejects with `TH_ARGS_INVALID`, and with `TH_DISPOSED` when the body is over. */
export async function nestedCall(run: RunState, parent: ToolCall, name: string, given: JsonValue): Promise<ToolResult> {
  if (parent.isOver || parent.raw !== undefined) {
    const what = `the ctx of a call of '${parent.name}'`;
    throw new HookError('TH_DISPOSED', { what, mend: 'call other tools before the body ends' });
  }
  const args = sealedArgs(String(name), given);
  const { ids, toolbox } = run.config;
  const tool = toolbox.offered.find((one) => one.name === name);
  const batch = adopt({ id: ids('batch'), index: 0, size: 1, names: adopt([name]) });
  const origin = adopt({ callId: ids('call'), attempt: 1, batch });
  const call = new ToolCall({ name, tool, args, fault: undefined }, origin, parent);
  const stop = depthOf(call) > maxDepth ? { ending: tooDeep, text: 'tools call one another too deep' } : undefined;
  const behind = await settleGroup(run, [call], toolbox.toolSet, stop);
  if (stop === undefined) parent.stoppedBy ??= behind;
  parent.fatal ??= call.fatal;
  return call.result!;
}

const tooDeep = Object.freeze({ status: 'incomplete', limit: 'toolCalls' } as const);

function depthOf(call: ToolCall): number {
  let depth = 0;
  for (let at = call.parent; at !== undefined; at = at.parent) depth++;
  return depth;
}
