/** What the two amending disciplines share: reading an amendment, and refusing it whole or key by key. */
import { textOf, type HookError, type StageOutcome } from '@treblehook/types';
import { readKeys } from './answer.js';
import { mark, NotPlain } from './frozen.js';
import { host, type Registration } from './registration.js';
import { refusal, type Fault } from './run.js';
import { Sequence } from './sequence.js';

export abstract class Amending extends Sequence {
  /** What is set so far. */
  protected set: Record<string, unknown> | undefined = undefined;

  /** Takes an amendment for its own. */
  protected abstract accept(registration: Registration, amendment: Record<string, unknown>, at: number): StageOutcome;

  protected take(registration: Registration, answer: unknown, at: number): StageOutcome {
    const amendment = readKeys(answer, this.plan.point.keys);
    if (amendment === undefined) return 'passed';
    const isLess = this.dropEmpty(amendment);
    const isRefused = this.refuseKeys(registration, amendment, at);
    if ((isRefused || isLess) && isEmpty(amendment)) return isRefused ? 'refused' : 'passed';
    const why = this.plan.point.entry.check === undefined ? undefined : this.check(amendment);
    if (why !== undefined) throw new NotPlain(why);
    const outcome = this.accept(registration, amendment, at);
    this.trace?.sets(amendment);
    return outcome;
  }

  /** An empty array under a `collect` key adds nothing. */
  private dropEmpty(amendment: Record<string, unknown>): boolean {
    let isLess = false;
    const { collect } = this.plan.point.entry;
    for (let i = 0; i < collect.length; i++) {
      const key = collect[i]!;
      if (!Object.hasOwn(amendment, key) || (amendment[key] as unknown[]).length > 0) continue;
      delete amendment[key];
      isLess = true;
    }
    return isLess;
  }

  /** Deletes keys that this stage may not set, and tells. Says whether there were any. */
  protected refuseKeys(registration: Registration, amendment: Record<string, unknown>, _at: number): boolean {
    const { hostKeys } = this.plan.point.entry;
    if (hostKeys.length === 0 || registration.owner === host) return false;
    let isRefused = false;
    for (const key of hostKeys) {
      if (!Object.hasOwn(amendment, key)) continue;
      this.refuse(registration, amendment, key, refusal(registration, 'TH_HOST_KEY', { key }));
      isRefused = true;
    }
    return isRefused;
  }

  protected refuse(registration: Registration, amendment: Record<string, unknown>, key: string, why: HookError): void {
    delete amendment[key];
    this.tell(registration, why, { key });
  }

  private check(amendment: Record<string, unknown>): string | undefined {
    try {
      return this.plan.point.entry.check!(this.view, Object.freeze({ ...amendment }));
    } catch (error) {
      throw new NotPlain(`its check failed on it: ${textOf(error)}`, { cause: error });
    }
  }

  protected fault(registration: Registration, fault: Fault, error: HookError): StageOutcome {
    this.tell(registration, error, {}, registration.aborts);
    if (registration.aborts) throw error;
    return fault === 'error' ? 'failed' : fault === 'timeout' ? 'timeout' : 'refused';
  }

  result(): unknown {
    return this.set === undefined ? undefined : mark(this.set);
  }
}

function isEmpty(amendment: Record<string, unknown>): boolean {
  for (const _ in amendment) return false;
  return true;
}

/** `before` with the items of `more` behind them, marked. */
export const appended = (before: unknown, more: unknown): readonly unknown[] =>
  mark(Array.isArray(before) ? [...(before as unknown[]), ...(more as unknown[])] : [...(more as unknown[])]);
