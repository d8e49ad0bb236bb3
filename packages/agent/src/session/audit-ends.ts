/** The end of a call in a log that is audited: whose it is, its body's or that of whoever stands in its place. */
import type { LoggedSeal } from '@treblehook/types';
import type { Ended, Open } from './audit-calls.js';
import { taskName } from './given-tasks.js';

export const isTask = ({ source, name }: LoggedSeal['tool']): boolean => source === 'host' && name === taskName;

/** A task that an earlier process has left: its wrapper may have changed it then, or given its result. */
export const isByWrapper = (ended: Ended, { started, left }: Open): boolean =>
  started === left &&
  isTask(started!.record.sealed.tool) &&
  (!mustHaveRun(ended) || (ended.record.by !== undefined && ended.outcome !== 'outcome-unknown'));

/** What it has come to is that of a body, or of a result in its place; of any other end the log only knows that none stands. */
export const mustHaveRun = ({ outcome, record }: Ended): boolean =>
  outcome === 'ok' || outcome === 'outcome-unknown' || record.rawDigest !== undefined;
