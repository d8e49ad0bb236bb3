/** The text of a message, without what else stands in it. */
import type { Message } from '@treblehook/types';

export const messageText = ({ content }: Pick<Message, 'content'>): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');
