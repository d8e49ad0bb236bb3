/** Tests on the simple commands of a command line. */
import { matchName, ownFields } from '@treblehook/types';
import { compilePathTest, textsOf, type PathTest } from '../paths/path-test.js';
import type { CommandReading, SimpleCommand } from '../shell/read-command.js';
import { everyOf, not, someOf, type Truth } from '../truth.js';
import type { PolicyWorld } from '../world.js';
import { basesAt, placesOf } from './command-paths.js';
import { hole, matchHoles } from './may-match.js';

/**
 * Holds for a command line when one of its simple commands fulfils all that is said here: in lists, pipes, subshells,
 * substitutions, behind wrappers. Globs are name globs: `*` matches any characters.
 */
export interface CommandTest {
  /** The program by its name without its folder: `rm`, `mkfs.*`. */
  readonly program?: string | readonly string[];
  /** The program and its words with one blank between them, quotes undone: `git push *`. */
  readonly line?: string | readonly string[];
  /** One of its words: `--force`. */
  readonly word?: string | readonly string[];
  /** A variable that is set for it: `LD_*`. */
  readonly assigns?: string | readonly string[];
  /** A file that its output is sent to. */
  readonly writes?: PathTest;
  /** A file that its input is taken from. */
  readonly reads?: PathTest;
  /** Holds for a command for which this does not: `not: { program: [ls, cat] }` is any other program. */
  readonly not?: CommandTest;
}

/** Where a command may begin to run. */
export interface Starts {
  readonly starts: () => readonly PolicyWorld[];
}

type Tested = (command: SimpleCommand, at: number, reading: CommandReading, from: Starts) => Truth;

/** Compiles a test of a whole reading. What could not be read makes it unknown, unless some command fulfils it anyway. */
export function compileCommandTest(
  given: CommandTest,
  world: PolicyWorld,
): (reading: CommandReading, from: Starts) => Truth {
  const test = compileOne(given, world);
  return (reading, from) => {
    const found = someOf([...reading.commands.keys()], (at) => test(reading.commands[at]!, at, reading, from));
    return found === false ? (reading.unknown[0] ?? false) : found;
  };
}

function compileOne(given: CommandTest, world: PolicyWorld): Tested {
  const { program, line, word, assigns, writes, reads, not: inner } = ownFields<CommandTest>(given);
  const tests: readonly Tested[] = [
    ...(program === undefined ? [] : [onProgram(textsOf(program), world)]),
    ...(line === undefined ? [] : [onLine(textsOf(line), world)]),
    ...(word === undefined ? [] : [onWords(textsOf(word), ({ words }) => words)]),
    ...(assigns === undefined ? [] : [onWords(textsOf(assigns), (command) => command.assigns)]),
    ...(writes === undefined ? [] : [onRedirects('write', writes, world)]),
    ...(reads === undefined ? [] : [onRedirects('read', reads, world)]),
    ...(inner === undefined ? [] : [otherThan(compileOne(inner, world))]),
  ];
  return (command, at, reading, from) => everyOf(tests, (test) => test(command, at, reading, from));
}

function onProgram(programs: readonly string[], world: PolicyWorld): Tested {
  const fold = (text: string): string => (world.caseless ? text.toLowerCase() : text);
  const globs = programs.map(fold);
  return (command) => {
    const name = fold(nameOf(command, world));
    return globs.some((glob) => matchName(glob, name));
  };
}

const onLine =
  (globs: readonly string[], world: PolicyWorld): Tested =>
  (command) => {
    const text = [nameOf(command, world), ...command.words.map((one) => one ?? hole)].join(' ');
    return someOf(globs, (glob) => matchHoles(glob, text));
  };

const onWords =
  (globs: readonly string[], wordsOf: (command: SimpleCommand) => readonly (string | undefined)[]): Tested =>
  (command) =>
    someOf(wordsOf(command), (one) => someOf(globs, (glob) => matchHoles(glob, one ?? hole)));

function onRedirects(kind: 'read' | 'write', path: PathTest, world: PolicyWorld): Tested {
  const holds = compilePathTest(path, world);
  return ({ redirects }, at, reading, from) => {
    const targets = redirects.filter((redirect) => redirect.kind === kind);
    if (targets.length === 0) return false;
    return someOf(from.starts(), (start) => {
      const bases = basesAt(reading, at, start);
      return someOf(targets, ({ target }) => holds(placesOf(target, bases, start)));
    });
  };
}

const otherThan =
  (test: Tested): Tested =>
  (command, at, reading, from) =>
    not(test(command, at, reading, from));

/** `rm.exe` is `rm` where programs end so. */
const nameOf = ({ program }: SimpleCommand, { platform }: PolicyWorld): string =>
  platform === 'win32' ? program.replace(/\.(?:exe|com|bat|cmd)$/i, '') : program;
