/** The options in front of what a wrapper runs. */
import { clip } from './clip.js';
import type { Use } from './run-words.js';
import { mayBeOption, type ShellWord } from './shell-word.js';

type Takes = 'nothing' | 'value' | 'attached';

/** Which options a program has: `a` and `--all` take nothing, `n:` and `--name=` a value, `i?` and `--in?` one only if attached. */
export type OptionTable = ReadonlyMap<string, Takes>;

export function optionTable(text: string): OptionTable {
  return new Map(
    text.split(/\s+/).map((one) => {
      const takes: Takes = /[:=]$/.test(one) ? 'value' : one.endsWith('?') ? 'attached' : 'nothing';
      return [takes === 'nothing' ? one : one.slice(0, -1), takes];
    }),
  );
}

export interface Options {
  /** Where the first word stands that is none. */
  readonly at: number;
  /** The options that are there, with their last values. */
  readonly values: ReadonlyMap<string, ShellWord | undefined>;
}

/** Reads options up to the first operand. One that is not in the table is a doubt, and taken for one without a value. */
export function readOptions(
  { words, name, reader }: Pick<Use, 'words' | 'name' | 'reader'>,
  table: OptionTable,
  from = 0,
): Options {
  const values = new Map<string, ShellWord | undefined>();
  let at = from;
  const odd = (word: ShellWord): void => reader.doubt(`'${name}' has an option that is not known: ${clip(word.guess)}`);
  for (; at < words.length; at++) {
    const word = words[at]!;
    const { text } = word;
    if (text === undefined) {
      if (!mayBeOption(word)) break;
      reader.doubt(`'${name}' has a word in front of its command that is not written out: ${clip(word.guess)}`);
      if (word.start[0] !== '-') break;
      continue;
    }
    if (text === '--') return { at: at + 1, values };
    if (text[0] !== '-' || text === '-') break;
    if (text[1] === '-') {
      const equal = text.indexOf('=');
      const option = equal === -1 ? text : text.slice(0, equal);
      const takes = table.get(option);
      if (takes === undefined) odd(word);
      const value = equal === -1 ? undefined : tail(word, equal + 1);
      values.set(option, takes === 'value' && value === undefined ? words[++at] : value);
      continue;
    }
    at += readLetters(word, text, table, words[at + 1], values, odd);
  }
  return { at, values };
}

/** `-abc value`; gives 1 when the next word was the value. */
function readLetters(
  word: ShellWord,
  text: string,
  table: OptionTable,
  next: ShellWord | undefined,
  values: Map<string, ShellWord | undefined>,
  odd: (word: ShellWord) => void,
): number {
  for (let letter = 1; letter < text.length; letter++) {
    const takes = table.get(text[letter]!);
    const rest = letter + 1 < text.length ? tail(word, letter + 1) : undefined;
    if (takes === undefined) odd(word);
    if (takes === undefined || takes === 'nothing') values.set(text[letter]!, undefined);
    else {
      values.set(text[letter]!, takes === 'value' ? (rest ?? next) : rest);
      return takes === 'value' && rest === undefined ? 1 : 0;
    }
    if (takes === undefined) return 0;
  }
  return 0;
}

/** `--ex`, `--exec` and `--ex=value` are each short for `exec`: any beginning counts, however many options it fits. */
export function isShortFor(start: string, names: readonly string[]): boolean {
  const option = /^--([^=]+)/.exec(start)?.[1];
  return option !== undefined && names.some((name) => name.startsWith(option));
}

/** The end of a word. */
export function tail(word: ShellWord, from: number): ShellWord {
  return {
    ...word,
    text: word.text?.slice(from),
    guess: word.guess.slice(from),
    start: word.start.slice(from),
  };
}
