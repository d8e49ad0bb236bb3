/** What makes an answer no tool result. */
import type { ToolResult } from './tool.js';

/** `undefined` for a result. `answer` shows what counts of it: its own fields, or those that its class gives it. */
export function toolResultFault(answer: { readonly [K in keyof ToolResult]?: unknown }): string | undefined {
  const { output, isError, metadata } = answer;
  if (typeof output !== 'string') return "its 'output' is no text";
  if (typeof isError !== 'boolean') return "its 'isError' is neither true nor false";
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    return "its 'metadata' is no object";
  }
  return undefined;
}
