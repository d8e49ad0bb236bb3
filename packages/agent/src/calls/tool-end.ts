/** The outcome of a call is told, whatever it is. */
import { adopt, append } from '@treblehook/core';
import {
  ownFields,
  type AgentHooks,
  type JsonValue,
  type Request,
  type ToolEnd,
  type ToolResult,
} from '@treblehook/types';
import type { Config } from '../config.js';
import { tellOf, type Tells } from '../run/grace.js';
import type { RunState } from '../run/run-state.js';
import type { RegisteredTool } from '../door/registered-tool.js';
import type { ToolCall } from './tool-call.js';

/** Made durable first; told also when that fails: it has happened. A run that has left its session tells nothing more. */
export async function tellEnd(run: RunState, call: ToolCall): Promise<void> {
  if (run.hasLeft) return;
  const { name, ms, args, origin } = call;
  const outcome = call.outcome!;
  const result = call.result!;
  const record = call.record();
  call.isTold = true;
  const { callId } = origin;
  const halt = call.verdict?.halt === true && outcome === 'denied';
  try {
    await run.write({
      type: 'outcome',
      ...call.logged(run.id),
      name,
      args,
      outcome,
      result,
      ms,
      record,
      ...(call.spent === undefined ? {} : { spent: call.spent }),
      ...(halt ? { halt } : {}),
      ...(call.isOfAttempt ? { ofAttempt: true } : {}),
    });
  } finally {
    run.emit({ type: 'tool-end', turn: run.turn, callId, name, outcome, result, ms });
    const { output, isError } = result;
    append(run.toolCalls, adopt({ id: callId, name, args, output, isError, outcome }));
    await tell(run, call.tool, call.args, { origin: run.origin, ...origin, name, outcome, result, ms, record });
    const { attempt } = origin;
    run.measure(() => ({ type: 'tool', origin: run.origin, ms, callId, attempt, name, status: outcome, record }));
  }
}

/** The call waits for an answer: told, with no result in the history. */
export async function tellSuspended(run: RunState, call: ToolCall): Promise<void> {
  const { name, ms, origin } = call;
  const outcome = 'suspended';
  const result = suspendedResult(call.waiting);
  run.emit({ type: 'tool-end', turn: run.turn, callId: origin.callId, name, outcome, result, ms });
  await tell(run, call.tool, call.args, {
    origin: run.origin,
    ...origin,
    name,
    outcome,
    result,
    ms,
    record: call.record(outcome),
  });
}

/** Without a request: the run is suspended, and the call goes on with it. */
export const suspendedResult = (waiting: Request | undefined): ToolResult => {
  const what = waiting === undefined ? 'it goes on with its run' : `it waits for an answer to: ${waiting.prompt}`;
  return adopt({ output: `suspended: ${what}`, isError: false });
};

/** A call of an earlier run that was left open: its end is durable, and `args` are those that it was asked with. */
export function tellAbandoned(by: Teller, end: ToolEnd, args: JsonValue): Promise<void> {
  const tool = by.config.toolbox.offered.find(({ name }) => name === end.name);
  return tell(by, tool, args, end);
}

type Teller = Tells<AgentHooks> & { readonly config: Config };

async function tell(by: Teller, tool: RegisteredTool | undefined, args: JsonValue, end: ToolEnd): Promise<void> {
  await tellOf(by, 'toolEnd', end);
  for (const path of pathsOf(tool, args)) {
    await tellOf(by, 'toolEndWithPath', { ...end, path, cwd: by.config.cwd! });
  }
}

/** The path arguments that the call has: a text, or each text of a list. */
function pathsOf(tool: RegisteredTool | undefined, args: JsonValue): string[] {
  if (tool === undefined || tool.paths.length === 0) return [];
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  const paths: string[] = [];
  for (const name of tool.paths) {
    const value = (ownFields(args) as { readonly [key: string]: JsonValue | undefined })[name];
    for (const path of Array.isArray(value) ? (value as readonly JsonValue[]) : [value]) {
      if (typeof path === 'string') append(paths, path);
    }
  }
  return paths;
}
