/** `pipeline`: each stage sees the payload as amended so far; locks make keys final, terminal keys end the chain. */
import type { StageOutcome } from '@treblehook/types';
import { Amending, appended } from './amend.js';
import { fold } from './fold.js';
import { withKeys } from './frozen.js';
import type { Registration } from './registration.js';
import { refusal } from './run.js';

export class Pipeline extends Amending {
  protected override refuseKeys(
    registration: Registration,
    amendment: Record<string, unknown>,
    at: number,
  ): boolean {
    const locked = this.plan.locked?.[at];
    if (locked === undefined) return false;
    let refused = false;
    for (const key of Object.keys(amendment)) {
      const lock = locked.get(key);
      if (lock === undefined) continue;
      delete amendment[key];
      this.tell(registration, refusal(registration, 'TH_KEY_LOCKED', { key, lock }), { key });
      refused = true;
    }
    return refused;
  }

  protected accept(_registration: Registration, amendment: Record<string, unknown>, at: number): StageOutcome {
    const { collect, terminal } = this.plan.point.entry;
    for (const key of terminal) if (Object.hasOwn(amendment, key)) this.ended = true;
    if (!this.ended && at + 1 < this.plan.handlers.length) {
      let shown = amendment;
      for (const key of collect) {
        if (!Object.hasOwn(amendment, key)) continue;
        if (shown === amendment) shown = { ...amendment };
        shown[key] = appended(this.view[key], amendment[key]);
      }
      this.view = withKeys(this.view, shown);
    }
    fold((this.set ??= {}), amendment, collect);
    return 'amended';
  }
}
