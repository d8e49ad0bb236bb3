/** Name globs against text of which some is not known. */
import { matchName } from '@treblehook/types';
import type { Truth } from '../truth.js';

/** A character that stands for what is not known: of the private use area, and nothing that is typed. */
export const hole = '\uE000';

/** Whether a glob matches a text whatever its holes stand for; unknown when that depends on them. */
export function matchHoles(glob: string, text: string): Truth {
  // What a star has matched as one character it matches as any text.
  if (matchName(glob, text)) return true;
  if (!text.includes(hole)) return false;
  return mayMatch(glob, text) ? `a part of '${text.replaceAll(hole, '…')}' is not known` : false;
}

/** Whether two patterns have a text in common: `*` is a star of the one, a hole a star of the other. */
function mayMatch(glob: string, text: string): boolean {
  let below = new Uint8Array(text.length + 1);
  for (let t = text.length, same = 1; t >= 0; t--) {
    if (t < text.length && text[t] !== hole) same = 0;
    below[t] = same; // the glob is at its end: only holes may be left
  }
  for (let g = glob.length - 1; g >= 0; g--) {
    const row = new Uint8Array(text.length + 1);
    for (let t = text.length; t >= 0; t--) {
      const star = glob[g] === '*';
      const open = text[t] === hole;
      const skipGlob = star && below[t] === 1;
      const skipText = (star || open) && t < text.length && (open || star) && row[t + 1] === 1;
      const eatGlob = open && below[t] === 1;
      const both = t < text.length && glob[g] === text[t] && below[t + 1] === 1;
      row[t] = skipGlob || skipText || eatGlob || both ? 1 : 0;
    }
    below = row;
  }
  return below[0] === 1;
}
