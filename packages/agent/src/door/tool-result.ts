/** Tool results: reading what a body or a hook answered, and cutting what is too long for the model. */
import { adopt } from '@treblehook/core';
import {
  ownFields,
  requestFault,
  textOf,
  toolResultFault,
  type JsonObject,
  type Pending,
  type ToolResult,
} from '@treblehook/types';
import { memberOf } from '../run/shared-prototypes.js';
import { plainJson } from './plain-json.js';

export const errorResult = (output: string): ToolResult => adopt({ output, isError: true });

/** The answer as a frozen result. One that is no result becomes an error result that says so. */
export function resultOf(answer: unknown, who: string): ToolResult {
  if (typeof answer === 'string') return adopt({ output: answer, isError: false });
  const refuse = (what: string): ToolResult =>
    errorResult(`${who} answered ${what}: a result is a text, or { output: string, isError: boolean }`);
  if (typeof answer !== 'object' || answer === null) return refuse(answer === null ? 'null' : typeof answer);
  const given = {
    output: memberOf(answer, 'output'),
    isError: memberOf(answer, 'isError'),
    metadata: memberOf(answer, 'metadata'),
  };
  const fault = toolResultFault(given);
  if (fault !== undefined) return refuse(`no result: ${fault}`);
  const { output, isError, metadata } = given as ToolResult;
  if (metadata === undefined) return adopt({ output, isError });
  try {
    return adopt({ output, isError, metadata: plainJson(metadata) as JsonObject });
  } catch (error) {
    return refuse(`metadata that is not plain JSON (${textOf(error)})`);
  }
}

/** Whether a body, or a stage, says that the call has to wait. */
export const isPending = (answer: unknown): answer is Pending =>
  typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'pending');

/** What is wrong with the request of a body that waits, or `undefined`. */
export function pendingFault(answer: Pending): string | undefined {
  const fault = requestFault(answer.pending);
  if (fault !== undefined) return fault;
  try {
    plainJson(ownFields(answer.pending).data ?? null);
    return undefined;
  } catch (error) {
    return `has data that are not plain JSON (${textOf(error)})`;
  }
}

/** Cuts a text in the middle to at most `max` characters, the note in place of what is gone included. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = (gone: number): string => `\n[… ${gone} characters cut from the middle of this result …]\n`;
  const room = max - note(text.length).length;
  if (room < 0) return '[… cut …]'.slice(0, Math.max(0, max));
  let head = Math.ceil(room / 2);
  let tail = text.length - (room - head);
  if (isHighSurrogate(text, head - 1)) head--;
  if (isHighSurrogate(text, tail - 1)) tail++;
  return text.slice(0, head) + note(tail - head) + text.slice(tail);
}

/** A cut behind such a unit would leave half a character. */
function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
