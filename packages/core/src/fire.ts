/** One fire, from payload to result: the plan, the door, the discipline. A value where no handler made it wait. */
import { HookError, type Stage } from '@treblehook/types';
import { admit } from './admit.js';
import { copyFrozen } from './frozen.js';
import type { Plan } from './plan.js';
import type { Point } from './point.js';
import { isPolluted, polluted } from './run-guard.js';
import type { Engine, Source, View } from './run.js';
import { Trace } from './trace.js';

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
