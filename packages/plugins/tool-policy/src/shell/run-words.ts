/** A command as a list of words: its program is listed, and if it runs others, they are too. */
import { baseName } from './base-name.js';
import { clip } from './clip.js';
import type { Place, Reader } from './reader.js';
import type { CommandRedirect, SimpleCommand } from './read-command.js';
import { isInert } from './inert.js';
import { ruleOf } from './rules.js';
import type { ShellWord } from './shell-word.js';

/** What stands beside the words. */
export interface Given {
  readonly assigns: readonly string[];
  readonly redirects: readonly CommandRedirect[];
}

/** A command that a rule takes apart. */
export interface Use extends Given {
  readonly reader: Reader;
  readonly place: Place;
  /** The program in lower case, without folder and `.exe`: some disks do not tell case. */
  readonly name: string;
  readonly words: readonly ShellWord[];
  /** As it is listed. */
  readonly command: SimpleCommand;
}

export function runWords(words: readonly ShellWord[], given: Given, reader: Reader, place: Place): void {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (word.text !== undefined) break;
    if (at === 0) reader.doubt(`the program is not written out: ${clip(word.guess)}`);
    // A word that becomes none leaves its place to the next one.
    if (word.solid) at = words.length;
  }
  const path = words[at]?.text;
  if (path === undefined) {
    if (given.assigns.length > 0 || given.redirects.length > 0) list('', '', [], given, reader, place);
    return;
  }
  const program = baseName(path);
  const behind = words.slice(at + 1);
  checkName(path, reader);
  const command = list(program, path, behind, given, reader, place);
  const name = program.toLowerCase().replace(/\.exe$/, '');
  reader.reaches.command(name, behind, place);
  const inert = isInert(path, program) && !reader.names.isShadowed(program);
  if (!inert) reader.names.runs();
  // A text where a program should be may be code to who runs it.
  if (/[\s;|&]/.test(path)) reader.heed(command, words.slice(at, at + 1));
  const takeApart = ruleOf(name);
  if (takeApart !== undefined) takeApart({ ...given, reader, place, name, words: behind, command });
  // Of a program that no room knows any word may be a command, and what it reads, too.
  else if (!inert) reader.heed(command, place.stdin === undefined ? behind : [...behind, place.stdin]);
}

function list(
  program: string,
  path: string,
  words: readonly ShellWord[],
  { assigns, redirects }: Given,
  reader: Reader,
  { behind, again }: Place,
): SimpleCommand {
  const command: SimpleCommand = {
    program,
    path,
    words: Object.freeze(words.map(({ text }) => text)),
    redirects: Object.freeze(redirects.map((one) => Object.freeze(one))),
    assigns: Object.freeze([...assigns]),
    behind: Object.freeze([...behind]),
  };
  reader.commands.push(Object.freeze(command));
  // What is run later or more than once, or elsewhere, may find other files.
  const here =
    again === 'never' && behind.every((label) => /^(?:(?:ba|da|z)?sh -c|time|timeout|nice|env)$/.test(label));
  reader.words.push(here ? words : words.map(withoutGlob));
  return command;
}

const withoutGlob = ({ text, guess, start, solid, isPipe }: ShellWord): ShellWord => ({
  text,
  guess,
  start,
  solid,
  ...(isPipe && { isPipe }),
});

/** Characters that are not seen, or that look like a space. */
const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/u;

function checkName(path: string, reader: Reader): void {
  if (path === '') reader.doubt('the program is an empty text');
  else if (hidden.test(path)) reader.doubt(`the program has characters that are not seen: ${clip(path)}`);
  else if (path[0] === '-') reader.doubt(`an option stands where the program should: ${clip(path)}`);
  else if (/^=[\w./]/.test(path)) reader.doubt(`zsh runs another program for ${clip(path)}`);
}
