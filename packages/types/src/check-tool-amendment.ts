/** The `check` of `beforeTool` and `afterTool`: a result in an amendment must be one. */
import { ownFields } from './own-fields.js';
import { requestFault } from './request-fault.js';
import type { Pending } from './request.js';
import type { ToolResult } from './tool.js';
import { toolResultFault } from './tool-result-fault.js';
import { unknownResultKey } from './unknown-key.js';

/** As the other, for a point where a stage may also make the call wait. */
export function checkCallAmendment(
  payload: unknown,
  amendment: { readonly result?: Partial<ToolResult> | Pending | null },
): string | undefined {
  const { result } = ownFields(amendment);
  if (typeof result === 'object' && result !== null && Object.hasOwn(result, 'pending')) {
    const fault = requestFault((result as Pending).pending);
    return fault === undefined ? undefined : `what it waits for ${fault}`;
  }
  return checkToolAmendment(payload, amendment as { readonly result?: Partial<ToolResult> | null });
}

export function checkToolAmendment(
  _payload: unknown,
  amendment: { readonly result?: Partial<ToolResult> | null },
): string | undefined {
  const { result } = ownFields(amendment);
  if (result === undefined || result === null) return undefined;
  const fault = toolResultFault(ownFields(result));
  return fault === undefined ? unknownResultKey(result) : `its result is none: ${fault}`;
}
