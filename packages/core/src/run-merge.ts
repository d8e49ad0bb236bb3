/** `merge`: each handler sees the original payload; the first value per key wins, `collect` keys are concatenated. */
import type { StageOutcome } from '@treblehook/types';
import { Amending, appended } from './amend.js';
import { mark } from './frozen.js';
import type { Registration } from './registration.js';
import { refusal } from './run.js';

const nothing = mark({});

export class Merge extends Amending {
  readonly #setBy = new Map<string, Registration>();
  #merged: unknown = nothing;

  protected accept(registration: Registration, amendment: Record<string, unknown>): StageOutcome {
    const set = (this.set ??= {});
    const { collect } = this.plan.point.entry;
    let any = false;
    for (const key of Object.keys(amendment)) {
      const first = this.#setBy.get(key);
      if (first === undefined) {
        set[key] = amendment[key];
        this.#setBy.set(key, registration);
      } else if (collect.includes(key)) {
        set[key] = appended(set[key], amendment[key]);
      } else {
        delete amendment[key];
        this.tell(registration, refusal(registration, 'TH_KEY_TAKEN', { key, first: first.id }), { key });
        continue;
      }
      any = true;
    }
    if (any) this.#merged = undefined;
    return any ? 'amended' : 'refused';
  }

  override merged(): unknown {
    return (this.#merged ??= mark({ ...this.set }));
  }
}
