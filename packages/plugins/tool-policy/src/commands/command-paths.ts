/** The paths and URLs that a command line names. */
import { leadsTo, type LeadsTo } from '../paths/leads-to.js';
import type { CommandReading, SimpleCommand } from '../shell/read-command.js';
import type { PolicyWorld } from '../world.js';

/** The folders that a relative path may be meant from; in words, why they are not known. */
export type Bases = readonly string[] | string;

const movers: ReadonlySet<string> = new Set(['cd', 'pushd']);

/**
 * Where the command at a position may stand: in the host's folder, or where the `cd`s in front of it have led, one behind
 * the other. Which of both depends on subshells and on what fails, so a path is looked at from either.
 */
export function basesAt({ commands }: CommandReading, at: number, world: PolicyWorld): Bases {
  let moved: string | undefined;
  for (const command of commands.slice(0, at)) {
    if (command.program === 'popd') return 'it is not known where popd leads';
    if (!movers.has(command.program)) continue;
    const target = targetOf(command, world);
    if (target === undefined) return `it is not known where ${command.program} leads`;
    const places = leadsTo(target, [moved ?? world.cwd], world);
    if (typeof places === 'string') return places;
    if (places.length > 1) return `${command.program} may lead to '${places[0]!}' or to '${places[1]!}'`;
    moved = places[0]!;
  }
  return moved === undefined ? [world.cwd] : [world.cwd, moved];
}

/** `cd` alone leads home; an option moves nothing; `-` and what is not known lead somewhere. */
function targetOf({ words, program }: SimpleCommand, { home }: PolicyWorld): string | undefined {
  const rest = words.filter((word) => word === undefined || word === '-' || !word.startsWith('-'));
  if (rest.length === 0) return program === 'cd' ? home : undefined;
  const [target] = rest;
  return rest.length > 1 || target === '-' || target?.startsWith('+') ? undefined : target;
}

export function placesOf(target: string | undefined, bases: Bases, world: PolicyWorld): LeadsTo {
  if (target === undefined) return 'a file of the command is not known';
  return typeof bases === 'string' && !world.path.isAbsolute(target)
    ? bases
    : leadsTo(target, typeof bases === 'string' ? [world.cwd] : bases, world);
}

/** Words beyond these are not looked at one by one. */
const mostWords = 256;

/**
 * Where a command line may reach: its redirections, and each word that is no option, for it may be a file; of
 * `--file=name` the name. A word that is not known is left out: of it nothing can be said.
 */
export function pathsOf(reading: CommandReading, world: PolicyWorld): readonly LeadsTo[] {
  const named = reading.commands.flatMap(({ words, redirects }, at) => {
    const files = [...redirects.map(({ target }) => target), ...words.flatMap((word) => fileOf(word) ?? [])];
    return files.map((file) => ({ file, at }));
  });
  const bases = reading.commands.map((_, at) => basesAt(reading, at, world));
  const found = named.slice(0, mostWords).map(({ file, at }) => placesOf(file, bases[at]!, world));
  const unread = [
    ...(named.length > mostWords ? [`the command has more than ${mostWords} words`] : []),
    ...reading.unknown.slice(0, 1),
  ];
  return [...found, ...unread];
}

/** What no system opens is no file, and is left out. */
function fileOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const name = word.startsWith('-') ? /^--?[\w-]+=(.+)$/s.exec(word)?.[1] : word;
  return name === undefined || name === '' || name.length > 4096 || name.includes('\0') || name.includes('://')
    ? undefined
    : name;
}

/** Each word with a scheme. */
export function urlsOf(reading: CommandReading): readonly string[] {
  return reading.commands.flatMap(({ words }) =>
    words.flatMap((word) => /[a-z][a-z0-9+.-]*:\/\/.*/is.exec(word ?? '')?.[0] ?? []),
  );
}
