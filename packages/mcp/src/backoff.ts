/** When a server may be tried again. No timer: whoever comes too early is told how long it lasts. */

export class Backoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  #failures = 0;
  #until = 0;

  constructor({ baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number }) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /** The first failure is free: what has served for days is tried again at once. */
  failed(): void {
    this.#failures++;
    const ms = this.#failures === 1 ? 0 : Math.min(this.#maxMs, this.#baseMs * 2 ** (this.#failures - 2));
    this.#until = performance.now() + ms;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** In ms; 0: now. */
  get leftMs(): number {
    return Math.max(0, Math.ceil(this.#until - performance.now()));
  }
}
