/** Who waits until a place is empty: each is told, however many wait. */
import { closeClass } from '@treblehook/core';

export class Emptying {
  readonly #isEmpty: () => boolean;
  readonly #waiting = new Set<() => void>();

  constructor(isEmpty: () => boolean) {
    this.#isEmpty = isEmpty;
  }

  /** Resolves when the place is empty. */
  async wait(): Promise<void> {
    if (this.#isEmpty()) return;
    await new Promise<void>((resolve) => {
      const over = (): void => {
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
