/** `merge`: each handler sees the original payload; the first value per key wins, `collect` keys are concatenated. */
import type { StageOutcome } from '@treblehook/types';
import { Amending, appended } from './amend.js';
import { mark, put } from './frozen.js';
import type { Registration } from './registration.js';
import { refusal } from './run.js';

const nothing = mark({});

export class Merge extends Amending {
  /** Who set each key first. */
  private setBy: Map<string, Registration> | undefined = undefined;
  /** What `ctx.merged` shows; made when it is read. */
  private shown: unknown = nothing;

  protected accept(registration: Registration, amendment: Record<string, unknown>): StageOutcome {
    const { collect } = this.plan.point.entry;
    const set = (this.set ??= {});
    const setBy = (this.setBy ??= new Map());
    let isAnySet = false;
    for (const key of Object.keys(amendment)) {
      const first = setBy.get(key);
      if (first === undefined) {
        put(set, key, amendment[key]);
        setBy.set(key, registration);
      } else if (collect.includes(key)) {
        put(set, key, appended(set[key], amendment[key]));
      } else {
        this.refuse(registration, amendment, key, refusal(registration, 'TH_KEY_TAKEN', { key, first: first.id }));
        continue;
      }
      isAnySet = true;
    }
    if (isAnySet) this.shown = undefined;
    return isAnySet ? 'amended' : 'refused';
  }

  override merged(): unknown {
    return (this.shown ??= mark({ ...this.set }));
  }
}
