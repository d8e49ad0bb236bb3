/** From the words of a parsed line to what is known of them. */
import type { Word } from 'unbash';
import { expandBraces } from './braces.js';
import { anything, known, wordOf, type ShellWord } from './shell-word.js';

/** The words that one word of a line becomes. Braces are undone when all of it is known; else it is one that is not. */
export function shellWords(word: Word): readonly ShellWord[] {
  const { parts } = word;
  if (parts === undefined) return [known(word.value)];
  if (!parts.some(({ type }) => type === 'BraceExpansion')) return [wordOf(word.value, parts)];
  return expandBraces(word.text) ?? [anything(word.value)];
}

/** A word that is not split and has no braces undone: a redirect's target, an assigned value. */
export function oneWord(word: Word): ShellWord {
  return word.parts === undefined ? known(word.value) : wordOf(word.value, word.parts);
}
