/** Counting lists that grow: of a conversation only what was added since the last time. */
import type { Message } from './message.js';
import type { ToolDescriptor } from './tool.js';

/** Tokens of messages, of tools, or of both. What it gives for a list must be the sum of what it gives for its parts. */
export type CountTokens = (messages: readonly Message[], tools?: readonly ToolDescriptor[]) => number;

interface Seen {
  readonly messages: readonly Message[];
  /** Where they begin, behind the system text. */
  readonly start: number;
  readonly tokens: number;
}

/**
 * The same count, for lists that are asked about again with more at their end: what was counted before is not counted
 * again. It goes by identity, and trusts frozen messages alone, as those of a run are. What it remembers lives as long as
 * the first message of the conversation.
 */
export function tokenTally(count: CountTokens): CountTokens {
  /** By the first message behind the system text: another conversation begins with another one. */
  const conversations = new WeakMap<Message, Seen>();
  const alone = new WeakMap<object, number>();
  const once = (value: object, tokens: () => number): number => {
    const known = alone.get(value);
    if (known !== undefined) return known;
    const sum = tokens();
    if (Object.isFrozen(value)) alone.set(value, sum);
    return sum;
  };
  return (messages, tools = []) => {
    const fixed = tools.length === 0 ? 0 : once(tools, () => count([], tools));
    const front = messages[0];
    const start = front?.role === 'system' ? 1 : 0;
    const sum = start === 0 ? fixed : fixed + once(front!, () => count([front!]));
    const first = messages[start];
    if (first === undefined) return sum;
    const before = conversations.get(first);
    const known = before !== undefined && goesOn(before, messages, start) ? before : undefined;
    const rest = messages.slice(known === undefined ? start : start + known.messages.length - known.start);
    const tokens = (known?.tokens ?? 0) + (rest.length === 0 ? 0 : count(rest));
    conversations.set(first, { messages: Object.isFrozen(messages) ? messages : [...messages], start, tokens });
    return sum + tokens;
  };
}

/** Whether `messages`, from `start` on, begin with all that was seen. */
function goesOn(before: Seen, messages: readonly Message[], start: number): boolean {
  const many = before.messages.length - before.start;
  if (many > messages.length - start) return false;
  for (let at = 0; at < many; at++) {
    const message = messages[start + at]!;
    if (before.messages[before.start + at] !== message || !Object.isFrozen(message)) return false;
  }
  return true;
}
