/** What a session fires outside of its runs: its handlers have a signal too, which aborts when nobody waits for them any more. */
import { closeClass } from '@treblehook/core';
import type { Config } from '../config.js';

export class OutsideFires {
  readonly #config: Pick<Config, 'aborts' | 'over'>;
  readonly #reason: () => unknown;
  readonly #open = new Set<() => void>();
  #isGivenUp = false;

  /** `reason`: with which they are aborted. */
  constructor(config: Pick<Config, 'aborts' | 'over'>, reason: () => unknown) {
    this.#config = config;
    this.#reason = reason;
  }

  /** Begun in any case: what begins when it is not waited for any more is told, and ended behind that. */
  async fire<T>(end: AbortController, begin: () => Promise<T>): Promise<T> {
    const { aborts, over } = this.#config;
    const abort = (): void => end.abort(this.#reason());
    const begun = begin();
    this.#open.add(abort);
    const off = over === undefined ? () => {} : aborts.add(over, abort);
    if (this.#isGivenUp || over?.aborted === true) abort();
    try {
      return await begun;
    } finally {
      off();
      this.#open.delete(abort);
    }
  }

  /** Whoever closes waits no longer. */
  giveUp(): void {
    this.#isGivenUp = true;
    for (const abort of this.#open) abort();
  }
}
closeClass(OutsideFires);
