/** What curl reads of its words in a way of its own. */
import { clip } from '../shell/clip.js';
import type { SimpleCommand } from '../shell/read-command.js';

/** A field of a form: quotes may stand around each of its files, and a comma between two. */
export const isForm = (word: string, program: string): boolean => program === 'curl' && /=[@<(]/.test(word);

const uploads = /^(?:-[A-WYZa-z0-9#]*T|--up[a-z-]*=?)/;
/** What stands in front of the first slash of a URL whose scheme may be one of several. */
const front = /^[^\s"'/]*\//;
const alternatives = /(?:^|[^%])[{[]/;

/** Why it is not known which files a command opens: curl makes several of `{a,b}` and `[a-z]`, in URLs and in what it sends. */
export function severalFiles({ program, words }: SimpleCommand): readonly string[] {
  if (program !== 'curl') return [];
  const several = words.find((word, at) => {
    if (word === undefined || !alternatives.test(word)) return false;
    const option = words[at - 1] ?? '';
    const isSent = uploads.test(word) || (option !== '' && uploads.exec(option)?.[0] === option);
    return isSent || /file:/i.test(word) || alternatives.test(front.exec(word)?.[0] ?? '');
  });
  return several === undefined ? [] : [`'${clip(several)}' of 'curl' may be several files`];
}
