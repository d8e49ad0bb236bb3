/** One look at one call: each path followed and each command read at most once, however many rules ask. */
import type { GuardedTool, JsonValue } from '@treblehook/types';
import { addedNames, hasAddedNames } from './added-names.js';
import { pathsOf } from './commands/command-paths.js';
import { urlsOf } from './commands/command-urls.js';
import type { Bases } from './commands/folders.js';
import { hostOf, type Host } from './hosts/host-of.js';
import { leadsTo, type LeadsTo } from './paths/leads-to.js';
import { valueAt } from './pointer.js';
import { commandOf } from './predicate.js';
import { readCommand, readReach, type CommandReading, type ReachReading } from './shell/read-command.js';
import type { PolicyWorld } from './world.js';

/** What a guard looks at. */
export interface PolicedCall {
  readonly tool: PolicedTool;
  readonly args: JsonValue;
  /** Who calls: the id of the personality. Left out, rules for personalities do not match. */
  readonly personality?: string;
  /** The personalities of those who gave it the task, from the root. Rules for them count, too. */
  readonly above?: readonly string[];
}
/** A tool as guards see it; its digest decides nothing. */
export type PolicedTool = Omit<GuardedTool, 'digest'>;

export class Look {
  readonly #world: PolicyWorld;
  readonly #places = new Map<string, LeadsTo>();
  readonly #readings = new Map<string | readonly string[], ReachReading>();
  readonly #hostOf = new Map<string, Host | string>();
  #paths: readonly LeadsTo[] | undefined;
  #hosts: readonly (Host | string)[] | undefined;
  #starts: Bases | undefined;

  constructor(
    readonly call: PolicedCall,
    world: PolicyWorld,
  ) {
    this.#world = askedOnce(world);
  }

  /** Where a path of the arguments may lead. */
  places(text: string): LeadsTo {
    let places = this.#places.get(text);
    if (places === undefined) this.#places.set(text, (places = leadsTo(text, [this.#world.cwd], this.#world)));
    return places;
  }

  reading(command: string | readonly string[]): ReachReading {
    let reading = this.#readings.get(command);
    if (reading === undefined) this.#readings.set(command, (reading = readSafely(command, readReach)));
    return reading;
  }

  /** The declared commands of the call. */
  commands(): readonly ReachReading[] {
    return declaredOf(this.call, 'commands').map((value) => readingOf(value, (command) => this.reading(command)));
  }

  /**
   * Where the declared commands may start: in the folder that a path argument called `cwd` names. Of other paths nobody
   * says whether one is such a folder, so each may be.
   */
  starts(): Bases {
    return (this.#starts ??= this.#findStarts());
  }

  #findStarts(): Bases {
    const { tool, args } = this.call;
    const { cwd } = this.#world;
    const names = Object.hasOwn(tool, 'paths') ? tool.paths! : [];
    const given = names.includes('cwd') ? valueAt(args, ['cwd']) : declaredOf(this.call, 'paths').flatMap(listed);
    const folders = (Array.isArray(given) ? given : [given]).filter(
      (value: JsonValue | undefined) => value !== undefined && value !== null,
    );
    const found = new Set<string>(names.includes('cwd') && folders.length > 0 ? [] : [cwd]);
    for (const folder of folders) {
      const places = typeof folder === 'string' ? this.places(folder) : 'a path is no text';
      if (typeof places === 'string') return places;
      for (const place of places) found.add(place);
    }
    return [...found];
  }

  /** Every path that the call names. */
  paths(): readonly LeadsTo[] {
    return (this.#paths ??= [
      ...declaredOf(this.call, 'paths')
        .flatMap(listed)
        .map((value) => (typeof value === 'string' ? this.places(value) : 'a path is no text')),
      ...this.commands().flatMap((reading) => pathsOf(reading, this.starts(), this.#world)),
    ]);
  }

  /** The host of a URL of the arguments; in words, why it cannot be told. */
  host(url: string): Host | string {
    let host = this.#hostOf.get(url);
    if (host === undefined) this.#hostOf.set(url, (host = hostOf(url)));
    return host;
  }

  /** The host of every URL that the call names. */
  hosts(): readonly (Host | string)[] {
    return (this.#hosts ??= [
      ...declaredOf(this.call, 'urls')
        .flatMap(listed)
        .map((value) => (typeof value === 'string' ? this.host(value) : 'a URL is no text')),
      ...this.commands().flatMap((reading) =>
        urlsOf(reading).map((url) => (typeof url === 'string' ? this.host(url) : url.why)),
      ),
    ]);
  }
}

/** A world that is asked once where a place is, and whether anything stands there. */
const askedOnce = (world: PolicyWorld): PolicyWorld => ({
  ...world,
  realPath: remembered(world.realPath),
  isThere: remembered(world.isThere),
  namesIn: remembered(world.namesIn),
});

function remembered<T>(ask: (absolute: string) => T): (absolute: string) => T {
  const known = new Map<string, T>();
  return (absolute) => {
    let found = known.get(absolute);
    if (found === undefined) known.set(absolute, (found = ask(absolute)));
    return found;
  };
}

/**
 * What is known of each command that the call names in the arguments that its tool declares as `commands`: what the rules of
 * a policy look at. Pure; never throws.
 */
export const readCommandsOf = (call: Pick<PolicedCall, 'tool' | 'args'>): readonly CommandReading[] =>
  declaredOf(call, 'commands').map((value) => readingOf(value, (command) => readSafely(command, readCommand)));

type Command = string | readonly string[];

function readingOf<R extends CommandReading>(value: JsonValue, read: (command: Command) => R): R | ReachReading {
  const command = commandOf(value);
  return command === undefined ? unread('a command is no text and no list of texts') : read(command);
}

const unread = (why: string): ReachReading => ({
  commands: [],
  unknown: [why],
  reach: { moves: [], names: [], movesHome: false },
  words: [],
  heeded: [],
  values: [],
  spent: 0,
});

/** The values of the declared arguments that the call has. */
function declaredOf(
  { tool, args }: Pick<PolicedCall, 'tool' | 'args'>,
  kind: 'paths' | 'commands' | 'urls',
): readonly JsonValue[] {
  const names = Object.hasOwn(tool, kind) ? tool[kind] : undefined;
  if (names === undefined || typeof args !== 'object' || args === null) return [];
  return names.flatMap((name) => {
    const value = Object.hasOwn(args, name) ? (args as Readonly<Record<string, JsonValue>>)[name] : undefined;
    return value === undefined || value === null ? [] : [value];
  });
}

const listed = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value]);

/** The parser is a library's: under prototypes that are not clean nothing it says counts. */
const readSafely = <R extends CommandReading>(command: Command, read: (command: Command) => R): R | ReachReading =>
  hasAddedNames() ? unread(addedNames) : read(command);
