/** The one total order of a point: the list cuts it into seats, edges work inside a seat. Pure. */
import { HookError, type PlanEdge } from '@treblehook/types';
import { append, sorted } from './frozen.js';
import { shown } from './option.js';
import { host, type Registration } from './registration.js';

export const everyone = '*';

/** One entry of an order list. */
export interface Seat {
  readonly entry: string;
  readonly optional: boolean;
}

/** Reads an order list; `'*'` stands at the end when it is missing. Throws `TH_ORDER_INVALID`. */
export function readSeats(hook: string, list: readonly string[]): readonly Seat[] {
  const refuse = (what: string): never => {
    throw new HookError('TH_ORDER_INVALID', { hook, what });
  };
  if (!Array.isArray(list)) refuse('it must be a list of ids');
  const seats: Seat[] = [];
  for (const item of list as readonly unknown[]) {
    if (typeof item !== 'string' || item === '') {
      refuse(`an entry must be an id, a plugin id or '*', not ${shown(item)}`);
      continue;
    }
    const optional = item.endsWith('?');
    const entry = optional ? item.slice(0, -1) : item;
    if (entry === '') refuse(`'?' names nobody`);
    if (entry.includes('~')) refuse(`'${entry}' is the id of a handler without one, which no list may name`);
    if (optional && entry === everyone) refuse(`'*' needs no '?'`);
    if (seats.some((seat) => seat.entry === entry)) refuse(`'${entry}' stands in it twice`);
    append(seats, { entry, optional });
  }
  if (!seats.some((seat) => seat.entry === everyone)) append(seats, { entry: everyone, optional: true });
  return seats;
}

export interface Ordered {
  readonly registration: Registration;
  readonly entry: string;
  readonly edges: readonly PlanEdge[];
  readonly why: string;
}

/**
 * Orders the live registrations of a point. `rank` gives an owner's place among the owners of one seat. A cycle is given to
 * `refuse` (`TH_ORDER_CYCLE`, one per seat), which throws unless somebody collects them.
 */
export function orderOf(
  hook: string,
  seats: readonly Seat[],
  registrations: readonly Registration[],
  rank: (owner: string) => number,
  refuse: (cycle: HookError) => void = throwIt,
): readonly Ordered[] {
  const named = new Set(seats.map((seat) => seat.entry));
  const members = new Map<string, Registration[]>(seats.map((seat) => [seat.entry, []]));
  const entryOf = new Map<string, string>();
  for (const registration of registrations) {
    const entry = named.has(registration.id)
      ? registration.id
      : registration.owner !== host && named.has(registration.owner)
        ? registration.owner
        : everyone;
    entryOf.set(registration.id, entry);
    append(members.get(entry)!, registration);
  }

  const ordered: Ordered[] = [];
  for (const seat of seats) {
    const inSeat = members.get(seat.entry)!;
    if (inSeat.length === 0) continue;
    const natural = sorted(inSeat, (a, b) => rank(a.owner) - rank(b.owner) || a.seq - b.seq);
    for (const registration of sortByEdges(hook, natural, seat.entry, entryOf, refuse)) {
      append(ordered, {
        registration,
        entry: seat.entry,
        edges:
          registration.before.length + registration.after.length === 0 ? none : edgesOf(registration, seats, entryOf),
        why: whyOf(registration, seat.entry),
      });
    }
  }
  return ordered;
}

const throwIt = (cycle: HookError): never => {
  throw cycle;
};

const none: readonly PlanEdge[] = Object.freeze([]);

/** Repeatedly takes the first handler, in natural order, all of whose predecessors are placed. */
function sortByEdges(
  hook: string,
  natural: readonly Registration[],
  entry: string,
  entryOf: ReadonlyMap<string, string>,
  refuse: (cycle: HookError) => void,
): readonly Registration[] {
  const waitsFor = new Map<string, Set<string>>();
  const wait = (later: string, earlier: string): void => {
    const inThisSeat = entryOf.get(later) === entry && entryOf.get(earlier) === entry;
    if (!inThisSeat) return; // inert, held by the list, or void against it
    const set = waitsFor.get(later);
    if (set) set.add(earlier);
    else waitsFor.set(later, new Set([earlier]));
  };
  for (const registration of natural) {
    for (const id of registration.before) wait(id, registration.id);
    for (const id of registration.after) wait(registration.id, id);
  }
  if (waitsFor.size === 0) return natural;

  const placed = new Set<string>();
  const placedInOrder: Registration[] = [];
  const rest = [...natural];
  while (rest.length > 0) {
    const next = rest.findIndex(({ id }) => [...(waitsFor.get(id) ?? [])].every((earlier) => placed.has(earlier)));
    if (next < 0) {
      const ids = cycleAmong(rest, waitsFor, placed);
      refuse(new HookError('TH_ORDER_CYCLE', { hook, ids: ids.map((id) => `'${id}'`).join(', ') }));
      return natural;
    }
    const [registration] = rest.splice(next, 1);
    placed.add(registration!.id);
    append(placedInOrder, registration!);
  }
  return placedInOrder;
}

/** Walks back from a waiting handler until an id repeats: the ids of one cycle, in order. */
function cycleAmong(
  rest: readonly Registration[],
  waitsFor: ReadonlyMap<string, ReadonlySet<string>>,
  placed: ReadonlySet<string>,
): readonly string[] {
  const path: string[] = [];
  let at = rest[0]!.id;
  while (!path.includes(at)) {
    append(path, at);
    at = [...waitsFor.get(at)!].find((earlier) => !placed.has(earlier))!;
  }
  return path.slice(path.indexOf(at)).toReversed();
}

function edgesOf(
  registration: Registration,
  seats: readonly Seat[],
  entryOf: ReadonlyMap<string, string>,
): readonly PlanEdge[] {
  const seatOf = (id: string): number => seats.findIndex((seat) => seat.entry === entryOf.get(id));
  const mine = seatOf(registration.id);
  const edge = (kind: 'before' | 'after', id: string): PlanEdge => {
    const other = seatOf(id);
    const against = kind === 'before' ? other < mine : other > mine;
    return Object.freeze({ kind, id, state: other < 0 ? 'inert' : against ? 'void' : 'held' });
  };
  return Object.freeze([
    ...registration.before.map((id) => edge('before', id)),
    ...registration.after.map((id) => edge('after', id)),
  ]);
}

function whyOf({ id, owner, before, after }: Registration, entry: string): string {
  const seat =
    entry === id
      ? 'named by the order list'
      : entry === owner
        ? `the list names its plugin '${owner}'`
        : owner === host
          ? "'*': host handlers come first"
          : "'*': by the place of its plugin";
  const edges = [...before.map((other) => `before '${other}'`), ...after.map((other) => `after '${other}'`)];
  return edges.length === 0 ? seat : `${seat}; asks to stand ${edges.join(', ')}`;
}
