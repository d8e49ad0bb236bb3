/** Where the marks stand: read from the messages alone, so a resumed session is marked as one that was never left. */
import type { LLMRequest, Message } from '@treblehook/types';

type Messages = LLMRequest['messages'];

/**
 * Positions in `messages`, rising, at most four: the front system text (tools stand before it on the wire, so it covers
 * them), the end of the last call's messages, the last thing that a user said, the end. All of them stay where they are
 * while a conversation grows, so the next call reads what this one wrote. Nothing of `inject` is ever marked.
 *
 * The end of the last call is marked once more because the provider looks back 20 blocks and no further
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching), and one turn can add more than that.
 */
export function marksOf(messages: Messages, inject: LLMRequest['inject'], history: boolean): readonly number[] {
  const marks = new Set<number>();
  if (messages[0]?.role === 'system' && hasText(messages[0])) marks.add(0);
  // on the wire a system message stands in front of the conversation: one that is sent once moves all that follows
  if (history && !inject.some(({ role }) => role === 'system')) {
    const end = lastMarkable(messages, messages.length - 1);
    const answer = messages.findLastIndex(({ role }) => role === 'assistant');
    const user = messages.findLastIndex((message) => message.role === 'user' && isMarkable(message));
    for (const at of [lastMarkable(messages, answer - 1), user, end]) if (at >= 0) marks.add(at);
  }
  return [...marks].sort((a, b) => a - b);
}

function lastMarkable(messages: Messages, from: number): number {
  let at = from;
  while (at >= 0 && !isMarkable(messages[at]!)) at--;
  return at;
}

/** A mark stands on the last block of a message. Blank text is never sent, and reasoning cannot be marked. */
function isMarkable({ role, content }: Message): boolean {
  if (role !== 'user' && role !== 'tool') return false;
  const last = content.at(-1);
  return last !== undefined && (last.type !== 'text' || last.text.trim() !== '');
}

const hasText = ({ content }: Message): boolean =>
  content.some((part) => part.type === 'text' && part.text.trim() !== '');
