/** The stages of one fire, noted only while somebody listens to `fired`. */
import { closeClass } from './closed-class.js';
import type { Stage, StageOutcome } from '@treblehook/types';
import { append, mark } from './frozen.js';
import type { Registration } from './registration.js';

export class Trace {
  readonly stages: Stage[] = [];
  #since = 0;
  #amendment: Readonly<Record<string, unknown>> | undefined;

  /** A handler is called. Where several run together, the caller keeps what this returns. */
  begin(): number {
    return (this.#since = performance.now());
  }

  /** What the stage in hand has set; an object of the trace's own. */
  sets(amendment: Record<string, unknown>): void {
    this.#amendment = mark(amendment);
  }

  end({ ref: by }: Registration, outcome: StageOutcome, since: number = this.#since): void {
    const set = this.#amendment === undefined ? {} : { amendment: this.#amendment };
    this.#amendment = undefined;
    append(this.stages, Object.freeze({ by, outcome, ...set, ms: performance.now() - since }));
  }
}
closeClass(Trace);
