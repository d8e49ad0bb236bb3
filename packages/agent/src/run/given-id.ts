/** The id of a run that is made before the run: what comes before it, such as the claim of its message, has its origin. */
import type { RunOptions } from '../contract.js';

/** Beside the options and not on them: nobody else can choose the id of a run. */
const given = new WeakMap<RunOptions, string>();

/** Gives the options. */
export function withRunId(options: RunOptions, id: string): RunOptions {
  given.set(options, id);
  return options;
}

export const idGivenTo = (options: RunOptions): string | undefined => given.get(options);
