/** Lanes: who comes after whom, by key. */

/** First come, first served; a lane that nobody stands in is forgotten. */
export class Lanes {
  readonly #tails = new Map<string, Promise<void>>();

  /** Takes a place at once: `turn` resolves when those in front have left. `leave` is idempotent. */
  join(key: string): { readonly turn: Promise<void>; readonly leave: () => void } {
    const turn = this.#tails.get(key) ?? Promise.resolve();
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    const tail = turn.then(() => left);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return { turn, leave };
  }
}
