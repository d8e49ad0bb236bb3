/** Shells whose language is read: `sh -c`, and scripts on their input. */
import { clip } from './clip.js';
import { isFileOfInput } from './languages.js';
import type { Place } from './reader.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import type { ShellWord } from './shell-word.js';

const shells =
  /^(?:r?bash|sh|dash|ash|hush|r?ksh(?:88|93)?|mksh|lksh|oksh|pdksh|yash|posh|osh|r?zsh)[\d.-]*(?:static)?$/;

export const shellRoom: Room = {
  names: 'bash rbash sh dash ash hush ksh rksh mksh lksh oksh pdksh yash posh osh zsh rzsh bash5.2 ksh93'.split(' '),
  ruleOf: (name) => (shells.test(name) ? runShell : undefined),
};

/** Options that change nothing of what is run. Any other long one is a doubt. */
const long = new Set(
  `--norc --noprofile --posix --login --restricted --verbose --noediting --help --version --no-rcs --no-globalrcs
  --no-global-rcs --protected --sh-word-split --interactive`.split(/\s+/),
);

function runShell(use: Use): void {
  const { reader, name, words } = use;
  let takesCode = false;
  let takesInput = false;
  let at = 0;
  for (; at < words.length; at++) {
    const { text, start, guess } = words[at]!;
    if (text === undefined) {
      // A file that is named in part is a file; it is told below when it is not.
      if (start !== '' && start[0] !== '-' && start[0] !== '+') break;
      reader.doubt(`'${name}' has a word that is not written out: ${clip(guess)}`);
      break;
    }
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text.startsWith('--')) {
      if (!long.has(text)) reader.doubt(`'${name}' has an option that is not known: ${clip(text)}`);
      continue;
    }
    if (text[0] === '-' && text.includes('c')) takesCode = true;
    if (text.includes('s')) takesInput = true;
    if (text.includes('i') && !takesCode) reader.doubt(`'${name}' is interactive: it reads more than is in the line`);
    // `-o pipefail`, `-O extglob`, each with a word of its own.
    at += text.slice(1).replaceAll(/[^oO]/g, '').length;
  }
  const place = reader.inside(use.place, takesCode ? `${name} -c` : name);
  const operand = words[at];
  if (place === undefined) return;
  // A script may run its words, and so may code.
  reader.heed(use.command, words.slice(at + 1));
  if (takesCode) {
    if (operand === undefined) return reader.doubt(`'${name} -c' has no code of its own`);
    const dialect = dialectOf(name);
    if (dialect === 'zsh' && own.test(operand.guess)) reader.doubt('code of zsh is read as bash would read it');
    return reader.code(operand, { ...place, dialect });
  }
  if (operand === undefined || takesInput || isFileOfInput(operand)) readsInput(use, place);
}

/** What zsh reads otherwise: globs and expansions that run code, its own words. */
const own = /[({=~^]|\b(?:repeat|foreach|always|autoload|zmodload|emulate|sched|precmd|preexec)\b|(?:^|[\s;&|])-\s|\[/;

function dialectOf(name: string): Place['dialect'] {
  if (/^r?bash/.test(name)) return 'bash';
  return /^r?zsh/.test(name) ? 'zsh' : 'any';
}

/** A shell without a script: its input is the script. */
export function readsInput({ reader, name, place }: Pick<Use, 'reader' | 'name' | 'place'>, inside: Place): void {
  const { stdin } = place;
  if (stdin === undefined) return reader.doubt(`the commands that '${name}' reads from its input are not in the line`);
  const before = reader.commands.length;
  reader.code(stdin, { ...inside, stdin: undefined, dialect: shells.test(name) ? dialectOf(name) : 'any' });
  const programs = reader.commands.slice(before);
  const lines = stdin.guess.trim().includes('\n');
  // A command takes lines from the same input, and what is left is another script.
  const taker = programs.find(({ program }) => program === 'exec' || (lines && !takesNothing.has(program)));
  if (taker !== undefined) reader.doubt(`'${clip(taker.program)}' may read the rest of the commands for '${name}'`);
}

/** Programs that never read their standard input. */
const takesNothing = new Set(
  `[ [[ basename cd chgrp chmod chown cp curl date declare df dirname du echo exit export false find hostname id kill ln
  local ls mkdir mktemp mv popd printenv printf ps pushd pwd readlink readonly realpath return rm rmdir seq set shift
  shopt sleep stat test touch true typeset umask uname unset whoami which`
    .split(/\s+/)
    .concat('', ':'),
);

/** The word of the code for a shell when several words are joined, as `eval` and `ssh` do. */
export function joined(words: readonly ShellWord[]): ShellWord {
  const whole = words.every(({ text }) => text !== undefined);
  const guess = words.map((word) => word.guess).join(' ');
  return { text: whole ? guess : undefined, guess, start: whole ? guess : '', solid: true };
}
