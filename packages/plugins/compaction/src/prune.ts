/** The first stage, without a model: long tool results are cut in the middle. */
import type { Message, Part } from '@treblehook/types';
import type { Unit } from './units.js';

/**
 * Cuts tool results longer than `maxChars` characters to that length, mark included. Pinned units stay; so does the
 * newest group, whose results the model has not seen yet, unless `newest` is set. What is cut once is not cut again. Gives `units` itself when nothing is that long.
 */
export function prune(units: readonly Unit[], maxChars: number, newest = false): readonly Unit[] {
  let spared = newest ? -1 : units.length - 1;
  while (spared >= 0 && units[spared]!.kind !== 'group') spared--;
  let changed = false;
  const pruned = units.map((unit, at) => {
    if (unit.pinned || at === spared || !unit.messages.some((message) => isLong(message, maxChars))) return unit;
    return {
      ...unit,
      messages: unit.messages.map((message) => {
        if (!isLong(message, maxChars)) return message;
        changed = true;
        return { ...message, content: message.content.map((part) => cutPart(part, maxChars)) };
      }),
    };
  });
  return changed ? pruned : units;
}

const isLong = (message: Message, maxChars: number): boolean =>
  message.role === 'tool' &&
  message.content.some((part) => part.type === 'tool-result' && part.output.length > maxChars);

function cutPart(part: Part, maxChars: number): Part {
  if (part.type !== 'tool-result' || part.output.length <= maxChars) return part;
  return { ...part, output: cutMiddle(part.output, maxChars) };
}

/** Two thirds of what is kept are the beginning. No surrogate pair is split. */
export function cutMiddle(text: string, maxChars: number): string {
  const mark = `\n[… ${text.length - maxChars} or more characters were cut here …]\n`;
  const room = Math.max(0, maxChars - mark.length);
  let head = Math.ceil((room * 2) / 3);
  let tail = text.length - (room - head);
  if (isLow(text, head)) head--;
  if (isLow(text, tail)) tail++;
  return text.slice(0, head) + mark + text.slice(tail);
}

/** The second half of a surrogate pair. */
function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
