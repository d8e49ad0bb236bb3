/** What an agent is made of now, and what is under way with what it was made of before. */
import { closeClass } from '@treblehook/core';
import type { Config } from './config.js';

export class Current {
  #now: Config;
  /** Each until it is over, with whether it has begun: what has not will be made of what there is then. */
  readonly #held = new Map<Promise<unknown>, () => boolean>();

  constructor(config: Config) {
    this.#now = config;
  }

  get now(): Config {
    return this.#now;
  }

  /** Something is made of it. Whoever holds says when that is over. */
  hold(over: Promise<unknown>, hasBegun: () => boolean = always): () => void {
    this.#held.set(over, hasBegun);
    return () => void this.#held.delete(over);
  }

  /** At once. Resolves when nothing is under way that had begun before. */
  replace(config: Config): Promise<void> {
    const held = [...this.#held].flatMap(([over, hasBegun]) => (hasBegun() ? [over] : []));
    this.#now = config;
    return allOver(held);
  }
}
closeClass(Current);

const always = (): boolean => true;

async function allOver(held: readonly Promise<unknown>[]): Promise<void> {
  for (const over of held) await over.then(nothing, nothing);
}

/** What has become of it is told elsewhere. */
const nothing = (): void => {};
