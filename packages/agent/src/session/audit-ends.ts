/** The end of a call in a log that is audited: whose it is, its body's or that of whoever stands in its place, and what it says of itself. */
import { isPlainObject, ownFields, type LoggedSeal, type ToolOutcome } from '@treblehook/types';
import { mayStillRun } from '../calls/execute.js';
import { canonicalJson } from '../door/canonical.js';
import type { Ended, Given, Open, RecordOf } from './audit-calls.js';
import type { Fault } from './audit-clearance.js';
import { taskName } from './given-tasks.js';

/** By its arguments too: a tool of the host's own may have the name. */
export const isTask = ({ tool: { source, name }, args }: LoggedSeal): boolean => {
  if (source !== 'host' || name !== taskName || typeof args !== 'object' || args === null) return false;
  const { agent, prompt } = isPlainObject(args) ? (ownFields(args) as Record<string, unknown>) : {};
  return typeof agent === 'string' && typeof prompt === 'string';
};

/** Of a start that an earlier process has left, and that can go on: its wrapper may have changed it then, or given its result. */
export const isByWrapper = (ended: Ended, { started, left, isUnbegun }: Open): boolean =>
  started === left &&
  (isUnbegun === true || isTask(started!.record.sealed)) &&
  (!mustHaveRun(ended) || (ended.record.by !== undefined && ended.outcome !== 'outcome-unknown'));

/** What it has come to is that of a body, or of a result in its place; of any other end the log only knows that none stands. */
export const mustHaveRun = ({ outcome, record }: Ended): boolean =>
  outcome === 'ok' || outcome === 'outcome-unknown' || record.rawDigest !== undefined;

/** A body has begun: of one whose process ended nobody knows even that. */
export const hasRun = (ended: Ended): boolean =>
  mustHaveRun(ended) && (ended.outcome !== 'outcome-unknown' || ended.record.reason === mayStillRun);

/** Nothing runs by it: whoever gives up a run that waits writes it too. */
export const isGivenUp = (ended: Ended): boolean =>
  ended.outcome === 'outcome-unknown' || isOfAttempt(ended) || !mustHaveRun(ended);

export const isOfAttempt = (ended: Ended): ended is RecordOf<'outcome'> =>
  ended.type === 'outcome' && ended.ofAttempt === true;

/** How the text begins that the loop itself writes, in place of a result that there is none of. */
const texts: { readonly [outcome in ToolOutcome]?: RegExp } = {
  denied: /^(?:denied|refused)(?: by '|: )/,
  cancelled: /^cancelled: /,
  'not-started': /^not-started: /,
};
const outcomes = new Set<string>(['ok', 'error', 'denied', 'cancelled', 'not-started', 'outcome-unknown']);

/** What contradicts itself in the record of an end. */
export function endFaults(ended: Ended, { name }: Given): readonly Fault[] {
  const { callId, outcome, result, record } = ended;
  const { decision, rawDigest } = record;
  const faults: Fault[] = [];
  const refuse = (code: Fault['code'], what: string): void => void faults.push({ code, what });
  if (!outcomes.has(outcome)) refuse('other-call', `'${outcome}' is no end of a call`);
  if (record.outcome !== outcome || record.callId !== callId) {
    refuse('other-call', `its end says '${outcome}', and its record '${record.outcome}' of '${record.callId}'`);
  }
  if (ended.name !== undefined && ended.name !== name) {
    refuse('other-call', `'${name}' was asked for, and '${ended.name}' has ended`);
  }
  if (decision === 'deny' && outcome !== 'denied' && !mustHaveRun(ended)) {
    refuse('no-clearance', `it is told as '${outcome}', and the guards have denied it`);
  }
  if (rawDigest !== undefined && !/^[0-9a-f]{64}$/.test(rawDigest)) {
    refuse('digest', 'the digest of what its body gave is none');
  }
  if (rawDigest !== undefined && !['ok', 'error', 'cancelled'].includes(outcome)) {
    refuse('no-clearance', `it is told as '${outcome}', and its body has given a result`);
  }
  if (result.isError === (outcome === 'ok') && (outcome === 'ok' || rawDigest === undefined)) {
    refuse('no-clearance', `it is told as '${outcome}', and its result says otherwise`);
  } else if (rawDigest === undefined && texts[outcome]?.test(result.output) === false) {
    refuse('no-clearance', `it is told as '${outcome}', and its text is none that says so`);
  }
  return faults;
}

/** What an attempt has come to stands for its call: nothing has happened since, and it is told as it was. */
export function repeatFault(ended: RecordOf<'outcome'>, { earlier, started, requests }: Open): string | undefined {
  const { by } = ended.record;
  const isIts =
    earlier !== undefined &&
    started === undefined &&
    requests.length === 0 &&
    whole(ended) === whole(earlier) &&
    (by === undefined || by === earlier.record.by);
  return isIts ? undefined : 'its end is not that of the attempt for which it stands';
}

/** Why it stands, and the tool of one that was never sealed, are said anew. */
const whole = ({ args, outcome, result, record }: Ended): string => {
  const { tool, digest, decision, verdicts, asks, guardMs = null, rule = null, rawDigest = null } = record;
  const sealed = digest === undefined ? null : [tool, digest];
  const said = [decision ?? null, verdicts, asks, guardMs, rule, rawDigest];
  return canonicalJson([args, outcome, result, sealed, said] as never);
};
