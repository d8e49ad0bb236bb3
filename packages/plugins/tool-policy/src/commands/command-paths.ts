/** The paths and URLs that a command line names. */
import { leadsTo, type LeadsTo } from '../paths/leads-to.js';
import type { CommandReading, SimpleCommand } from '../shell/read-command.js';
import type { PolicyWorld } from '../world.js';

/** The folders that a relative path may be meant from; in words, why they are not known. */
export type Bases = readonly string[] | string;

const movers: ReadonlySet<string> = new Set(['cd', 'pushd']);

/**
 * Where the command at a position may stand: in a folder that the line starts in, or where the `cd`s in front of it have
 * led, one behind the other. Which of both depends on subshells and on what fails, so a path is looked at from either.
 */
export function basesAt({ commands }: CommandReading, at: number, starts: Bases, world: PolicyWorld): Bases {
  if (typeof starts === 'string') return starts;
  let moved: readonly string[] | undefined;
  for (const command of commands.slice(0, at)) {
    if (command.program === 'popd') return 'it is not known where popd leads';
    if (!movers.has(command.program)) continue;
    const target = targetOf(command, world);
    if (target === undefined) return `it is not known where ${command.program} leads`;
    const next = new Set<string>();
    for (const base of moved ?? starts) {
      const places = leadsTo(target, [base], world);
      if (typeof places === 'string') return places;
      if (places.length > 1) return `${command.program} may lead to '${places[0]!}' or to '${places[1]!}'`;
      next.add(places[0]!);
    }
    moved = [...next];
  }
  return moved === undefined ? starts : [...starts, ...moved];
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

/** Programs that open no file that a word of theirs names, and ask nobody on a network. */
const speakers: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', ':', 'sleep', 'exit', 'export']);
/** Programs that ask nobody on a network, whatever their words are. */
const locals: ReadonlySet<string> = new Set([
  'ls', 'cat', 'head', 'tail', 'wc', 'sort', 'uniq', 'cut', 'tr', 'grep', 'diff', 'cd', 'pwd', 'test', '[', 'basename',
  'dirname', 'mkdir', 'rmdir', 'rm', 'cp', 'mv', 'ln', 'touch', 'chmod', 'stat', 'realpath', 'readlink', 'tee',
]); // prettier-ignore

const unknownWord = ({ program }: SimpleCommand): string => `a word of '${program}' is not known before the line runs`;

/**
 * Where a command line may reach: its redirections, and each word, for it may be a file; of `--file=name` and `if=name`
 * the name, too. A word that is not known may be any file, unless the program opens none.
 */
export function pathsOf(reading: CommandReading, starts: Bases, world: PolicyWorld): readonly LeadsTo[] {
  const named = reading.commands.flatMap(({ words, redirects }, at) => {
    const files = [...redirects.map(({ target }) => target), ...words.flatMap(filesOf)];
    return files.map((file) => ({ file, at }));
  });
  const bases = reading.commands.map((_, at) => basesAt(reading, at, starts, world));
  const found = named.slice(0, mostWords).map(({ file, at }) => placesOf(file, bases[at]!, world));
  const unread = [
    ...reading.commands.flatMap((command) =>
      command.words.includes(undefined) && !speakers.has(command.program) ? [unknownWord(command)] : [],
    ),
    ...(named.length > mostWords ? [`the command has more than ${mostWords} words`] : []),
    ...reading.unknown.slice(0, 1),
  ];
  return [...found, ...unread];
}

/** The names that a word may be; what no system opens is no file, and is left out. */
function filesOf(word: string | undefined): readonly string[] {
  if (word === undefined) return [];
  // `--file=name`, `if=name`, `@name`, `-fdir/name`
  const inside = /^(?:-{0,2}[\w-]+=|@|-\w(?=.*[/.]))(.+)$/s.exec(word)?.[1];
  return [...(word.startsWith('-') ? [] : [word]), ...(inside === undefined ? [] : [inside])].filter(
    (name) => name !== '' && name.length <= 4096 && !name.includes('\0') && !name.includes('://'),
  );
}

/** Each word with a scheme, and what bash opens a connection for; in words why there may be another. */
export function urlsOf(reading: CommandReading): readonly (string | Unread)[] {
  return reading.commands.flatMap((command) => {
    const { program, words, redirects } = command;
    const isOpen = redirects.some(({ target }) => target === undefined);
    const mayAsk = words.includes(undefined) && !speakers.has(program) && !locals.has(program);
    return [
      ...words.flatMap((word) => /[a-z][a-z0-9+.-]*:\/\/.*/is.exec(word ?? '')?.[0] ?? []),
      ...redirects.flatMap(({ target }) => {
        const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(target ?? '')?.[1];
        return host === undefined ? [] : [`http://${host.includes(':') ? `[${host}]` : host}/`];
      }),
      ...(isOpen || mayAsk ? [{ why: unknownWord(command) }] : []),
    ];
  });
}

/** Why a URL is not known. */
export interface Unread {
  readonly why: string;
}
