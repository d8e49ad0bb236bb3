/** The paths that a command line names. */
import { leadsTo, type LeadsTo } from '../paths/leads-to.js';
import type { ReachReading, SimpleCommand } from '../shell/read-command.js';
import type { PolicyWorld } from '../world.js';
import { folderOf } from '../shell/reach.js';
import { namesInWord, isOpenAlready } from './file-names.js';
import { foldersOf, namesIn, type Bases } from './folders.js';
import { filesOfGlob, hasPlainGlobs } from './globs.js';
import { whyMore } from './more-files.js';
import { noFiles } from './operands.js';
import { speakers } from './speakers.js';

/** More names than these are not looked at one by one. */
const mostFiles = 512;
/** Names of folders and files that are looked up for them. */
const mostNames = 20_000;

export const unknownWord = ({ program }: SimpleCommand): string =>
  `a word of '${program}' is not known before the line runs`;

/** Where the files of one line are meant from. */
interface Ground {
  readonly starts: Bases;
  /** Where the shell may stand. */
  readonly shell: Bases;
  /** Where its programs may stand, too. */
  readonly all: Bases;
  readonly places: Map<string, LeadsTo>;
}

/** Of each reading, as many rules ask. */
const grounds = new WeakMap<ReachReading, Ground>();

function groundOf(reading: ReachReading, starts: Bases, world: PolicyWorld): Ground {
  const known = grounds.get(reading);
  if (known?.starts === starts) return known;
  const { reach, commands } = reading;
  const limit = (bases: Bases, files: readonly (string | undefined)[]): Bases =>
    typeof bases !== 'string' && work(files, bases, world) > mostNames
      ? 'it takes too much work to follow the files of the line'
      : bases;
  const targets = commands.flatMap(({ redirects }) => redirects.map(({ target }) => target));
  const shell = foldersOf({ ...reach, moves: reach.moves.filter((move) => move.shell) }, starts, world);
  const all = reach.moves.every((move) => move.shell) ? shell : foldersOf(reach, starts, world);
  const ground = { starts, shell: limit(shell, targets), all: limit(all, targets), places: new Map() };
  grounds.set(reading, ground);
  return ground;
}

/** How many names are looked up to follow some files from some folders. */
function work(files: readonly (string | undefined)[], bases: readonly string[], world: PolicyWorld): number {
  const above = bases.reduce((sum, base) => sum + namesIn(base), 0);
  let sum = 0;
  for (const file of files) {
    if (file === undefined) continue;
    sum += world.path.isAbsolute(file) ? namesIn(file) : namesIn(file) * bases.length + above;
  }
  return sum;
}

/** Where a redirection of a command leads. */
export function targetOf(
  target: string | undefined,
  { behind }: SimpleCommand,
  reading: ReachReading,
  starts: Bases,
  world: PolicyWorld,
): LeadsTo {
  const ground = groundOf(reading, starts, world);
  return placesOf(target, behind.length === 0 ? 'shell' : 'all', ground, reading, world);
}

function placesOf(
  file: string | undefined,
  from: 'shell' | 'all',
  ground: Ground,
  { reach }: ReachReading,
  world: PolicyWorld,
): LeadsTo {
  if (file === undefined) return 'a file of the command is not known';
  if (reach.movesHome && file.startsWith('~')) return `it is not known where '${file.slice(0, 40)}' leads`;
  const key = from + file;
  let places = ground.places.get(key);
  if (places !== undefined) return places;
  const bases = ground[from];
  if (world.path.isAbsolute(file) || /^file:/i.test(file)) places = leadsTo(file, [world.cwd], world);
  else places = typeof bases === 'string' ? bases : leadsTo(file, bases, world);
  ground.places.set(key, places);
  return places;
}

/**
 * Where a command line may reach: its redirections, and each word, for it may be a file, or hold the name of one. A word that
 * is not known may be any file, unless the program opens none.
 */
export function pathsOf(reading: ReachReading, starts: Bases, world: PolicyWorld): readonly LeadsTo[] {
  const { commands, reach, unknown } = reading;
  const files = new Set<string>();
  const take = (word: string | undefined, program: string): void => {
    if (word === undefined || files.size > mostFiles) return;
    for (const name of namesInWord(word, program, mostFiles)) files.add(name);
  };
  const ground = groundOf(reading, starts, world);
  const notKnown: string[] = [];
  for (const [at, command] of commands.entries()) {
    const { program } = command;
    const words = reading.words[at]!;
    const skipped = noFiles(program, words);
    let plain: boolean | undefined;
    for (const [place, word] of words.entries()) {
      if (skipped.has(place) || word.isPipe === true) continue;
      if (word.text !== undefined) {
        take(word.text, program);
        continue;
      }
      take(folderOf(word), '');
      if (speakers.has(program)) continue;
      plain ??= hasPlainGlobs(reading, at);
      const named = plain ? filesOfGlob(word, ground.all, world) : undefined;
      if (named === undefined) notKnown.push(unknownWord(command));
      else for (const name of named) take(name, program);
    }
  }
  for (const name of reach.names) take(name, '');
  const named = [...files].slice(0, mostFiles);
  const heavy = typeof ground.all !== 'string' && work(named, ground.all, world) > mostNames;
  const targets = commands.flatMap((command) =>
    command.redirects.flatMap(({ target }) =>
      target !== undefined && isOpenAlready(target) ? [] : [{ target, command }],
    ),
  );
  return [
    ...targets.slice(0, mostFiles).map(({ target, command }) => targetOf(target, command, reading, starts, world)),
    ...(heavy ? [] : named.map((name) => placesOf(name, 'all', ground, reading, world))),
    ...notKnown.slice(0, 1),
    ...whyMore(commands),
    ...(heavy ? ['it takes too much work to follow the files of the line'] : []),
    ...(files.size > mostFiles || targets.length > mostFiles ? [`the command names more than ${mostFiles} files`] : []),
    ...unknown.slice(0, 1),
  ];
}
