/** How a history falls into units: what is kept or dropped as one. */
import type { Message } from '@treblehook/types';
import { isSummary } from './summary.js';

/** `group`: an assistant message with tool calls and the results behind it. `answer`: an assistant message without calls. */
export type UnitKind = 'system' | 'user' | 'summary' | 'answer' | 'group';

export interface Unit {
  readonly kind: UnitKind;
  readonly messages: readonly Message[];
  /** Kept byte for byte: system text, and whatever has a pinned message in it. */
  readonly pinned: boolean;
}

/** Splits a history. Linear. A tool message that follows no call stays with the unit in front of it. */
export function unitsOf(messages: readonly Message[]): readonly Unit[] {
  const units: { kind: UnitKind; messages: Message[]; pinned: boolean }[] = [];
  for (const message of messages) {
    const last = units.at(-1);
    if (message.role === 'tool' && last !== undefined) {
      last.messages.push(message);
      last.pinned ||= message.pinned === true;
      continue;
    }
    units.push({
      kind: kindOf(message),
      messages: [message],
      pinned: message.role === 'system' || message.pinned === true,
    });
  }
  return units;
}

function kindOf(message: Message): UnitKind {
  if (message.role === 'system') return 'system';
  if (message.role === 'user') return isSummary(message) ? 'summary' : 'user';
  return message.content.some((part) => part.type === 'tool-call') ? 'group' : 'answer';
}

/**
 * The newest run of neighbouring user messages: the prompt, with what a stage may have put behind it. Empty when there is
 * no user message.
 */
export function newestPrompt(messages: readonly Message[]): readonly Message[] {
  let end = messages.length;
  while (end > 0 && !isPrompt(messages[end - 1]!)) end--;
  let start = end;
  while (start > 0 && isPrompt(messages[start - 1]!)) start--;
  return messages.slice(start, end);
}

const isPrompt = (message: Message): boolean => message.role === 'user' && !isSummary(message);
