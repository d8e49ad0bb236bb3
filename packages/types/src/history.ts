/** What makes a history well-formed, and where its system text stands. */
import { messageFault } from './message-fault.js';
import type { Message } from './message.js';

/**
 * Says what is wrong with a history, or `undefined`: each message is one, each tool result follows its call in the
 * message right behind it, no call stays open, and at most one result answers a call. Linear.
 */
export function historyFault(messages: readonly Message[]): string | undefined {
  let open: Set<string> | undefined;
  for (const [at, message] of messages.entries()) {
    const fault = messageFault(message);
    if (fault !== undefined) return `message ${at} ${fault}`;
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') return `message ${at} is a tool message with a '${part.type}' part`;
        if (!open?.delete(part.callId)) return `message ${at} answers the call '${part.callId}', which is not open`;
      }
      continue;
    }
    if (open !== undefined && open.size > 0) return `message ${at} comes before the result of call '${first(open)}'`;
    open = undefined;
    for (const part of message.content) {
      if (part.type === 'tool-result') return `message ${at} carries a tool result outside a tool message`;
      if (part.type !== 'tool-call') continue;
      if (message.role !== 'assistant') return `message ${at} carries a tool call and is no assistant message`;
      open ??= new Set();
      if (open.has(part.callId)) return `message ${at} has the call '${part.callId}' twice`;
      open.add(part.callId);
    }
  }
  return open !== undefined && open.size > 0 ? `the call '${first(open)}' has no result` : undefined;
}

const first = (ids: Set<string>): string => ids.values().next().value as string;

/** The front system text, or `undefined` when the first message is no system message. */
export function frontSystem(messages: readonly Message[]): string | undefined {
  const front = messages[0];
  if (front?.role !== 'system') return undefined;
  return Array.isArray(front.content)
    ? (front.content as Message['content']).map((part) => (part?.type === 'text' ? part.text : '')).join('')
    : undefined;
}
