/** One fire, from payload to result: the plan, the door, the discipline. A value where no handler made it wait. */
import { HookError, textOf, type Discipline, type FieldKind, type HookModel, type Stage } from '@treblehook/types';
import { isInChain, type Chain } from './context.js';
import { copyFrozen, isMarked, isPlainObject, NotPlain } from './frozen.js';
import type { Plan } from './plan.js';
import type { Point } from './point.js';
import { Guard, isPolluted, polluted, unguarded } from './run-guard.js';
import { Merge } from './run-merge.js';
import { Observe } from './run-observe.js';
import { Pipeline } from './run-pipeline.js';
import { Route, unclaimed } from './run-route.js';
import type { Engine, Run, Source, View } from './run.js';
import { Trace } from './trace.js';

type RunClass = new (source: Source, plan: Plan, view: View) => Run;

/** A discipline: how its fires run, and what comes of one that has nobody to ask. */
export interface Strategy {
  /** What its answers may carry beside the keys of the point. */
  readonly ownKeys: Readonly<Record<string, FieldKind>>;
  readonly run: RunClass;
  readonly idle: (plan: Plan) => unknown;
}
const nothing = (): undefined => undefined;
export const strategies: Readonly<Record<Discipline, Strategy>> = {
  observe: { ownKeys: {}, run: Observe, idle: nothing },
  merge: { ownKeys: {}, run: Merge, idle: nothing },
  pipeline: { ownKeys: {}, run: Pipeline, idle: nothing },
  route: { ownKeys: { handled: 'boolean' }, run: Route, idle: () => unclaimed },
  guard: {
    ownKeys: { deny: 'string', halt: 'boolean', ask: 'string', rule: 'string' },
    run: Guard,
    idle: unguarded,
  },
};

/** The result of a fire, or a promise of it. Throws what the fire rejects with. */
export function fire(source: Source, point: Point, payload: unknown): unknown {
  const { engine, scope } = source;
  const { signal } = scope;
  if (signal !== undefined && signal.aborted) {
    if (point.entry.model === 'void') return undefined;
    throw new HookError('TH_ABORTED', { hook: point.name, cause: signal.reason });
  }
  const plan = point.plan(scope.lists);
  if (plan.isWhole && isPolluted()) return polluted(plan, 0);
  const { strategy } = point;
  const { isTraced } = engine.reporter;
  if (plan.handlers.length === 0) {
    const result = strategy.idle(plan);
    if (isTraced) tellFired(engine, point, asData(payload), result, 0, []);
    return result;
  }
  if (isTraced) return traced(source, plan, admit(point, payload));
  return new strategy.run(source, plan, admit(point, payload)).start();
}

function traced(source: Source, plan: Plan, view: View): unknown {
  const { point } = plan;
  const began = performance.now();
  const run = new point.strategy.run(source, plan, view);
  const { stages } = (run.trace = new Trace());
  const told = (result: unknown): unknown => {
    tellFired(source.engine, point, view, result, performance.now() - began, stages);
    return result;
  };
  const result = run.start();
  return result instanceof Promise ? result.then(told) : told(result);
}

function tellFired(
  { reporter }: Engine,
  { name: hook }: Point,
  payload: unknown,
  result: unknown,
  ms: number,
  stages: readonly Stage[],
): void {
  reporter.tell('fired', () => ({ hook, payload, result, ms, stages: Object.freeze(stages) }));
}

/** A payload that nobody was given and nobody has looked at, for those who watch; watching refuses nothing. */
function asData(payload: unknown): unknown {
  try {
    return copyFrozen(payload);
  } catch {
    return undefined; // swallows a payload that is no data
  }
}

/** The door: what comes in is plain, complete, frozen data. */
function admit(point: Point, payload: unknown): View {
  if (typeof payload !== 'object' || payload === null) return refusePayload(point, 'it must be a plain object');
  const view = isMarked(payload) && !Array.isArray(payload) ? (payload as View) : copied(point, payload);
  const { fields } = point;
  for (let at = 0; at < fields.length; at++) {
    const fault = fields[at]!.faultIn(view);
    if (fault !== undefined) return refusePayload(point, fault);
  }
  return view;
}

function copied(point: Point, payload: object): View {
  let copy: unknown;
  try {
    if (isPlainObject(payload)) copy = copyFrozen(payload);
  } catch (error) {
    // reading may throw anything: a payload can be a proxy
    const what = NotPlain.is(error) ? `it has ${error.message}` : `it cannot be read: ${textOf(error)}`;
    return refusePayload(point, what, error);
  }
  return copy === undefined ? refusePayload(point, 'it must be a plain object') : (copy as View);
}

function refusePayload({ name: hook }: Point, what: string, cause?: unknown): never {
  throw new HookError('TH_PAYLOAD_INVALID', { hook, where: ` of '${hook}'`, what, cause });
}

export function assertModel(point: Point, model: HookModel, verb: 'fire' | 'register', owner?: string): void {
  if (point.entry.model === model) return;
  const use = `${verb}${point.entry.model[0]!.toUpperCase()}${point.entry.model.slice(1)}`;
  throw new HookError('TH_WRONG_MODEL', { hook: point.name, model: point.entry.model, use, owner });
}

/** Refuses a fire that the handler in hand may not make. */
export function assertMayFire(point: Point, id: string, owner: string, chain: Chain): void {
  const { firedBy, owner: ownedBy } = point.entry;
  const isHost = owner === 'host';
  if (isHost ? firedBy !== id : ownedBy !== owner) {
    throw new HookError('TH_NOT_YOURS', { hook: point.name, handlerId: id, owner });
  }
  if (isInChain(chain, point.name)) {
    const hooks: string[] = [point.name];
    for (let at: Chain | undefined = chain; at !== undefined; at = at.up) hooks.push(at.hook);
    throw new HookError('TH_REENTRANT', {
      hook: point.name,
      chain: hooks.toReversed().join(' > '),
      handlerId: id,
      owner,
    });
  }
}
