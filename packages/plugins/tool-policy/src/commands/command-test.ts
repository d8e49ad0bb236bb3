/** Tests on the simple commands of a command line. */
import { matchName, ownFields } from '@treblehook/types';
import { compilePathTest, textsOf, type PathTest } from '../paths/path-test.js';
import type { ReachReading, SimpleCommand } from '../shell/read-command.js';
import { everyOf, not, someOf, type Truth } from '../truth.js';
import type { PolicyWorld } from '../world.js';
import { isOpenAlready } from './file-names.js';
import { targetOf } from './command-paths.js';
import type { Bases } from './folders.js';
import { hole, matchHoles } from './may-match.js';
import { compileNet } from './net.js';

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

/** Where the line starts is asked for when a redirection is looked at. */
interface Line {
  readonly reading: ReachReading;
  readonly starts: () => Bases;
}
type Tested = (command: SimpleCommand, line: Line) => Truth;

/**
 * Compiles a test of a whole reading. What could not be read makes it unknown, unless some command fulfils it anyway; and so
 * does a word that would be such a command, if the program in front of it may run it.
 */
export function compileCommandTest(
  given: CommandTest,
  world: PolicyWorld,
): (reading: ReachReading, starts: () => Bases) => Truth {
  const test = compileOne(given, world);
  const { program, line: lines } = ownFields<CommandTest>(given);
  const net = compileNet(
    program === undefined ? [] : textsOf(program),
    lines === undefined ? [] : textsOf(lines),
    world,
  );
  return (reading, starts) => {
    const line = { reading, starts };
    const found = someOf(reading.commands, (command) => test(command, line));
    if (found !== false) return found;
    return reading.unknown[0] ?? net?.(reading, (command) => test(command, line)) ?? false;
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
  return (command, line) => everyOf(tests, (test) => test(command, line));
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
  return (command, { reading, starts }) => {
    const targets = command.redirects.filter(
      (redirect) => redirect.kind === kind && (redirect.target === undefined || !isOpenAlready(redirect.target)),
    );
    return someOf(targets, ({ target }) => holds(targetOf(target, command, reading, starts(), world)));
  };
}

const otherThan =
  (test: Tested): Tested =>
  (command, line) =>
    not(test(command, line));

/** `rm.exe` is `rm` where programs end so. */
const nameOf = ({ program }: SimpleCommand, { platform }: PolicyWorld): string =>
  platform === 'win32' ? program.replace(/\.(?:exe|com|bat|cmd)$/i, '') : program;
