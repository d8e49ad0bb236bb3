/** Messages that the loop itself makes of texts. */
import { adopt } from '@treblehook/core';
import type { Message, TextPart } from '@treblehook/types';

/** Parts of a text stand apart by an empty line; parts that are missing or empty leave none. */
export const join = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join('\n\n');

export function textMessage(role: 'system' | 'user', text: string): Message {
  const part: TextPart = adopt({ type: 'text', text });
  return adopt({ role, content: adopt([part]) });
}
