/** Text of others made safe to show: nothing in it moves a cursor, hides a line or turns the direction of writing. */

/** Control characters but line break and tab; marks of writing direction; what has no width. */
const unseen = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Each of them as an escape such as `\u001b`. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (character) => (character === '\n' || character === '\t' ? character : escaped(character)));

/** As `visible`, on one line: a name with a line break in it would pass for two. */
export const onOneLine = (text: string): string => text.replaceAll(unseen, escaped);

function escaped(character: string): string {
  const short = JSON.stringify(character).slice(1, -1);
  return short.startsWith('\\') ? short : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
