/** awk and sed, whose script is a word of the line: whether it can run commands or write. */
import { clip } from './clip.js';
import { tail } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { isCalmSed } from './sed.js';
import { mayBeOption, type ShellWord } from './shell-word.js';

/** The options of such a program. */
interface Flags {
  /** Letters that take nothing; a script; the name of a file with one; another value; a value only if attached. */
  readonly none: string;
  readonly script: string;
  readonly file: string;
  readonly value: string;
  readonly attached: string;
  /** The same of long ones. */
  readonly longScript: RegExp;
  readonly longFile: RegExp;
  readonly longValue: RegExp;
  /** Options behind an operand are options, too. */
  readonly permutes: boolean;
}

const ofAwk: Flags = {
  none: 'bcCghkMnNOPrsStVI',
  script: 'e',
  file: 'fEilW',
  value: 'Fv',
  attached: 'dDLop',
  longScript: /^--source(?:=|$)/,
  longFile: /^--(?:file|exec|include|load)/,
  longValue: /^--(?:assign|field-separator)$/,
  permutes: false,
};
const ofSed: Flags = {
  none: 'nrEsuzab',
  script: 'e',
  file: 'f',
  value: 'l',
  attached: 'iI',
  longScript: /^--expression(?:=|$)/,
  longFile: /^--file/,
  longValue: /^--line-length$/,
  permutes: true,
};

const harmless =
  /^--(?:quiet|silent|in-place|null-data|regexp-extended|separate|unbuffered|posix|sandbox|version|help|debug|zero-terminated|csv|line-length(?:=\d+|$)|field-separator(?:=|$)|assign(?:=|$))/;

const awks = ['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'bwk', 'goawk'];

export const scripts: Room = {
  names: [...awks, 'sed', 'ssed'],
  ruleOf: (name) => (awks.includes(name) ? awk : name === 'sed' || name === 'ssed' ? sed : undefined),
};

/** The scripts in the words: behind an option, or else the first operand. What stands in a file is not read. */
function scriptsOf(use: Use, flags: Flags): readonly ShellWord[] {
  const { words, reader, name } = use;
  const found: ShellWord[] = [];
  let named = false;
  let operands = 0;
  const odd = (word: ShellWord): void => reader.doubt(`'${name}' has an option that is not known: ${clip(word.guess)}`);
  const inFile = (): void => {
    named = true;
    reader.doubt(`a script of '${name}' is in a file`);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const { text, start } = word;
    if (text === undefined && mayBeOption(word)) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(word.guess)}`);
      if (start === '') continue;
    }
    const ended = text === '--';
    if (ended || start[0] !== '-' || start === '-') {
      const first = ended ? at + 1 : at;
      // What is an ending for backups to one sed is the script to another.
      if (!named && operands === 0)
        found.push(...words.slice(first, words[first]?.text === '' ? first + 2 : first + 1));
      operands++;
      if (ended || !flags.permutes) break;
      continue;
    }
    if (start[1] === '-') {
      const script = flags.longScript.exec(start);
      if (script !== null) {
        named = true;
        found.push(script[0].endsWith('=') ? tail(word, script[0].length) : (words[++at] ?? word));
      } else if (flags.longFile.test(start)) {
        inFile();
        if (!start.includes('=')) at++;
      } else if (flags.longValue.test(start)) at++;
      else if (!harmless.test(start)) odd(word);
      continue;
    }
    for (let letter = 1; letter < start.length; letter++) {
      const one = start[letter]!;
      if (flags.none.includes(one)) continue;
      const isLast = letter + 1 === word.guess.length;
      if (flags.script.includes(one)) {
        named = true;
        found.push(isLast ? (words[++at] ?? word) : tail(word, letter + 1));
      } else if (flags.file.includes(one)) {
        inFile();
        if (isLast) at++;
      } else if (flags.value.includes(one)) at += isLast ? 1 : 0;
      else if (!flags.attached.includes(one)) odd(word);
      break;
    }
  }
  return found;
}

function awk(use: Use): void {
  const { reader, name } = use;
  for (const { text, guess } of scriptsOf(use, ofAwk)) {
    // Whoever prints to a pipe or a file does it behind the word; the rest is a call that says its name.
    if (text === undefined || /system|getline|@|ARG[VC]|\\[x0-7]/.test(text) || printsAway(text)) {
      reader.doubt(`this script of '${name}' can run commands: ${clip(guess)}`);
    }
  }
}

/** `print` in front of a pipe or a redirect. */
function printsAway(text: string): boolean {
  // Without an escape, a comment or a pattern between slashes it is sure what is a text and where a block ends.
  const bare = /[\\#/]/.test(text) ? text : text.replaceAll(/"[^"\n]*"/g, '""');
  const simple = bare !== text || !/[\\#/"]/.test(text);
  if (!simple) {
    const print = text.search(/\bprintf?\b/);
    return print !== -1 && Math.max(text.lastIndexOf('|'), text.lastIndexOf('>')) > print;
  }
  if (bare.replaceAll('""', '').includes('"')) return /[|>]/.test(bare);
  // behind these a line goes on
  const joined = bare.replaceAll(/(,|&&|\|\||\bdo|\belse)[ \t]*(?:\n[ \t]*)+/g, '$1 ');
  return joined.split(/[;\n{}]/).some((statement) => /\bprintf?\b/.test(statement) && /[|>]/.test(statement));
}

function sed(use: Use): void {
  const { reader, name } = use;
  for (const { text: whole, guess } of scriptsOf(use, ofSed)) {
    if (whole === undefined || !isCalmSed(whole))
      reader.doubt(`this script of '${name}' can run commands or write: ${clip(guess)}`);
  }
}
