/** Where the runs of a runtime wait until they may go in. */
import type { RunState } from './run-state.js';

export interface Entrance {
  /**
   * Resolves when the run may go in. Rejects with `TH_INBOX_FULL`, `TH_SESSION_BUSY`, `TH_DISPOSED`, and with `Aborted` when the
   * run is aborted meanwhile.
   */
  readonly enter: (run: RunState) => Promise<void>;
  /** Its turn is over: the next one may go in. Idempotent. */
  readonly leave: (run: RunState) => void;
  /** All is told of it. */
  readonly over: (run: RunState) => void;
}
