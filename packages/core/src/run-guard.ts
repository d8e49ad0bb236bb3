/** `guard`: asked one after another until the first denial; a fault is a denial; nobody can allow. */
import type { Ask, GuardVerdict, HookError, StageOutcome, VerdictKind } from '@treblehook/types';
import type { Plan } from './plan.js';
import type { Registration } from './registration.js';
import { type Fault } from './run.js';
import { Sequence } from './sequence.js';
import { readOpinion, Verdicts, type Denial } from './verdict.js';

const noAsks: readonly Ask[] = Object.freeze([]);

export class Guard extends Sequence {
  /** The whole plan is asked: a guard that was removed meanwhile still has its say. */
  protected override readonly skipsRemoved = false;
  readonly #began = performance.now();
  #answers = 0;
  /** Made with the first answer that is no pass. */
  #verdicts: GuardVerdict[] | undefined;
  #asks: Ask[] | undefined;
  #denial: Denial | undefined;

  protected take(registration: Registration, answer: unknown): StageOutcome {
    const opinion = answer === undefined ? undefined : readOpinion(answer, registration, this.plan.point.keys);
    if (opinion === undefined) {
      this.#answers++;
      this.#verdicts?.push(registration.passed);
      return 'passed';
    }
    if ('ask' in opinion) {
      (this.#asks ??= []).push(opinion.ask);
      this.#record(registration, 'ask', 'policy');
      return 'asked';
    }
    return this.#deny(registration, opinion.deny, 'policy');
  }

  protected fault(registration: Registration, fault: Fault, error: HookError): StageOutcome {
    if (fault !== 'invalid') this.tell(registration, error);
    this.#deny(registration, { reason: error.message, by: registration.ref }, fault, error);
    return fault === 'error' ? 'failed' : fault === 'timeout' ? 'timeout' : 'refused';
  }

  #deny(registration: Registration, denial: Denial, kind: VerdictKind, error?: HookError): StageOutcome {
    this.#denial = denial;
    this.ended = true;
    this.#record(registration, 'deny', kind);
    this.engine.reporter.tell('denied', () => ({
      hook: this.hook,
      by: registration.ref,
      kind,
      reason: denial.reason,
      ...(error === undefined ? {} : { code: error.code }),
    }));
    return 'denied';
  }

  #record(registration: Registration, verdict: 'ask' | 'deny', kind: VerdictKind): void {
    this.#verdicts ??= this.plan.allPassed.slice(0, this.#answers);
    this.#answers++;
    this.#verdicts.push(Object.freeze({ by: registration.ref, verdict, kind }));
  }

  protected result(): Verdicts {
    const { plan } = this;
    const ms = performance.now() - this.#began;
    const asks = this.#asks === undefined ? noAsks : Object.freeze(this.#asks);
    const verdicts = this.#verdicts === undefined ? plan.allPassed : Object.freeze(this.#verdicts);
    if (this.#denial !== undefined) return new Verdicts('deny', verdicts, asks, plan.generation, ms, this.#denial);
    if (isPolluted()) return polluted(plan, ms, verdicts);
    if (this.#asks !== undefined) return new Verdicts('ask', verdicts, asks, plan.generation, ms);
    if (this.#answers !== plan.handlers.length) throw new Error(`${this.hook}: not every guard has answered`);
    return new Verdicts('clear', verdicts, asks, plan.generation, ms);
  }
}

/** A `then` on `Object.prototype` turns every awaited answer into whatever it likes: no answer can be believed. */
export const isPolluted = (): boolean => 'then' in Object.prototype;

export function polluted(plan: Plan, ms: number, verdicts: readonly GuardVerdict[] = []): Verdicts {
  const by = Object.freeze({ hook: plan.point.name, id: 'kernel', owner: 'host' });
  const reason = "'then' stands on Object.prototype: no guard's answer can be trusted";
  const said = Object.freeze([...verdicts, Object.freeze({ by, verdict: 'deny' as const, kind: 'invalid' as const })]);
  return new Verdicts('deny', said, noAsks, plan.generation, ms, { reason, by });
}

/** No guard exists: a fact of its own. */
export const unguarded = (plan: Plan): Verdicts => new Verdicts('clear', plan.allPassed, noAsks, plan.generation, 0);
