/** `merge`: each handler sees the original payload; the first value per key wins, `collect` keys are concatenated. */
import type { StageOutcome } from '@treblehook/types';
import { Amending, joined } from './amend.js';
import { mark } from './frozen.js';
import type { Key } from './key.js';
import type { Plan } from './plan.js';
import type { Registration } from './registration.js';
import { refusal, type Source, type View } from './run.js';

const nothing = mark({});

export class Merge extends Amending {
  /** Who set each key first, by the place of the key. */
  private readonly setBy: (Registration | undefined)[];
  /** What `ctx.merged` shows; made when it is read. */
  private shown: unknown;

  constructor(source: Source, plan: Plan, view: View) {
    super(source, plan, view);
    this.setBy = plan.point.blank.slice();
    this.shown = nothing;
  }

  protected refuses(registration: Registration, key: Key): boolean {
    return this.refusesHostKey(registration, key);
  }

  protected accept(registration: Registration): StageOutcome {
    const { amendment, setBy } = this;
    const values = (this.values ??= this.plan.point.blank.slice());
    let isAnyTaken = false;
    for (let i = 0; i < amendment.size; i++) {
      const { at, isCollect } = amendment.keys[i]!;
      if (setBy[at] === undefined) {
        setBy[at] = registration;
        values[at] = amendment.values[i];
      } else if (isCollect) {
        values[at] = joined(values[at], amendment.values[i], isCollect);
      } else {
        isAnyTaken = true;
      }
    }
    if (isAnyTaken) amendment.drop((key) => this.isTaken(registration, key));
    if (amendment.size === 0) return 'refused';
    this.shown = undefined;
    return 'amended';
  }

  private isTaken(registration: Registration, { name: key, at, isCollect }: Key): boolean {
    const first = this.setBy[at]!;
    if (isCollect || first === registration) return false;
    this.tell(registration, refusal(registration, 'TH_KEY_TAKEN', { key, first: first.id }), { key });
    return true;
  }

  override merged(): unknown {
    return (this.shown ??= mark(this.setSoFar()));
  }
}
