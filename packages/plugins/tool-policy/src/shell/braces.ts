/** Brace expansion (`{rm,-rf,/}`, `{a..e}`), which happens on the text of a word before its quotes are undone. */
import { parse } from 'unbash';
import { known, partly, wordOf, type ShellWord } from './shell-word.js';

/** More words than this are not written out. */
const most = 64;
/** Nothing in it has to be undone. */
const bare = /^[\w./:@%+,=-]+$/;
/** A text with expansions or quotes that hold braces needs more than a look at its characters. */
const plain = /^[^$`\n]*$/;

/** The words that a text with braces becomes; `undefined` when that is not known. */
export function expandBraces(text: string): readonly ShellWord[] | undefined {
  if (!plain.test(text) || text.length > 1024) return undefined;
  const texts = alternatives(text);
  if (texts === undefined) return undefined;
  const words: ShellWord[] = [];
  for (const one of texts) {
    // An empty alternative that is not quoted is no word at all.
    if (one === '') continue;
    if (bare.test(one)) {
      words.push(known(one));
      continue;
    }
    const script = parse(`: ${one}`);
    const command = script.commands[0]?.command;
    if (script.errors !== undefined || script.commands.length !== 1 || command?.type !== 'Command') return undefined;
    const [word, ...more] = command.suffix;
    if (word?.type !== 'Word' || more.length > 0) return undefined;
    if (word.parts === undefined) words.push(known(word.value));
    // A brace that is still there is one that nobody here understood.
    else if (word.parts.some(({ type }) => type === 'BraceExpansion')) words.push(partly(word.value));
    else words.push(wordOf(word.value, word.parts));
  }
  return words;
}

/** The texts of a text, left to right; `undefined` when there are too many, or a sequence that is not read. */
function alternatives(text: string): readonly string[] | undefined {
  const marks = marksOf(text);
  for (const [at, open] of marks.entries()) {
    if (text[open] !== '{') continue;
    const group = groupAt(text, marks, at);
    if (group === undefined) continue;
    const middles = group.commas.length > 0 ? between(text, open, group) : sequence(text.slice(open + 1, group.close));
    if (middles === 'none') continue;
    if (middles === undefined) return undefined;
    const tails = alternatives(text.slice(group.close + 1));
    if (tails === undefined || middles.length * tails.length > most) return undefined;
    const front = text.slice(0, open);
    return middles.flatMap((middle) => tails.map((tail) => front + middle + tail));
  }
  return [text];
}

interface Group {
  readonly close: number;
  readonly commas: readonly number[];
}

function between(text: string, open: number, { close, commas }: Group): readonly string[] | undefined {
  const cuts = [open, ...commas, close];
  const all: string[] = [];
  for (let at = 1; at < cuts.length; at++) {
    const one = alternatives(text.slice(cuts[at - 1]! + 1, cuts[at]));
    if (one === undefined || all.length + one.length > most) return undefined;
    all.push(...one);
  }
  return all;
}

/** Where the group that opens at a mark closes, and the commas of its own. */
function groupAt(text: string, marks: readonly number[], open: number): Group | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let mark = open; mark < marks.length; mark++) {
    const at = marks[mark]!;
    if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    else if (depth === 1) commas.push(at);
    if (depth === 0) return { close: at, commas };
  }
  return undefined;
}

/** Where braces and commas stand, outside of quotes and escapes. */
function marksOf(text: string): readonly number[] {
  const marks: number[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const one = text[at]!;
    if (quote === "'") quote = one === "'" ? '' : quote;
    else if (one === '\\') at++;
    else if (quote === '"') quote = one === '"' ? '' : quote;
    else if (one === "'" || one === '"') quote = one;
    else if (one === '{' || one === '}' || one === ',') marks.push(at);
  }
  return marks;
}

/** `a..e`, `1..9`, with a step or without; `'none'` when it is no sequence and the braces stay. */
function sequence(text: string): readonly string[] | undefined | 'none' {
  if (!text.includes('..')) return 'none';
  const found = /^(?:(-?\d{1,6})\.\.(-?\d{1,6})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/.exec(text);
  // A step, leading zeros and letters of both cases have rules of their own.
  if (found === null || /(?:^|[.-])0\d/.test(text)) return undefined;
  const letters = found[1] === undefined;
  const [from, to] = found.slice(1).filter((part) => part !== undefined) as [string, string];
  const [first, last] = letters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  const count = Math.abs(last - first) + 1;
  if (count > most) return undefined;
  const step = last < first ? -1 : 1;
  return Array.from({ length: count }, (_, at) => {
    const value = first + step * at;
    return letters ? String.fromCharCode(value) : String(value);
  });
}
