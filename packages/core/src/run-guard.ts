/** `guard`: asked one after another until the first denial; a fault is a denial; nobody can allow. */
import type { Ask, GuardVerdict, HookError, StageOutcome, VerdictKind } from '@treblehook/types';
import type { Plan } from './plan.js';
import { host, type Registration } from './registration.js';
import type { Fault, Source, View } from './run.js';
import { Sequence } from './sequence.js';
import { readOpinion, Verdicts, type Denial } from './verdict.js';

const noAsks: readonly Ask[] = Object.freeze([]);

export class Guard extends Sequence {
  private readonly began: number;
  /** Made with the first answer that is no pass. */
  private verdicts: readonly GuardVerdict[] | undefined;
  private asks: readonly Ask[] | undefined;
  private denial: Denial | undefined;
  /** Seen during the fire: what was answered cannot be believed. */
  private isTainted: boolean;

  constructor(source: Source, plan: Plan, view: View) {
    super(source, plan, view);
    this.began = performance.now();
    this.verdicts = undefined;
    this.asks = undefined;
    this.denial = undefined;
    this.isTainted = false;
  }

  override heardGuard(): void {
    if (isPolluted()) this.isTainted = true;
  }

  protected take(registration: Registration, answer: unknown, at: number): StageOutcome {
    const opinion = readOpinion(answer, registration, this.plan.point.keys);
    if (opinion === undefined) return 'passed';
    if (opinion.deny !== undefined) return this.deny(registration, opinion.deny, 'policy', at);
    this.asks = [...(this.asks ?? []), opinion.ask];
    this.record(registration, 'ask', 'policy', at);
    return 'asked';
  }

  protected fault(registration: Registration, fault: Fault, error: HookError, at: number): StageOutcome {
    const denial: Denial = { reason: error.message, by: registration.ref, rule: undefined, halt: undefined };
    if (fault !== 'invalid') this.tell(registration, error);
    else if (!this.engine.reporter.hears('denied')) this.engine.reporter.warn(registration.ref, error);
    this.deny(registration, denial, fault, at, error);
    return fault === 'error' ? 'failed' : fault === 'timeout' ? 'timeout' : 'refused';
  }

  private deny(
    registration: Registration,
    denial: Denial,
    kind: VerdictKind,
    at: number,
    error?: HookError,
  ): StageOutcome {
    this.denial = denial;
    this.ended = true;
    this.record(registration, 'deny', kind, at);
    this.engine.reporter.tell('denied', () => ({
      hook: this.hook,
      by: registration.ref,
      kind,
      reason: denial.reason,
      ...(error === undefined ? {} : { code: error.code }),
    }));
    return 'denied';
  }

  private record(registration: Registration, verdict: 'ask' | 'deny', kind: VerdictKind, at: number): void {
    this.verdicts = [...this.passedUpTo(at), Object.freeze({ by: registration.ref, verdict, kind })];
  }

  /** The verdicts of the handlers before `at`: those that are not there yet have passed. */
  private passedUpTo(at: number): readonly GuardVerdict[] {
    const said = this.verdicts ?? [];
    return [...said, ...this.plan.allPassed.slice(said.length, at)];
  }

  result(): Verdicts {
    const { plan } = this;
    const ms = performance.now() - this.began;
    const asks = this.asks === undefined ? noAsks : Object.freeze(this.asks);
    if (this.denial !== undefined) {
      return new Verdicts('deny', Object.freeze(this.verdicts!), asks, plan.generation, ms, this.denial);
    }
    const verdicts =
      this.verdicts === undefined ? plan.allPassed : Object.freeze(this.passedUpTo(plan.handlers.length));
    if (this.isTainted || isPolluted()) return polluted(plan, ms, verdicts);
    return new Verdicts(this.asks === undefined ? 'clear' : 'ask', verdicts, asks, plan.generation, ms);
  }
}

/** A `then` on `Object.prototype` turns every awaited answer into whatever it likes: no answer can be believed. */
export const isPolluted = (): boolean => 'then' in Object.prototype;

export function polluted(plan: Plan, ms: number, verdicts: readonly GuardVerdict[] = []): Verdicts {
  const by = Object.freeze({ hook: plan.point.name, id: 'kernel', owner: host });
  const reason = "'then' stands on Object.prototype: no guard's answer can be trusted";
  const said = Object.freeze([...verdicts, Object.freeze({ by, verdict: 'deny' as const, kind: 'invalid' as const })]);
  return new Verdicts('deny', said, noAsks, plan.generation, ms, { reason, by, rule: undefined, halt: undefined });
}

/** No guard exists: a fact of its own. */
export const unguarded = (plan: Plan): Verdicts => new Verdicts('clear', plan.allPassed, noAsks, plan.generation, 0);
