/** One fire, from payload to result: the plan, the door, the discipline. A value where no handler made it wait. */
import { HookError, type Discipline, type HookModel, type Stage } from '@treblehook/types';
import { article, isOfKind } from './answer.js';
import { isInChain, type Chain } from './context.js';
import { copyFrozen, isMarked, isPlainObject, NotPlain } from './frozen.js';
import type { Plan } from './plan.js';
import type { Point } from './point.js';
import { Guard, isPolluted, polluted, unguarded } from './run-guard.js';
import { Merge } from './run-merge.js';
import { Observe } from './run-observe.js';
import { Pipeline } from './run-pipeline.js';
import { Route, unclaimed } from './run-route.js';
import type { Engine, Run, Scope, View } from './run.js';

type RunClass = new (engine: Engine, plan: Plan, scope: Scope, chain: Chain | undefined, view: View) => Run;

/** A discipline: how its fires run, and what comes of one that has nobody to ask. */
interface Strategy {
  readonly run: RunClass;
  readonly idle: (plan: Plan) => unknown;
}
const nothing = (): undefined => undefined;
const strategies: Readonly<Record<Discipline, Strategy>> = {
  observe: { run: Observe, idle: nothing },
  merge: { run: Merge, idle: nothing },
  pipeline: { run: Pipeline, idle: nothing },
  route: { run: Route, idle: () => unclaimed },
  guard: { run: Guard, idle: unguarded },
};

/** The result of a fire, or a promise of it. Throws what the fire rejects with. */
export function fire(engine: Engine, point: Point, payload: unknown, scope: Scope, chain: Chain | undefined): unknown {
  const { model, discipline } = point.entry;
  if (scope.signal?.aborted) {
    if (model === 'void') return undefined;
    throw new HookError('TH_ABORTED', { hook: point.name, cause: scope.signal.reason });
  }
  const plan = point.plan(scope.lists);
  const isTraced = engine.reporter.hears('fired');
  if (discipline === 'guard' && isPolluted()) return polluted(plan, 0);
  if (plan.handlers.length === 0 && !isTraced) return strategies[discipline].idle(plan);
  const view = admit(point, payload);
  if (isTraced) return traced(engine, plan, scope, chain, view);
  return new strategies[discipline].run(engine, plan, scope, chain, view).start();
}

function traced(engine: Engine, plan: Plan, scope: Scope, chain: Chain | undefined, view: View): unknown {
  const { run, idle } = strategies[plan.point.entry.discipline];
  const began = performance.now();
  const stages: Stage[] = [];
  const told = (result: unknown): unknown => {
    engine.reporter.tell('fired', () => ({
      hook: plan.point.name,
      payload: view,
      result,
      ms: performance.now() - began,
      stages: Object.freeze(stages),
    }));
    return result;
  };
  if (plan.handlers.length === 0) return told(idle(plan));
  const fired = new run(engine, plan, scope, chain, view);
  fired.stages = stages;
  const result = fired.start();
  return result instanceof Promise ? result.then(told) : told(result);
}

/** The door: what comes in is plain, complete, frozen data. */
function admit(point: Point, payload: unknown): View {
  const refuse = (what: string): never => {
    throw new HookError('TH_PAYLOAD_INVALID', { hook: point.name, what });
  };
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload) || !isPlainObject(payload)) {
    return refuse('it must be a plain object');
  }
  let view: View = payload;
  if (!isMarked(payload)) {
    try {
      view = copyFrozen(payload) as View;
    } catch (error) {
      if (error instanceof NotPlain) return refuse(`it has ${error.message}`);
      throw error;
    }
  }
  for (const [field, kind, optional] of point.fields) {
    const value = Object.hasOwn(view, field) ? view[field] : undefined;
    if (value === undefined || value === null) {
      if (!optional) return refuse(`the field '${field}' is missing`);
    } else if (!isOfKind(value, kind)) {
      return refuse(`the field '${field}' must be ${article(kind)}`);
    }
  }
  return view;
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
    throw new HookError('TH_REENTRANT', { hook: point.name, chain: hooks.toReversed().join(' > '), handlerId: id, owner });
  }
}
