/** What the two amending disciplines share: reading an amendment, and refusing it whole or key by key. */
import { textOf, type HookError, type StageOutcome } from '@treblehook/types';
import { readKeys } from './answer.js';
import { mark, NotPlain } from './frozen.js';
import { host, type Registration } from './registration.js';
import { refusal, type Fault } from './run.js';
import { Sequence } from './sequence.js';

export abstract class Amending extends Sequence {
  /** What is set so far. */
  protected set: Record<string, unknown> | undefined;

  protected abstract accept(registration: Registration, amendment: Record<string, unknown>, at: number): StageOutcome;

  protected take(registration: Registration, answer: unknown, at: number): StageOutcome {
    const { point } = this.plan;
    const amendment = readKeys(answer, point.keys);
    if (amendment === undefined) return 'passed';
    let refused = false;
    if (registration.owner !== host) {
      for (const key of point.entry.hostKeys) {
        if (!Object.hasOwn(amendment, key)) continue;
        delete amendment[key];
        this.tell(registration, refusal(registration, 'TH_HOST_KEY', { key }), { key });
        refused = true;
      }
    }
    for (const key of point.entry.collect) {
      if (Object.hasOwn(amendment, key) && (amendment[key] as unknown[]).length === 0) delete amendment[key];
    }
    refused = this.refuseKeys(registration, amendment, at) || refused;
    if (isEmpty(amendment)) return refused ? 'refused' : 'passed';
    const why = this.#check(amendment);
    if (why !== undefined) throw new NotPlain(why);
    const outcome = this.accept(registration, amendment, at);
    if (this.stages !== undefined) this.amendment = mark(amendment);
    return outcome;
  }

  /** Deletes keys that this stage may not set, and tells. Says whether there were any. */
  protected refuseKeys(_registration: Registration, _amendment: Record<string, unknown>, _at: number): boolean {
    return false;
  }

  #check(amendment: Record<string, unknown>): string | undefined {
    const { check } = this.plan.point.entry;
    if (check === undefined) return undefined;
    try {
      return check(this.view, Object.freeze({ ...amendment }));
    } catch (error) {
      throw new NotPlain(`its check failed on it: ${textOf(error)}`, { cause: error });
    }
  }

  protected fault(registration: Registration, fault: Fault, error: HookError): StageOutcome {
    if (registration.aborts) throw error;
    this.tell(registration, error);
    return fault === 'error' ? 'failed' : fault === 'timeout' ? 'timeout' : 'refused';
  }

  protected result(): unknown {
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
