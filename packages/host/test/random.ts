// Owns chance that can be had again: the same seed, the same numbers.

export interface Random {
  /** A whole number from 0, below `limit`. */
  readonly below: (limit: number) => number;
  readonly of: <T>(items: readonly T[]) => T;
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return { below, of: (items) => items[below(items.length)]! };
}
