/** What the two amending disciplines share: reading an amendment, and refusing it whole or key by key. */
import { textOf, type HookError, type StageOutcome } from '@treblehook/types';
import { Amendment } from './amendment.js';
import { readInto } from './answer.js';
import { foldValue } from './fold.js';
import { mark, NotPlain, put, withoutThen } from './frozen.js';
import type { Key } from './key.js';
import type { Plan } from './plan.js';
import { host, type Registration } from './registration.js';
import { refusal, type Fault, type Source, type View } from './run.js';
import { Sequence } from './sequence.js';

const isEmptyList = ({ isCollect }: Key, value: unknown): boolean => isCollect && (value as unknown[]).length === 0;

export abstract class Amending extends Sequence {
  /** The amendment of the stage in hand. */
  protected readonly amendment: Amendment;
  /** What is set so far, by the place of its key; each place is its own. */
  protected values: unknown[] | undefined;

  constructor(source: Source, plan: Plan, view: View) {
    super(source, plan, view);
    this.amendment = new Amendment();
    this.values = undefined;
  }

  /** Takes what is left of an amendment for its own. */
  protected abstract accept(registration: Registration, at: number): StageOutcome;
  /** Whether this stage may not set a key; tells so. */
  protected abstract refuses(registration: Registration, key: Key, at: number): boolean;

  protected take(registration: Registration, answer: unknown, at: number): StageOutcome {
    const { amendment } = this;
    const { point } = this.plan;
    amendment.size = 0;
    readInto(amendment, answer, point.keys);
    if (point.entry.collect.length > 0) amendment.drop(isEmptyList);
    if (amendment.size === 0) return 'passed';
    if (this.mayRefuse(registration, at)) amendment.drop((key) => this.refuses(registration, key, at));
    if (amendment.size === 0) return 'refused';
    const why = point.entry.check === undefined ? undefined : this.check();
    if (why !== undefined) throw new NotPlain(why);
    const outcome = this.accept(registration, at);
    if (this.trace !== undefined && amendment.size > 0) this.trace.sets(amendment.toObject());
    return outcome;
  }

  /** Whether there is a key at all that this stage may not set. */
  protected mayRefuse(registration: Registration, _at: number): boolean {
    return registration.owner !== host && this.plan.point.entry.hostKeys.length > 0;
  }

  protected refusesHostKey(registration: Registration, { name, isHost }: Key): boolean {
    if (!isHost || registration.owner === host) return false;
    this.tell(registration, refusal(registration, 'TH_HOST_KEY', { key: name }), { key: name });
    return true;
  }

  private check(): string | undefined {
    try {
      return this.plan.point.entry.check!(this.view, this.amendment.toObject());
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
    return this.values === undefined ? undefined : mark(this.stamped(withoutThen(this.setSoFar())));
  }

  /** The whole amendment, before it is frozen. */
  protected stamped(set: object): object {
    return set;
  }

  protected setSoFar(): Record<string, unknown> {
    const set: Record<string, unknown> = {};
    const { values } = this;
    if (values === undefined) return set;
    for (const { name, at } of this.plan.point.keys.values()) if (values[at] !== undefined) put(set, name, values[at]);
    return set;
  }
}

/** What stands under a key when `given` joins what stood there; marked. */
export function joined(before: unknown, given: unknown, isCollect: boolean): unknown {
  const value = foldValue(before, given, isCollect);
  return value === given ? value : mark(value as unknown[]);
}
