/** Who waits until a place is empty: each is told, however many wait. */
import { closeClass } from '@treblehook/core';
import type { Clock } from '../contract.js';

export class Emptying {
  readonly #isEmpty: () => boolean;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(isEmpty: () => boolean, clock: Clock) {
    this.#isEmpty = isEmpty;
    this.#clock = clock;
  }

  /** Resolves when the place is empty, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (this.#isEmpty()) return;
    await new Promise<void>((resolve) => {
      const cancel = ms === Infinity ? (): void => {} : this.#clock.after(ms, () => over());
      const over = (): void => {
        cancel();
        this.#waiting.delete(over);
        resolve();
      };
      this.#waiting.add(over);
    });
  }

  /** Somebody has left the place. */
  left(): void {
    if (this.#isEmpty()) for (const over of this.#waiting) over();
  }
}
closeClass(Emptying);
