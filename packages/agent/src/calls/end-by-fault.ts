/** The end of a call by a handler that has failed on it. */
import { isHookError } from '@treblehook/types';
import type { ToolCall } from './tool-call.js';

/**
 * A handler whose failure has rejected a fire about one call: that call gets an error result that names it, and nothing
 * of its error's text. What is no handler's is thrown on.
 */
export function endByFault(call: ToolCall, error: unknown, hook: string, then: string): void {
  if (!isHookError(error) || error.handlerId === undefined) throw error;
  call.end('error', `the hook '${error.handlerId}' failed on ${hook}: ${then}`, error.message, error.handlerId);
}
