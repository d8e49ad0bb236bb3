/** `pipeline`: each stage sees the payload as amended so far; locks make keys final, terminal keys end the chain. */
import type { HandlerRef, StageOutcome } from '@treblehook/types';
import { Amending, joined } from './amend.js';
import { noteEnd } from './ended-by.js';
import { mark, put } from './frozen.js';
import type { Key } from './key.js';
import type { Plan } from './plan.js';
import type { Registration } from './registration.js';
import { refusal, type Source, type View } from './run.js';

export class Pipeline extends Amending {
  private ender: HandlerRef | undefined;

  constructor(source: Source, plan: Plan, view: View) {
    super(source, plan, view);
    this.ender = undefined;
  }

  protected override mayRefuse(registration: Registration, at: number): boolean {
    return this.plan.locked?.[at] !== undefined || super.mayRefuse(registration, at);
  }

  protected refuses(registration: Registration, key: Key, at: number): boolean {
    if (this.refusesHostKey(registration, key)) return true;
    const { name } = key;
    const lock = this.plan.locked?.[at]?.get(name);
    if (lock === undefined) return false;
    this.tell(registration, refusal(registration, 'TH_KEY_LOCKED', { key: name, lock }), { key: name });
    return true;
  }

  protected accept(registration: Registration, at: number): StageOutcome {
    const { size, keys, values: given } = this.amendment;
    const values = (this.values ??= this.plan.point.blank.slice());
    if (this.plan.point.hasReplacing) {
      for (let i = 0; i < size; i++) {
        const { replaces } = keys[i]!;
        if (replaces !== undefined) values[replaces.at] = undefined;
      }
    }
    for (let i = 0; i < size; i++) {
      const key = keys[i]!;
      values[key.at] = joined(values[key.at], given[i], key.isCollect);
      if (key.isTerminal) this.ended = true;
    }
    if (this.ended) this.ender = registration.ref;
    else if (at + 1 < this.plan.handlers.length) this.view = this.amended();
    return 'amended';
  }

  /** What the next stage sees: what is collected so far stands behind the payload's own. */
  private amended(): View {
    const { view } = this;
    const { size, keys, values } = this.amendment;
    const next: Record<string, unknown> = { ...view };
    if (this.plan.point.hasReplacing) {
      for (let i = 0; i < size; i++) {
        const { replaces } = keys[i]!;
        if (replaces !== undefined) put(next, replaces.name, values[i]);
      }
    }
    for (let i = 0; i < size; i++) {
      const { name, isCollect, replaces } = keys[i]!;
      if (replaces !== undefined) continue;
      const isOwn = Object.hasOwn(next, name);
      const value = joined(isOwn ? next[name] : undefined, values[i], isCollect);
      if (isOwn) next[name] = value;
      else put(next, name, value);
    }
    return mark(next);
  }

  protected override stamped(set: object): object {
    return this.ender === undefined ? set : noteEnd(set, this.ender);
  }
}
