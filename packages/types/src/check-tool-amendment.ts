/** The `check` of `beforeTool` and `afterTool`: a result in an amendment must be one. */
import { ownFields } from './setting.js';
import type { ToolResult } from './tool.js';

export function checkToolAmendment(
  _payload: unknown,
  amendment: { readonly result?: Partial<ToolResult> | null },
): string | undefined {
  const { result } = ownFields(amendment);
  if (result === undefined || result === null) return undefined;
  const { output, isError, metadata } = ownFields(result);
  if (typeof output !== 'string') return "its result has no text 'output'";
  if (typeof isError !== 'boolean') return "its result does not say 'isError': true or false";
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    return "the 'metadata' of its result is no object";
  }
  return undefined;
}
