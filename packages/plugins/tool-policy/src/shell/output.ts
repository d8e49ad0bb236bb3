/** What a command of a pipeline writes, when the line itself says that: `echo rm x | sh`. */
import type { CommandNode } from 'unbash';
import { known, partly, type ShellWord } from './shell-word.js';
import { shellWords } from './words-of.js';
import { inputOf } from './simple.js';

/** A format that is used again for each value can make much of little. */
const longest = 65_536;

/** The text that a command writes to the next one; `undefined` when it is not in the line. */
export function outputOf(command: CommandNode): ShellWord | undefined {
  if (command.type !== 'Command' || command.name === undefined) return undefined;
  const { redirects, prefix } = command;
  const [name, ...front] = shellWords(command.name);
  if (name?.text !== 'echo' && name?.text !== 'printf' && name?.text !== 'cat') return undefined;
  const behind = command.args.flatMap((word) => (word.type === 'Word' ? shellWords(word) : [partly(word.text)]));
  const words = [...front, ...behind];
  const printed = redirects.some((one) => one.type === 'Redirect' && !/^<$/.test(one.operator)) || prefix.length > 0;
  switch (name.text) {
    case 'echo':
      return echoed(words, printed);
    case 'printf':
      return printedBy(words, printed);
    default:
      return words.length === 0 && !printed ? inputOf(redirects, undefined) : undefined;
  }
}

function echoed(words: readonly ShellWord[], odd: boolean): ShellWord {
  const texts = words[0]?.text === '-n' ? words.slice(1) : words;
  const guess = texts.map((word) => word.guess).join(' ');
  // Shells differ on options and on escapes.
  const plain = !odd && texts.every(({ text }) => text !== undefined && !text.includes('\\'));
  return plain && texts[0]?.text?.startsWith('-') !== true ? known(guess) : partly(guess);
}

function printedBy([format, ...values]: readonly ShellWord[], odd: boolean): ShellWord | undefined {
  if (format === undefined) return undefined;
  const guess = [format, ...values].map((word) => word.guess).join(' ');
  const texts = values.map(({ text }) => text);
  if (odd || format.text === undefined || texts.includes(undefined)) return partly(guess);
  // Of the formats those that people write: texts, `%s`, `%%` and line ends.
  const pieces = format.text.match(/%s|%%|\\n|[^%\\]+/g) ?? [];
  if (pieces.join('') !== format.text || format.text.startsWith('-')) return partly(guess);
  const places = pieces.filter((piece) => piece === '%s').length;
  // A format is used again until no value is left; without a place for one it is used once.
  const rounds = places === 0 ? 1 : Math.max(1, Math.ceil(texts.length / places));
  let written = '';
  let used = 0;
  for (let round = 0; round < rounds; round++) {
    if (written.length > longest) return partly(guess);
    for (const piece of pieces) {
      if (piece === '%s') written += texts[used++] ?? '';
      else written += piece === '%%' ? '%' : piece === '\\n' ? '\n' : piece;
    }
  }
  return known(written);
}
