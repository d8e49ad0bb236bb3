/** `pipeline`: each stage sees the payload as amended so far; locks make keys final, terminal keys end the chain. */
import type { HandlerRef, StageOutcome } from '@treblehook/types';
import { Amending, appended } from './amend.js';
import { noteEnd } from './ended-by.js';
import { fold } from './fold.js';
import { put, withKeys } from './frozen.js';
import type { Registration } from './registration.js';
import { refusal } from './run.js';

export class Pipeline extends Amending {
  private ender: HandlerRef | undefined = undefined;

  protected override refuseKeys(registration: Registration, amendment: Record<string, unknown>, at: number): boolean {
    let isRefused = super.refuseKeys(registration, amendment, at);
    const locked = this.plan.locked?.[at];
    if (locked === undefined) return isRefused;
    for (const key of Object.keys(amendment)) {
      const lock = locked.get(key);
      if (lock === undefined) continue;
      this.refuse(registration, amendment, key, refusal(registration, 'TH_KEY_LOCKED', { key, lock }));
      isRefused = true;
    }
    return isRefused;
  }

  protected accept(registration: Registration, amendment: Record<string, unknown>, at: number): StageOutcome {
    const { collect, terminal } = this.plan.point.entry;
    for (let i = 0; i < terminal.length; i++) if (Object.hasOwn(amendment, terminal[i]!)) this.ended = true;
    if (this.ended) this.ender = registration.ref;
    else if (at + 1 < this.plan.handlers.length) this.view = withKeys(this.view, this.shown(amendment, collect));
    if (this.set === undefined) this.set = amendment;
    else fold(this.set, amendment, collect);
    return 'amended';
  }

  /** What the next stage sees of an amendment: what is collected so far stands behind the payload's own. */
  private shown(amendment: Record<string, unknown>, collect: readonly string[]): Record<string, unknown> {
    let shown = amendment;
    for (let i = 0; i < collect.length; i++) {
      const key = collect[i]!;
      if (!Object.hasOwn(amendment, key)) continue;
      if (shown === amendment) shown = { ...amendment };
      put(shown, key, appended(this.view[key], amendment[key]));
    }
    return shown;
  }

  override result(): unknown {
    const result = super.result();
    if (this.ender !== undefined) noteEnd(result as object, this.ender);
    return result;
  }
}
