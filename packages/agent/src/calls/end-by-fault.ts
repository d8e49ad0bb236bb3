/** The end of a call by a handler that has failed on it. */
import { isHookError } from '@treblehook/types';
import type { ToolCall } from './tool-call.js';

/** Whom a call names in place of its result. */
export interface Fault {
  /** The handler's id. */
  readonly by: string;
  /** What the model reads: nothing of the handler's own error. */
  readonly text: string;
  /** For the record. */
  readonly reason: string;
}

export const faultText = (by: string, hook: string, then: string): string =>
  `the hook '${by}' failed on ${hook}: ${then}`;

/** A handler whose failure has rejected a fire about one call. What is no handler's is thrown on. */
export function handlerFault(error: unknown, hook: string, then: string): Fault {
  if (!isHookError(error) || error.handlerId === undefined) throw error;
  return {
    by: error.handlerId,
    text: faultText(error.handlerId, hook, then),
    reason: error.message,
  };
}

/** That call gets an error result that names the handler. What is no handler's is thrown on. */
export function endByFault(call: ToolCall, error: unknown, hook: string, then: string): void {
  const { by, text, reason } = handlerFault(error, hook, then);
  call.end('error', text, reason, by);
}
