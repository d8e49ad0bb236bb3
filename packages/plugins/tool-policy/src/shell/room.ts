/** A room of the reader: the programs of one kind, and what takes a command of theirs apart. */
import type { Use } from './run-words.js';

export type TakeApart = (use: Use) => void;

/**
 * Each program stands in one room. What a room does not list by `reader.run` or `reader.code`, doubt, or give to `reader.heed`
 * it says to be harmless.
 */
export interface Room {
  /** Each name that it has; of those that it knows by a pattern, some. */
  readonly names: readonly string[];
  readonly ruleOf: (name: string) => TakeApart | undefined;
}
