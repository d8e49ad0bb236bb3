/** The state of one hook point in one registry: its live registrations, their order, and the plans made of it. */
import { closeClass } from './closed-class.js';
import { HookError, nearestName, type HookPoint } from '@treblehook/types';
import type { Strategy } from './disciplines.js';
import { keysOf, type Keys } from './key.js';
import type { Lists } from './lists.js';
import { record } from './option.js';
import { Field } from './field.js';
import { append } from './frozen.js';
import { everyone, orderOf, readSeats, type Ordered, type Seat } from './order.js';
import { makePlan, type Plan } from './plan.js';
import { host, type Registration } from './registration.js';

/** A full id, or a plugin id → the points that it is live on. */
export type Whereabouts = ReadonlyMap<string, readonly string[]>;

/** The names by which a list may name a handler. */
export const namesOf = ({ id, owner }: Registration): readonly string[] => (owner === host ? [id] : [id, owner]);

const quoted = (points: readonly string[]): string => points.map((point) => `'${point}'`).join(', ');

export class Point {
  readonly name: string;
  readonly entry: HookPoint;
  readonly strategy: Strategy;
  readonly seats: readonly Seat[];
  readonly locks: ReadonlyMap<string, readonly string[]>;
  readonly fields: readonly Field[];
  /** What an answer may carry. */
  readonly keys: Keys;
  /** Whether one of them stands in the place of another. */
  readonly hasReplacing: boolean;
  /** A place for the value of each key, its own and empty: a copy is written to without asking anybody's setter. */
  readonly blank: readonly undefined[];
  readonly live = new Map<string, Registration>();
  /** Rises with every change of `live`. */
  version = 0;

  readonly #rank: (owner: string) => number;
  readonly #plans = new WeakMap<Lists, Plan>();
  #lastLists: Lists | undefined;
  #lastPlan: Plan | undefined;
  #ordered: readonly Ordered[] | undefined;
  #edges = 0;
  #generations = 0;

  constructor(
    name: string,
    entry: HookPoint,
    strategy: Strategy,
    order: readonly string[] | undefined,
    locks: Readonly<Record<string, readonly string[]>> | undefined,
    rank: (owner: string) => number,
  ) {
    this.name = name;
    this.entry = entry;
    this.strategy = strategy;
    this.seats = readSeats(name, order === undefined ? (entry.order ?? [everyone]) : order);
    this.locks = readLocks(name, entry, this.seats, locks === undefined ? (entry.locks ?? {}) : locks);
    this.fields = Object.entries(entry.fields ?? {}).map(([field, kind]) => new Field(field, kind));
    this.keys = keysOf(entry);
    this.hasReplacing = Object.keys(entry.replaces).length > 0;
    this.blank = Array.from({ length: this.keys.size }, () => undefined);
    this.#rank = rank;
  }

  add(registration: Registration): void {
    this.live.set(registration.id, registration);
    this.#edges += registration.before.length + registration.after.length;
    this.changed();
  }

  remove(registration: Registration): boolean {
    if (this.live.get(registration.id) !== registration) return false;
    this.live.delete(registration.id);
    this.#edges -= registration.before.length + registration.after.length;
    this.changed();
    return true;
  }

  changed(): void {
    this.version++;
    this.#ordered = undefined;
    this.#lastPlan = undefined;
  }

  nextGeneration(): number {
    return ++this.#generations;
  }

  get hasEdges(): boolean {
    return this.#edges > 0;
  }

  /** Throws `TH_ORDER_CYCLE`. */
  ordered(): readonly Ordered[] {
    return (this.#ordered ??= orderOf(this.name, this.seats, [...this.live.values()], this.#rank));
  }

  plan(lists: Lists): Plan {
    if (this.#lastLists === lists && this.#lastPlan !== undefined) return this.#lastPlan;
    const known = this.#plans.get(lists);
    const plan = known?.version === this.version ? known : makePlan(this, lists, known);
    if (plan !== known) this.#plans.set(lists, plan);
    this.#lastLists = lists;
    this.#lastPlan = plan;
    return plan;
  }

  /** What `verify()` refuses of this point. `seatedOn` tells of each name that stands for a live handler on which points. */
  *faults(seatedOn: () => Whereabouts): Generator<HookError> {
    for (const { entry, optional } of this.seats) {
      if (optional || entry === everyone || this.#isSeated(entry)) continue;
      yield new HookError('TH_ORDER_UNKNOWN', {
        hook: this.name,
        what: 'the order list',
        id: entry,
        ...this.#whyNot(entry, seatedOn()),
      });
    }
    if (!this.hasEdges) return; // nobody waits for anybody
    const cycles: HookError[] = [];
    orderOf(this.name, this.seats, [...this.live.values()], this.#rank, (cycle) => append(cycles, cycle));
    yield* cycles;
  }

  #whyNot(entry: string, seatedOn: Whereabouts): { readonly why: string; readonly mend: string } {
    const elsewhere = seatedOn.get(entry);
    if (elsewhere !== undefined) {
      const mend = `take it out of the list, or write '${entry}?' if it comes later`;
      return { why: `which is registered on ${quoted(elsewhere)} and not here`, mend };
    }
    const why = 'which nobody registered';
    const near = nearestName(entry, [...this.live.values()].flatMap(namesOf)) ?? nearestName(entry, seatedOn.keys());
    if (near === undefined) return { why, mend: `register it, or write '${entry}?' if it may be missing` };
    const points = seatedOn.get(near) ?? [];
    const where = points.includes(this.name) ? '' : ` It is registered on ${quoted(points)} and not here`;
    return { why, mend: `did you mean '${near}'?${where}` };
  }

  #isSeated(entry: string): boolean {
    if (this.live.has(entry)) return true;
    for (const { owner } of this.live.values()) if (owner === entry) return true;
    return false;
  }
}
closeClass(Point);

function readLocks(
  hook: string,
  entry: HookPoint,
  seats: readonly Seat[],
  locks: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, readonly string[]> {
  const read = new Map<string, readonly string[]>();
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what, where: ` (locks of '${hook}')` });
  };
  for (const [holder, keys] of Object.entries(record(`the locks of '${hook}'`, locks))) {
    if (entry.discipline !== 'pipeline') refuse(`only a pipeline has locks; it is a ${entry.discipline} point`);
    if (!seats.some((seat) => seat.entry === holder)) {
      const written = seats.map(({ entry: name, optional }) => (optional && name !== everyone ? `${name}?` : name));
      const lacking = Object.keys(locks).filter((name) => !seats.some((seat) => seat.entry === name));
      const list = [...written, ...lacking.map((name) => `${name}?`)].map((name) => `'${name}'`).join(', ');
      const mend = `write [${list}], in your order, or give the point other locks`;
      throw new HookError('TH_ORDER_UNKNOWN', {
        hook,
        what: 'a lock',
        id: holder,
        why: 'which its order list lacks',
        mend,
      });
    }
    if (!Array.isArray(keys)) refuse(`'${holder}' must have a list of keys`);
    for (const key of keys) {
      if (!Object.hasOwn(entry.keys, key))
        refuse(`'${key}' is no key of it; keys are ${Object.keys(entry.keys).join(', ')}`);
      if (entry.terminal.includes(key)) refuse(`'${key}' is terminal and cannot be locked`);
    }
    read.set(holder, Object.freeze([...keys]));
  }
  return read;
}
