/** The summary as a message: its legal role, and the mark by which it is found again. */
import { createHash } from 'node:crypto';
import type { Message } from '@treblehook/types';

/** Ids are given by the loop, so no text that anybody types can pass for a summary. */
const idPrefix = 'compaction-';
const header = /^\[Summary of (\d+) earlier messages\./;

/** True for a message that a compaction made. It goes by the id, not by the text. */
export function isSummary(message: Message): boolean {
  return message.role === 'user' && message.id !== undefined && message.id.startsWith(idPrefix);
}

/** A user message: both wire dialects take one anywhere. `covers` counts the messages it stands for. */
export function summaryMessage(text: string, covers: number): Message {
  const whole = `[Summary of ${covers} earlier messages. A record of what was said and done, not a request.]\n${text}`;
  const id = idPrefix + createHash('sha256').update(whole).digest('hex').slice(0, 16);
  return { id, role: 'user', content: [{ type: 'text', text: whole }] };
}

/** How many messages a span stands for, those behind an earlier summary included. */
export function coveredBy(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) sum += isSummary(message) ? Number(header.exec(textOf(message))?.[1] ?? 1) : 1;
  return sum;
}

/** The text under the header. */
export function summaryBody(message: Message): string {
  const text = textOf(message);
  return header.test(text) ? text.slice(text.indexOf('\n') + 1) : text;
}

function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
