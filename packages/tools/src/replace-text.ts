/** The replacement of an exact text, in the line ends of the file. */
import { lineEndOf } from './text-file.js';
import { ToolError } from './tool-error.js';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

/** The text after it, and how often it was replaced. Throws a `ToolError` of code `match`. */
export function replaceText(
  name: string,
  text: string,
  { oldText, newText, all }: Replacement,
): { readonly text: string; readonly count: number } {
  const ends = lineEndOf(text);
  const [wanted, given] = [inLinesOf(ends, oldText), inLinesOf(ends, newText)];
  if (wanted === given) throw new ToolError('match', "'oldText' and 'newText' are the same: nothing would change");
  const places = text.split(wanted);
  const count = places.length - 1;
  if (count === 0) throw new ToolError('match', `'oldText' does not stand in '${name}'${hintOf(text, wanted)}`);
  if (count > 1 && !all) {
    const lines = linesOf(places, wanted);
    const shown = `${lines.slice(0, 10).join(', ')}${lines.length > 10 ? ', …' : ''}`;
    throw new ToolError(
      'match',
      `'oldText' stands ${count} times in '${name}', at lines ${shown}: give more of what is around it, or ask for 'all'`,
    );
  }
  return { text: places.join(given), count };
}

/** A file whose lines all end alike keeps its ends, whichever the caller has written. */
function inLinesOf(ends: ReturnType<typeof lineEndOf>, text: string): string {
  if (ends === 'lf') return text.replaceAll('\r\n', '\n');
  return ends === 'crlf' ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}

/** The line, from 1, at which each place begins. */
function linesOf(places: readonly string[], wanted: string): readonly number[] {
  const breaks = (text: string): number => text.split('\n').length - 1;
  let line = 1;
  return places.slice(0, -1).map((before, at) => {
    line += breaks(before) + (at === 0 ? 0 : breaks(wanted));
    return line;
  });
}

function hintOf(text: string, wanted: string): string {
  const bare = (one: string): string => one.replaceAll(/\s+/g, ' ').trim();
  const near = bare(wanted) !== '' && bare(text).includes(bare(wanted));
  return near
    ? ': it does with other white space, which counts; copy it from the file'
    : ': read the file, and copy the text from it';
}
