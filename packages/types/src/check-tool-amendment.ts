/** The `check` of `beforeTool` and `afterTool`: a result in an amendment must be one. */
import { ownFields } from './own-fields.js';
import type { ToolResult } from './tool.js';
import { toolResultFault } from './tool-result-fault.js';

export function checkToolAmendment(
  _payload: unknown,
  amendment: { readonly result?: Partial<ToolResult> | null },
): string | undefined {
  const { result } = ownFields(amendment);
  if (result === undefined || result === null) return undefined;
  const fault = toolResultFault(ownFields(result));
  return fault && `its result is none: ${fault}`;
}
