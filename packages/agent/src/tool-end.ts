/** The outcome of a call is told, whatever it is. */
import { ownFields, type JsonValue, type ToolEnd } from '@treblehook/types';
import { adopt, append } from '@treblehook/core';
import type { RunState } from './run-state.js';
import type { ToolCall } from './tool-call.js';

export async function tellEnd(run: RunState, call: ToolCall): Promise<void> {
  const { name, ms } = call;
  const outcome = call.outcome!;
  const result = call.result!;
  run.emit({ type: 'tool-end', turn: run.turn, callId: call.origin.callId, name, outcome, result, ms });
  const { output, isError } = result;
  append(run.toolCalls, adopt({ id: call.origin.callId, name, args: call.args, output, isError, outcome }));
  const end: ToolEnd = { origin: run.origin, ...call.origin, name, outcome, result, ms, record: call.record() };
  await run.closing.fireVoid('toolEnd', end);
  for (const path of pathsOf(call)) {
    await run.closing.fireVoid('toolEndWithPath', { ...end, path, cwd: run.config.cwd! });
  }
}

/** The path arguments that the call has: a text, or each text of a list. */
function pathsOf({ tool, args }: ToolCall): string[] {
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
