/** Text of others made safe to show: nothing in it moves a cursor, hides a line or turns the direction of writing. */

/** Control characters but line break and tab; marks of writing direction; what has no width, or may be drawn as nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Each of them as an escape such as `\u001b`. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (character) => (character === '\n' || character === '\t' ? character : escaped(character)));

/** As `visible`, on one line: a name with a line break in it would pass for two. */
export const onOneLine = (text: string): string => text.replaceAll(unseen, escaped);

function escaped(character: string): string {
  const short = JSON.stringify(character).slice(1, -1);
  if (short.startsWith('\\')) return short;
  return Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at))}`).join('');
}

const hex = (unit: number): string => unit.toString(16).padStart(4, '0');
