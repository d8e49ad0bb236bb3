/** Plans: the order of a point with the silenced left out, kept per list and renewed when the point changes. */
import type { GuardVerdict, PlanRow } from '@treblehook/types';
import { mark } from './frozen.js';
import type { Lists } from './lists.js';
import { runs } from './lists.js';
import type { Ordered } from './order.js';
import type { Point } from './point.js';
import type { Registration } from './registration.js';

export interface Plan {
  readonly point: Point;
  readonly handlers: readonly Registration[];
  /** Guards: the whole plan is asked, a guard that was removed meanwhile too. */
  readonly isWhole: boolean;
  /** Of the point when the plan was last found right. */
  version: number;
  /** Another number for every other list of handlers. */
  readonly generation: number;
  /** Pipelines: key → the entry that has locked it, as seen by the stage of that index; absent when no lock is held. */
  readonly locked: readonly (ReadonlyMap<string, string> | undefined)[] | undefined;
  /** Guards: the verdicts when everybody passes. */
  readonly allPassed: readonly GuardVerdict[];
}

export function makePlan(point: Point, lists: Lists, before: Plan | undefined): Plan {
  const ordered = point.ordered();
  const isGuard = point.entry.discipline === 'guard';
  const running = ordered.filter(({ registration }) => runs(lists, registration, isGuard));
  const handlers = running.map(({ registration }) => registration);
  if (before !== undefined && sameHandlers(before.handlers, handlers)) {
    before.version = point.version;
    return before;
  }
  return {
    point,
    handlers: Object.freeze(handlers),
    isWhole: isGuard,
    version: point.version,
    generation: point.nextGeneration(),
    locked: locksBefore(point, running),
    allPassed: mark(isGuard ? handlers.map((registration) => registration.passed!) : []),
  };
}

const sameHandlers = (a: readonly Registration[], b: readonly Registration[]): boolean =>
  a.length === b.length && a.every((registration, at) => registration === b[at]);

/** A lock holds behind the last handler of its entry; while nobody sits there it is inert. */
function locksBefore(point: Point, running: readonly Ordered[]): Plan['locked'] {
  if (point.locks.size === 0) return undefined;
  const lastOf = lastSitting(running);
  let held: ReadonlyMap<string, string> | undefined;
  const locked = running.map(({ entry }, at) => {
    const before = held;
    const keys = lastOf.get(entry) === at ? point.locks.get(entry) : undefined;
    if (keys !== undefined) held = new Map([...keys.map((key) => [key, entry] as const), ...(held ?? [])]);
    return before;
  });
  return held === undefined ? undefined : locked;
}

const lastSitting = (running: readonly Ordered[]): ReadonlyMap<string, number> =>
  new Map(running.map(({ entry }, at) => [entry, at]));

/** The plan as rows for people, the silenced included. */
export function rowsOf(point: Point, lists: Lists): readonly PlanRow[] {
  const ordered = point.ordered();
  const isGuard = point.entry.discipline === 'guard';
  const silenced = new Set(ordered.filter(({ registration }) => !runs(lists, registration, isGuard)));
  const running = ordered.filter((one) => !silenced.has(one));
  const lastOf = lastSitting(running);
  return Object.freeze(
    ordered.map((one): PlanRow => {
      const { registration, entry, edges, why } = one;
      const locks = running[lastOf.get(entry) ?? -1] === one ? (point.locks.get(entry) ?? []) : [];
      return Object.freeze({
        id: registration.id,
        owner: registration.owner,
        entry,
        why,
        edges,
        locks: Object.freeze([...locks]),
        silenced: silenced.has(one),
        budgetMs: registration.budgetMs === Infinity ? undefined : registration.budgetMs,
        onError: isGuard ? 'deny' : registration.aborts ? 'abort' : 'isolate',
      });
    }),
  );
}
