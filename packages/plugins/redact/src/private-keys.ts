/** Private keys in armour, whole or cut: found line by line. */
import type { Detector, Found } from './detector.js';

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A line of the inside: base64, a header, or nothing. */
const isInside = (line: string): boolean => {
  const text = line.trim();
  return (
    text.length <= 256 &&
    /^(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/=]{0,15}=|[A-Za-z-]{3,20}: .*|=[A-Za-z0-9+/]{4}|)$/.test(text)
  );
};

/** Each from its beginning to its end; of one that was cut, what there is of it. */
export const privateKeys: Detector = {
  name: 'private-key',
  find(text, found) {
    if (!text.includes('PRIVATE KEY')) return;
    let past = 0;
    const ends = [...text.matchAll(end)].map((match) => ({ from: match.index, to: match.index + match[0].length }));
    let next = 0;
    for (const match of text.matchAll(begin)) {
      const from = match.index;
      if (from < past) continue;
      while (next < ends.length && ends[next]!.to <= past) next++;
      while (next < ends.length && ends[next]!.from < from) withoutBeginning(text, past, ends[next++]!, found);
      past = next < ends.length ? ends[next]!.to : untilOther(text, from + match[0].length);
      if (next < ends.length) next++;
      if (past > from + match[0].length) found(from, past);
    }
    for (; next < ends.length; next++) if (ends[next]!.from >= past) withoutBeginning(text, past, ends[next]!, found);
  },
};

/** Where the lines end that may be of a key; where it began when there is none. */
function untilOther(text: string, from: number): number {
  let at = from;
  let isAny = false;
  while (at < text.length) {
    const stop = text.indexOf('\n', at);
    const line = text.slice(at, stop === -1 ? text.length : stop);
    // the last line may be cut anywhere
    const isLast = stop === -1 && /^[A-Za-z0-9+/=\s]{0,256}$/.test(line);
    if (!isInside(line) && !isLast) break;
    isAny ||= line.trim() !== '';
    at = stop === -1 ? text.length : stop + 1;
  }
  return isAny ? at : from;
}

/** The end of a key whose beginning was cut off: the lines in front of it that may be of it. */
function withoutBeginning(text: string, past: number, { from, to }: { from: number; to: number }, found: Found): void {
  let at = from;
  while (at > past) {
    const start = Math.max(past, text.lastIndexOf('\n', at - 2) + 1);
    const line = text.slice(start, at);
    if (line.trim() === '' || !isInside(line)) break;
    at = start;
  }
  if (at < from) found(at, to);
}
