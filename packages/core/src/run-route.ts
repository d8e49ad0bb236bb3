/** `route`: asked in plan order until the first claim. */
import type { HookError, StageOutcome } from '@treblehook/types';
import { ownKeys, ownValue, readKeys } from './answer.js';
import { noteEnd } from './ended-by.js';
import { mark, NotPlain, withoutThen } from './frozen.js';
import type { Plan } from './plan.js';
import type { Registration } from './registration.js';
import type { Fault, Source, View } from './run.js';
import { Sequence } from './sequence.js';

const isHandled = (key: string): boolean => key === 'handled';

/** The shared answer of a point that nobody claimed. */
export const unclaimed = mark(withoutThen({ handled: false as const }));

export class Route extends Sequence {
  private claim: unknown;

  constructor(source: Source, plan: Plan, view: View) {
    super(source, plan, view);
    this.claim = unclaimed;
  }

  protected take(registration: Registration, answer: unknown): StageOutcome {
    if (answer === undefined || answer === null) return 'passed';
    const keys = ownKeys(answer);
    if (keys.length === 0) return 'passed';
    const handled = ownValue(answer, 'handled');
    if (handled === false && keys.length === 1) return 'passed';
    if (handled !== true)
      throw new NotPlain("a claim says 'handled: true', and no opinion says 'handled: false' or nothing");
    const claim = { handled: true, ...readKeys(answer, this.plan.point.keys, isHandled) };
    this.claim = mark(noteEnd(withoutThen(claim), registration.ref));
    this.ended = true;
    this.trace?.sets({ ...claim });
    this.engine.reporter.tell('claimed', () => ({ hook: this.hook, by: registration.ref }));
    return 'claimed';
  }

  protected fault(registration: Registration, fault: Fault, error: HookError): StageOutcome {
    this.tell(registration, error);
    return fault === 'error' ? 'failed' : fault === 'timeout' ? 'timeout' : 'refused';
  }

  result(): unknown {
    return this.claim;
  }
}
