/** The door of the reader of command lines: which programs a line would run, and what of it is not known. Pure, synchronous. */
import { known, type ShellWord } from './shell-word.js';
import { Reader } from './reader.js';
import { clip } from './clip.js';
import type { Reach } from './reach.js';

export interface CommandReading {
  /** Each simple command that may run, in source order; a wrapper and what it runs are both here. Frozen. */
  readonly commands: readonly SimpleCommand[];
  /** In words, each once, why not everything could be read. Empty: everything is known. */
  readonly unknown: readonly string[];
}

export interface SimpleCommand {
  /** The name without its folder: `rm` of `/bin/rm`. `''` when nothing is run: assignments or redirects stand alone. */
  readonly program: string;
  /** As it would be run, quotes undone; `~` stays. */
  readonly path: string;
  /**
   * The arguments behind the program, quotes and escapes undone. `undefined` is not known before the line runs (a
   * variable, a substitution, a glob), and may be any number of words.
   */
  readonly words: readonly (string | undefined)[];
  /** Files that the shell opens for it. `<>` is both; here-documents and copies of descriptors are none. */
  readonly redirects: readonly CommandRedirect[];
  /** The names assigned for it (`PATH=… rm`, `env A=b rm`), or by it (`export PATH=…`). */
  readonly assigns: readonly string[];
  /** The wrappers it was found behind, outermost first: `['sudo', 'sh -c']`. */
  readonly behind: readonly string[];
}

export interface CommandRedirect {
  readonly kind: 'read' | 'write';
  readonly target: string | undefined;
}

/** In UTF-16 code units. A longer command is not read at all. */
const longest = 65_536;

/** Words of a command that it may run, for all that is known of its program. */
export interface Heeded {
  readonly command: SimpleCommand;
  readonly words: readonly ShellWord[];
}

/** A reading with what rules need beside it. */
export interface ReachReading extends CommandReading {
  readonly reach: Reach;
  /** The words of each of `commands`, with what is known of those that are not known whole. */
  readonly words: readonly (readonly ShellWord[])[];
  readonly heeded: readonly Heeded[];
  /** What the line gives to variables. */
  readonly values: readonly ShellWord[];
  /** Steps that the reading took. */
  readonly spent: number;
}

/** Reads a command as a tool would run it: a shell line, or an argv list that no shell sees. Never throws. */
export function readCommand(command: string | readonly string[]): CommandReading {
  const { commands, unknown } = readReach(command);
  return Object.freeze({ commands, unknown });
}

/** The same, with where it goes. */
export function readReach(command: string | readonly string[]): ReachReading {
  const reader = new Reader();
  try {
    if (typeof command === 'string') readLine(command, reader);
    else readArgv(command, reader);
    reader.settle();
  } catch (cause) {
    reader.doubt(
      `the reader failed: ${clip(cause instanceof Error ? cause.message : 'for a reason that is no error')}`,
    );
  }
  return Object.freeze({
    commands: Object.freeze(reader.commands),
    unknown: Object.freeze([...reader.unknown]),
    reach: reader.reaches.found(),
    words: reader.words,
    heeded: reader.heeded,
    values: reader.values,
    spent: reader.spent,
  });
}

function readLine(line: string, reader: Reader): void {
  if (line.length > longest) return reader.doubt(tooLong);
  reader.script(line, reader.outermost);
}

function readArgv(argv: readonly string[], reader: Reader): void {
  if (!Array.isArray(argv)) return reader.doubt('the command is neither a text nor a list of texts');
  // `every` skips holes, a copy does not.
  const words: readonly unknown[] = [...(argv as readonly unknown[])];
  if (words.length === 0) return reader.doubt('the command is an empty list');
  if (!words.every((word): word is string => typeof word === 'string')) {
    return reader.doubt('the command is a list that holds more than texts');
  }
  if (words.reduce((length, word) => length + word.length + 1, 0) > longest) return reader.doubt(tooLong);
  if (words.some((word) => word.includes('\0'))) reader.doubt('a NUL character stands in it');
  reader.run(words.map(known), { assigns: [], redirects: [] }, reader.outermost);
}

const tooLong = `the command is longer than ${longest} characters`;
