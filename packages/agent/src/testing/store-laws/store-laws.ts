/** The suite that a session store runs against itself. */
import type { Law } from '../law.js';
import { StoreBench, type OpenStore, type ReopenStore } from './bench.js';
import { leaseLaws } from './lease-laws.js';
import { listLaws } from './list-laws.js';
import { lastingLaws, logLaws } from './log-laws.js';
import { settleLaws } from './settle-laws.js';

export interface StoreLawOptions {
  /** Of a store whose sessions outlive it: opens anew what a closed one kept. It is then held to two further laws. */
  readonly reopen?: ReopenStore;
}

/**
 * What the loop expects of a session store, one case each. Every case opens a store of its own by `open`, whose time is
 * `now`, and closes it.
 */
export function storeLaws(open: OpenStore, { reopen }: StoreLawOptions = {}): readonly Law[] {
  const lawOf = (name: string, run: (bench: StoreBench) => Promise<void>): Law =>
    Object.freeze({
      name,
      async run() {
        const bench = await StoreBench.open(open);
        try {
          await run(bench);
        } finally {
          try {
            await bench.store.close();
          } catch {
            // the law has closed it
          }
        }
      },
    });
  const lasting = reopen === undefined ? [] : lastingLaws;
  return Object.freeze([
    ...[...logLaws, ...leaseLaws, ...settleLaws, ...listLaws].map(([name, run]) => lawOf(name, run)),
    ...lasting.map(([name, run]) => lawOf(name, (bench) => run(bench, reopen!))),
  ]);
}
