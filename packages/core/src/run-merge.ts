/** `merge`: each handler sees the original payload; the first value per key wins, `collect` keys are concatenated. */
import type { StageOutcome } from '@treblehook/types';
import { Amending, appended } from './amend.js';
import { mark } from './frozen.js';
import type { Registration } from './registration.js';
import { refusal } from './run.js';

const nothing = mark({});

export class Merge extends Amending {
  /** Who set each key first. */
  private setBy: Record<string, Registration> | undefined = undefined;
  /** What `ctx.merged` shows; made when it is read. */
  private shown: unknown = nothing;

  protected accept(registration: Registration, amendment: Record<string, unknown>): StageOutcome {
    const { collect } = this.plan.point.entry;
    const set = (this.set ??= {});
    const setBy = (this.setBy ??= {});
    let isAnySet = false;
    for (const key in amendment) {
      if (!Object.hasOwn(setBy, key)) {
        set[key] = amendment[key];
        setBy[key] = registration;
      } else if (collect.includes(key)) {
        set[key] = appended(set[key], amendment[key]);
      } else {
        this.refuse(registration, amendment, key, refusal(registration, 'TH_KEY_TAKEN', { key, first: setBy[key]!.id }));
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
