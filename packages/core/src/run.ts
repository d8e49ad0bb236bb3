/** One fire in progress: what every discipline has in common, and the faults of handlers. */
import { closeClass } from './closed-class.js';
import { HookError } from '@treblehook/types';
import type { AbortFan } from './abort-fan.js';
import type { Clock } from './clock.js';
import type { Chain, FireFrom } from './context.js';
import type { Lists } from './lists.js';
import type { Plan } from './plan.js';
import type { Registration } from './registration.js';
import type { Reporter } from './report.js';
import type { Trace } from './trace.js';

/** What a caller was bound to. */
export interface Scope {
  readonly lists: Lists;
  readonly signal: AbortSignal | undefined;
  readonly callModel: ((request: any, purpose: string, inHand: readonly string[]) => Promise<any>) | undefined;
}

/** What all fires of one registry share. */
export interface Engine {
  readonly clock: Clock;
  readonly aborts: AbortFan;
  readonly reporter: Reporter;
  readonly fireFrom: FireFrom;
}

export type View = Readonly<Record<string, unknown>>;
export type Fault = 'error' | 'timeout' | 'invalid';

/** Where a fire comes from: the same for all fires of one caller. */
export interface Source {
  readonly engine: Engine;
  readonly scope: Scope;
  /** The fires that led to this one. */
  readonly chain: Chain | undefined;
}

export abstract class Run {
  readonly source: Source;
  readonly plan: Plan;
  /** The payload as the next handler sees it. */
  view: View;
  trace: Trace | undefined;

  // each class of a run passes its three arguments on by name, since a spread costs more than the fire; field definitions
  // would cost 8 ns per class, so the compiler makes them assignments (useDefineForClassFields)
  constructor(source: Source, plan: Plan, view: View) {
    this.source = source;
    this.plan = plan;
    this.view = view;
    this.trace = undefined;
  }

  get engine(): Engine {
    return this.source.engine;
  }
  get scope(): Scope {
    return this.source.scope;
  }

  /** The result, or a promise of it. Throws what the fire rejects with. */
  abstract start(): unknown;

  get hook(): string {
    return this.plan.point.name;
  }
  get fireFrom(): FireFrom {
    return this.engine.fireFrom;
  }
  /** The read-only view of what is set so far, on `merge`. */
  merged?(): unknown;

  aborted(): HookError {
    return new HookError('TH_ABORTED', { hook: this.hook, cause: this.scope.signal?.reason });
  }

  /** Tells a fault of a handler, for whoever listens; a fault that nobody hears is a warning, unless the caller does. */
  tell(
    registration: Registration,
    error: HookError,
    extra: { key?: string; late?: 'answer' | 'error' } = {},
    isHeard = false,
  ): void {
    const type = eventOf[error.code] ?? 'amendmentRefused';
    const { ref } = registration;
    if (isHeard && !this.engine.reporter.hears(type)) return;
    this.engine.reporter.tell(type, () => ({ hook: ref.hook, by: ref, code: error.code, error, ...extra }));
  }
}
closeClass(Run);

const eventOf = {
  __proto__: null,
  TH_HANDLER_FAILED: 'handlerFailed',
  TH_HANDLER_TIMEOUT: 'handlerTimedOut',
  TH_KEY_TAKEN: 'keyShadowed',
} as unknown as { readonly [code: string]: 'handlerFailed' | 'handlerTimedOut' | 'keyShadowed' | undefined };

/** The error of a handler that threw, hung or answered nonsense. */
export function faultOf(registration: Registration, fault: Fault, what: string, cause?: unknown): HookError {
  const code =
    fault === 'error' ? 'TH_HANDLER_FAILED' : fault === 'timeout' ? 'TH_HANDLER_TIMEOUT' : 'TH_RESULT_INVALID';
  return refusal(registration, code, { what, cause, ms: registration.budgetMs });
}

export function refusal(
  { ref, owner, id }: Registration,
  code: ConstructorParameters<typeof HookError>[0],
  details: Record<string, unknown>,
): HookError {
  return Object.freeze(new HookError(code, { hook: ref.hook, owner, handlerId: id, ...details }));
}
