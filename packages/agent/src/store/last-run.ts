/** How the last run of a session stands, as one record after another tells it. */
import type { SessionRecord, SessionSummary } from '@treblehook/types';

/** What the record makes of it; `undefined` of one that leaves it as it is. */
export function lastOf(record: SessionRecord): SessionSummary['last'] {
  if (record.type === 'settled') return record.status;
  return record.type === 'run' || record.type === 'resumed' ? 'open' : undefined;
}
