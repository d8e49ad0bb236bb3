/** How a run ends. */
import type { AgentDone, Request } from '@treblehook/types';

export type Ending = Pick<AgentDone, 'status' | 'limit' | 'reason' | 'error'> & {
  /** What it waits for, when `pending`. */
  readonly pending?: readonly Request[];
};

/** The ending that a handler has said; `by` is its id. */
export const vetoed = (text: string, by: string | undefined): Ending => ({
  status: 'vetoed',
  reason: { text, ...(by === undefined ? {} : { by }) },
});
