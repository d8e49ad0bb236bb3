/** The net under the reader: of words that a program may run, those that a rule on commands would match. */
import { matchName } from '@treblehook/types';
import { baseName } from '../shell/base-name.js';
import { clip } from '../shell/clip.js';
import type { Heeded, ReachReading, SimpleCommand } from '../shell/read-command.js';
import type { ShellWord } from '../shell/shell-word.js';
import type { Truth } from '../truth.js';
import type { PolicyWorld } from '../world.js';

/** So many words are tried as a command by one rule; a line with more that may be one is not understood any better. */
const mostTried = 64;

/** Why a rule may match what a program of the line runs; `undefined` when no word of it would be such a command. */
export type Net = (reading: ReachReading, test: (command: SimpleCommand) => Truth) => string | undefined;

/** For rules that name a program or the begin of a line. Of any other the words of a command are no sign. */
export function compileNet(programs: readonly string[], lines: readonly string[], world: PolicyWorld): Net | undefined {
  const fold = (text: string): string => (world.caseless ? text.toLowerCase() : text);
  // What a glob that begins with a star matches behind a program it matches with the program in front, too.
  if (programs.some((glob) => /^\*+$/.test(glob)) && lines.length === 0) return undefined;
  const globs = [
    ...programs.filter((glob) => !/^\*+$/.test(glob)),
    ...lines.filter((line) => !line.startsWith('*')).map(programOf),
  ].map(fold);
  if (globs.length === 0) return undefined;
  const literals = globs.map(literalOf);
  const named = (path: string): boolean => {
    const name = fold(baseName(path));
    return name !== '' && globs.some((glob) => matchName(glob, name) || matchName(glob, bare(name, world)));
  };
  return (reading, test) => {
    if (reading.heeded.length === 0) return undefined;
    const text = textOf(reading);
    if (!literals.some((literal) => text.includes(literal))) return undefined;
    let tried = 0;
    for (const heeded of reading.heeded) {
      for (const { path, words } of candidatesIn(heeded, named)) {
        if (++tried > mostTried) return `more than ${mostTried} words of the line may be a command`;
        const { program, redirects, assigns, behind } = heeded.command;
        const command = { program: baseName(path), path, words, redirects, assigns, behind: [...behind, program] };
        const truth = test(command);
        if (truth === false) continue;
        return `\`${clip(program)}\` may run \`${clip([path, ...words.slice(0, 8).map((word) => word ?? '…')].join(' '))}\``;
      }
    }
    return undefined;
  };
}

const bare = (name: string, { platform }: PolicyWorld): string =>
  platform === 'win32' ? name.replace(/\.(?:exe|com|bat|cmd)$/i, '') : name;

/** Of a glob over lines the one over their programs. */
function programOf(line: string): string {
  const end = line.search(/[ *]/);
  return end === -1 ? line : line.slice(0, end) + (line[end] === '*' ? '*' : '');
}

/** The longest text that each name has which the glob matches. */
const literalOf = (glob: string): string =>
  glob
    .toLowerCase()
    .split('*')
    .reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');

const texts = new WeakMap<ReachReading, string>();

/** All heeded words, without the signs that part a name in two. */
function textOf(reading: ReachReading): string {
  let text = texts.get(reading);
  if (text === undefined) {
    const all = reading.heeded.flatMap(({ words }) => words.map(({ guess }) => guess)).join(' ');
    text = `${all} ${unquoted(all)}`.toLowerCase();
    texts.set(reading, text);
  }
  return text;
}

interface Candidate {
  readonly path: string;
  readonly words: readonly (string | undefined)[];
}

/** Each word, and each text inside of one, that a rule calls by its name, with what stands behind it. */
function* candidatesIn({ words }: Heeded, named: (path: string) => boolean): Generator<Candidate> {
  for (const [at, word] of words.entries()) {
    const behind = (): readonly (string | undefined)[] => words.slice(at + 1).map(({ text }) => text);
    if (word.text !== undefined && named(word.text)) yield { path: word.text, words: behind() };
    for (const text of textsIn(word)) {
      for (const { path, segment, rest } of piecesOf(text, named)) {
        yield { path, words: segment };
        yield { path, words: [...rest, ...behind()] };
      }
    }
  }
}

const marks = /[\s=:,;|&$(){}<>`"'[\]@!#%+\\^]/;
/** One letter of an option may stand in front: `-crm`. */
const letter = /^-[A-Za-z](?=.)/;
const unquoted = (text: string): string => text.replaceAll(/["'\\]/g, '');

function textsIn({ guess, text }: ShellWord): readonly string[] {
  const plain = !marks.test(guess);
  if (plain) return letter.test(guess) ? [guess.slice(2)] : text === undefined ? [guess] : [];
  const without = unquoted(guess);
  // `${x:-rm}` may become the text behind its sign.
  if (text === undefined && guess.includes('${')) return [guess, guess.replaceAll(/:?[-+?]/g, ' ')];
  return [guess, ...(without === guess ? [] : [without]), ...(letter.test(guess) ? [guess.slice(2)] : [])];
}

/** The texts between the marks of a text: each with the words up to where a command would end, and with all behind it. */
function* piecesOf(
  text: string,
  named: (path: string) => boolean,
): Generator<{ readonly path: string; readonly segment: readonly string[]; readonly rest: readonly string[] }> {
  const split = (from: number, to?: number): readonly string[] =>
    text
      .slice(from, to)
      .split(/[\s"'`,;|&()[\]{}]+/)
      .filter((one) => one !== '');
  for (const { 0: path, index } of text.matchAll(/[^\s=:,;|&$(){}<>`"'[\]@!#%+\\^]+/g)) {
    if (!named(path)) continue;
    const from = index + path.length;
    const end = text.slice(from).search(/[;|&\n()`"']/);
    yield { path, segment: split(from, end === -1 ? undefined : from + end), rest: split(from) };
  }
}
