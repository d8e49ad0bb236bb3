/** Repairing a transcript that came from outside: each result behind its call, no call open. */
import { HookError, historyFault, messageFault, type Message, type Part, type ToolResultPart } from '@treblehook/types';

/**
 * The transcript itself when it is well-formed, else a repaired one: a result that stands elsewhere is moved behind its
 * call, a call without one is answered `not-started`, a part that nothing can answer is dropped. Throws
 * `TH_HISTORY_INVALID` for a message that is none, or carries a part that is none, and when that was not enough.
 */
export function wellFormed(messages: readonly Message[]): readonly Message[] {
  for (const [at, message] of messages.entries()) {
    const fault = messageFault(message);
    if (fault !== undefined) throw new HookError('TH_HISTORY_INVALID', { what: `message ${at} ${fault}` });
  }
  if (historyFault(messages) === undefined) return messages;
  const repaired = repair(messages);
  const what = historyFault(repaired);
  if (what !== undefined) throw new HookError('TH_HISTORY_INVALID', { what });
  return repaired;
}

function repair(messages: readonly Message[]): Message[] {
  const results = new Map<string, ToolResultPart>();
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === 'tool-result' && !results.has(part.callId)) results.set(part.callId, part);
    }
  }
  const out: Message[] = [];
  const called = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') continue;
    const answers: ToolResultPart[] = [];
    const kept: Part[] = [];
    for (const part of message.content) {
      if (part.type === 'tool-result') continue;
      if (part.type === 'tool-call') {
        if (message.role !== 'assistant' || called.has(part.callId)) continue;
        called.add(part.callId);
        answers.push(results.get(part.callId) ?? notStarted(part.callId, part.name));
      }
      kept.push(part);
    }
    if (kept.length === 0) continue;
    out.push(kept.length === message.content.length ? message : { ...message, content: kept });
    if (answers.length > 0) out.push({ role: 'tool', content: answers });
  }
  return out;
}

const notStarted = (callId: string, name: string): ToolResultPart => ({
  type: 'tool-result',
  callId,
  name,
  output: 'not-started: the call was open when the conversation was stored; it has not run',
  isError: true,
});
