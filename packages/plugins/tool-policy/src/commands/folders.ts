/** The folders that the commands of a line may stand in. */
import { leadsTo } from '../paths/leads-to.js';
import type { Move, Reach } from '../shell/reach.js';
import type { PolicyWorld } from '../world.js';

/** The folders that a relative path may be meant from; in words, why they are not known. */
export type Bases = readonly string[] | string;

/** Behind so many steps, or in so many folders, a line may stand anywhere. */
const mostMoves = 48;
const mostFolders = 128;
/** Names of folders that are looked up for it. */
const mostNames = 20_000;

/**
 * All folders that a line may be in at some time: those that it starts in, and those to which its steps lead from there, each
 * taken once or not at all, in their order; those that may be repeated as often as they lead on. Which ones are taken depends
 * on what fails, and where a command stands among them on subshells, so for all commands it is the same folders.
 */
export function foldersOf({ moves, movesHome }: Reach, starts: Bases, world: PolicyWorld): Bases {
  if (typeof starts === 'string' || moves.length === 0) return starts;
  const lost = moves.find(({ to }) => to === undefined || (movesHome && to.startsWith('~')));
  if (lost !== undefined) return `it is not known where '${lost.by}' leads`;
  if (moves.length > mostMoves) return `the line changes its folder more than ${mostMoves} times`;
  const repeated = moves.filter(({ again }) => again);
  const found = new Set<string>();
  let spent = 0;
  let why: string | undefined;

  const add = (places: readonly string[], by: readonly Move[]): void => {
    const added = places.filter((place) => !found.has(place));
    for (const place of added) found.add(place);
    for (const { to } of by) {
      // What is added here is in front of the next step, and not in front of this one again.
      for (const place of added) {
        if (why !== undefined) return;
        add(stepsFrom(place, to!), repeated);
      }
    }
  };
  const stepsFrom = (place: string, to: string): readonly string[] => {
    spent += namesIn(to) + (world.path.isAbsolute(to) ? 0 : namesIn(place));
    if (found.size > mostFolders || spent > mostNames) why ??= 'the line may be in too many folders';
    const places = why === undefined ? leadsTo(to, [place], world) : [];
    if (typeof places !== 'string') return places;
    why ??= places;
    return [];
  };

  add(starts, repeated);
  for (const { to } of moves.filter(({ again }) => !again)) {
    const before = [...found];
    for (const place of before) add(stepsFrom(place, to!), repeated);
  }
  return why ?? [...found];
}

/** How many names a path has, at most. */
export function namesIn(path: string): number {
  let count = 1;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) count++;
  return count;
}
