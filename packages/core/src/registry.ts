/** The registry: puts points, owners, plans and fires together. All state is its own, none is the module's. */
import {
  budgetRange,
  HookError,
  isBudget,
  nearestName,
  type Catalogue,
  type HookModel,
  type HookRegistry,
  type PluginList,
  type PointDescription,
  type RegistryOptions,
  type ScopeOptions,
} from '@treblehook/types';
import { AbortFan } from './abort-fan.js';
import { fireFromWith, firePoint, makeCaller, ownPoints, readScope, type FindPoint } from './callers.js';
import { Clock } from './clock.js';
import { Desks } from './desks.js';
import { strategies } from './disciplines.js';
import { Interned } from './lists.js';
import { record, shown } from './option.js';
import { Owners } from './owners.js';
import { rowsOf } from './plan.js';
import { Point } from './point.js';
import { Reporter } from './report.js';
import { assertModel } from './rights.js';
import type { Engine } from './run.js';

/**
 * Makes a registry over a catalogue. Throws `TH_ORDER_INVALID`, `TH_ORDER_UNKNOWN` (a lock on an entry that the list
 * lacks), `TH_OPTION_INVALID`, `TH_UNKNOWN_HOOK`.
 */
export function createHookRegistry<C extends Catalogue>(
  catalogue: C,
  options: RegistryOptions<C> = {},
): HookRegistry<C> {
  const {
    order = {},
    locks = {},
    budgets = {},
    plugins = [],
    ...unknown
  } = record('the options of a registry', options);
  for (const name of Object.keys(unknown)) {
    const what = `'${name}' is no option of a registry; options are order, locks, budgets, plugins`;
    throw new HookError('TH_OPTION_INVALID', { what });
  }
  record("'order'", order);
  record("'locks'", locks);
  record("'budgets'", budgets);
  const points = new Map<string, Point>();
  const pointOf = (name: unknown, owner?: string): Point => {
    const point = points.get(name as string);
    if (point === undefined) throw unknownHook(catalogue, typeof name === 'string' ? name : shown(name), owner);
    return point;
  };
  const owners = new Owners(catalogue, plugins);
  for (const [name, entry] of Object.entries(catalogue)) {
    const strategy = strategies[entry.discipline];
    points.set(name, new Point(name, entry, strategy, ownOf(order, name), ownOf(locks, name), owners.rank));
  }
  for (const name of [...Object.keys(order), ...Object.keys(locks)]) pointOf(name);
  for (const [key, ms] of Object.entries(budgets)) {
    pointOf(key.split('/')[0]);
    if (isBudget(ms)) continue;
    throw new HookError('TH_OPTION_INVALID', { what: `budgets['${key}'] must be ${budgetRange}, not ${shown(ms)}` });
  }

  const interned = new Interned();
  const reporter = new Reporter();
  const engine: Engine = { clock: new Clock(), aborts: new AbortFan(), reporter, fireFrom: fireFromWith(pointOf) };
  const find: FindPoint = (name, model) => {
    const point = pointOf(name);
    if (model) assertModel(point, model, 'fire');
    return point;
  };
  const inspecting = {
    hasHandlers: (name: unknown, allowed?: PluginList) =>
      pointOf(name).plan(interned.ofPlugins(allowed)).handlers.length > 0,
    plan: (name: unknown, allowed?: PluginList) => rowsOf(pointOf(name), interned.ofPlugins(allowed)),
  };
  const desks = new Desks(points, pointOf, owners, new Map(Object.entries(budgets)), reporter, inspecting);
  const firing =
    (model: HookModel) =>
    async (name: unknown, payload: unknown, allowed?: PluginList): Promise<any> => {
      const scope = { lists: interned.ofPlugins(allowed), signal: undefined, callModel: undefined };
      return firePoint({ engine, scope, chain: undefined }, find, model, name, payload);
    };

  return Object.freeze({
    catalogue,
    ...desks.hostRegistrar(),
    forPlugin: (pluginId: string) => desks.pluginRegistrar(pluginId),
    unregisterPlugin: (pluginId: string) => desks.unregisterPlugin(pluginId),
    replace: (pluginId: string, fill: (registrar: any) => void) => desks.replace(pluginId, fill),
    stage: (pluginId: string) => desks.stage(pluginId),
    scoped: (scope: ScopeOptions) =>
      makeCaller({ engine, scope: readScope(scope, interned), chain: undefined }, ownPoints(scope, find)),
    fireVoid: firing('void'),
    fireModifying: firing('modifying'),
    fireClaiming: firing('claiming'),
    describe: () => {
      const everybody = interned.of('all');
      return { hooks: [...points.values()].map((point) => describePoint(point, rowsOf(point, everybody))) };
    },
    verify: () => {
      const faults = desks.faults();
      if (faults.length === 1) throw faults[0]!;
      if (faults.length > 1) {
        const what = faults.map(({ message }) => message).join('; ');
        throw new HookError('TH_VERIFY_FAILED', { count: faults.length, what, faults });
      }
      desks.isVerified = true;
    },
    events: reporter.source,
  }) as HookRegistry<any>;
}

const ownOf = <T>(of: Readonly<Record<string, T | undefined>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;

function describePoint(point: Point, plan: PointDescription['plan']): PointDescription {
  const { model, discipline, summary, fields, collect, replaces, terminal, hostKeys, firedBy, owner, aka } =
    point.entry;
  const keys = { ...point.strategy.ownKeys, ...point.entry.keys };
  const order = point.seats.map(({ entry, optional }) => (optional && entry !== '*' ? `${entry}?` : entry));
  return Object.freeze({
    name: point.name,
    model,
    discipline,
    summary,
    fields,
    keys,
    collect,
    replaces,
    terminal,
    hostKeys,
    firedBy,
    owner,
    aka,
    order: Object.freeze(order),
    locks: Object.freeze(Object.fromEntries(point.locks)),
    plan,
  });
}

function unknownHook(catalogue: Catalogue, hook: string, owner: string | undefined): HookError {
  const alias = Object.keys(catalogue).find((name) => catalogue[name]!.aka.includes(hook));
  const near = alias ?? nearestName(hook, Object.keys(catalogue));
  return new HookError('TH_UNKNOWN_HOOK', { hook, owner, near: near === undefined ? '' : `: did you mean '${near}'?` });
}
