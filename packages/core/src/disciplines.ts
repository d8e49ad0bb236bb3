/** The disciplines: how the fires of each run, and what comes of one that has nobody to ask. */
import type { Discipline, FieldKind } from '@treblehook/types';
import type { Plan } from './plan.js';
import { Guard, unguarded } from './run-guard.js';
import { Merge } from './run-merge.js';
import { Observe } from './run-observe.js';
import { Pipeline } from './run-pipeline.js';
import { Route, unclaimed } from './run-route.js';
import type { Run, Source, View } from './run.js';

type RunClass = new (source: Source, plan: Plan, view: View) => Run;

export interface Strategy {
  /** What its answers may carry beside the keys of the point. */
  readonly ownKeys: Readonly<Record<string, FieldKind>>;
  /** Default budget of one awaited handler, ms. */
  readonly budgetMs: number;
  readonly run: RunClass;
  readonly idle: (plan: Plan) => unknown;
}

const nothing = (): undefined => undefined;
export const strategies: Readonly<Record<Discipline, Strategy>> = {
  observe: { ownKeys: {}, budgetMs: 5_000, run: Observe, idle: nothing },
  merge: { ownKeys: {}, budgetMs: 10_000, run: Merge, idle: nothing },
  pipeline: { ownKeys: {}, budgetMs: 10_000, run: Pipeline, idle: nothing },
  route: { ownKeys: { handled: 'boolean' }, budgetMs: 10_000, run: Route, idle: () => unclaimed },
  guard: {
    ownKeys: { deny: 'string', halt: 'boolean', ask: 'string', rule: 'string' },
    budgetMs: 10_000,
    run: Guard,
    idle: unguarded,
  },
};
