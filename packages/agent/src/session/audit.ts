/** What a log proves: of each call who asked for it, what the guards said of which arguments, who approved, what came of it. */
import { append, closeClass, frozen } from '@treblehook/core';
import { HookError, type LoggedSeal, type StoredRecord } from '@treblehook/types';
import { AuditedCalls, type Ended, type OfCall, type Open, type RecordOf } from './audit-calls.js';
import { clearingFaults, goneFaults, isCleared, isSameSaid, type Fault, type Said } from './audit-clearance.js';
import { Consents, type Place } from './audit-consents.js';
import type { AuditProblem, SessionAudit } from './audit-contract.js';
import * as ends from './audit-ends.js';
import { AuditedRuns } from './audit-runs.js';
import { boundFault, callFault, sealFault, startFault } from './audit-seals.js';
import { askedFaults, toldFaults } from './audit-told.js';
import { takenRecord } from './taken-record.js';

/**
 * Audits the records of one session, from the first one on: a pure function, which recomputes each digest and replays who
 * had said yes to what. It is a check of consistency: no problem means that nothing in the log contradicts the law of the door.
 * Who may write the log can make up rows that agree with one another, such as a yes, what a schema has made of edited
 * arguments, or what a stage of `afterTool` has left of a result; only a copy that they cannot write to shows that. Throws
 * `TH_HISTORY_INVALID` for a log with a gap.
 */
export function auditSession(records: readonly StoredRecord[]): SessionAudit {
  const auditor = new Auditor();
  for (const stored of records) auditor.read(stored);
  return frozen(auditor.audit());
}

class Auditor {
  #seq = 0;
  #at = 0;
  readonly #consents = new Consents();
  readonly #runs = new AuditedRuns();
  readonly #calls = new AuditedCalls(this.#runs, this.#consents);
  readonly #problems: AuditProblem[] = [];

  read(stored: StoredRecord): void {
    this.#seq++;
    const taken = takenRecord(stored);
    if (typeof taken === 'string') return this.#refuse(taken);
    const { seq, at, record } = taken;
    if (seq !== this.#seq) this.#refuse(`record ${this.#seq} is missing`);
    this.#at = at;
    switch (record.type) {
      case 'run':
        return this.#runs.begin(record);
      case 'resumed':
        this.#problem('other-call', '', this.#runs.takeUp(record.runId));
        return this.#calls.takeUp(record.runId);
      case 'settled':
        if (record.status === 'pending') this.#calls.suspend(record);
        return this.#runs.settle(record);
      case 'answer':
        return this.#asks(record);
      case 'started':
        return this.#started(record);
      case 'request':
        return this.#asked(record);
      case 'answered': {
        const fault = this.#consents.answered(record.answer, at);
        return fault && this.#problem(fault.code, this.#consents.callOf(record.answer.id), fault.what);
      }
      case 'edited':
        this.#look(record, record.sealed);
        return this.#problem('not-granted', record.callId, this.#consents.edited(record));
      case 'grant':
        return this.#problem(
          'not-granted',
          this.#consents.callOf(record.grant.request),
          this.#consents.granted(record.grant),
        );
      case 'revoked':
        return this.#problem('not-granted', '', this.#consents.revoked(record.grantId, seq));
      case 'attempt':
      case 'outcome':
        return this.#ended(record);
      case 'message':
        for (const { code, callId, what } of toldFaults(this.#calls, record)) this.#problem(code, callId, what);
        return undefined;
      case 'late':
        return this.#late(record);
      default: // it says nothing of a call
    }
  }

  audit(): SessionAudit {
    return { calls: this.#calls.all(), problems: this.#problems };
  }

  get #place(): Place {
    return { seq: this.#seq, at: this.#at };
  }

  #refuse(what: string): never {
    throw new HookError('TH_HISTORY_INVALID', { what: `the log, record ${this.#seq}: ${what}` });
  }

  #asks(record: RecordOf<'answer'>): void {
    for (const call of record.calls) {
      const { callId } = call;
      if (this.#calls.given(callId) !== undefined) this.#problem('twice', callId, 'it was asked for before');
      this.#problem('other-call', callId, this.#runs.fault(record.runId, false));
      this.#calls.ask(record, call, this.#place);
    }
    for (const { code, callId, what } of askedFaults(record)) this.#problem(code, callId, what);
  }

  /** Of a wrapper it can come without a body. */
  #late({ callId, text }: RecordOf<'late'>): void {
    if (this.#calls.given(callId) === undefined) this.#problem('other-call', callId, 'nobody has asked for it');
    else if (!text.startsWith("'around' ") && !this.#calls.hasStarted(callId)) {
      this.#problem('no-clearance', callId, `its body is told of ("${text}"), and has not started`);
    }
  }

  /** What is asked of a body that has not started is asked in its place; a body that asks has run. */
  #asked(record: RecordOf<'request'>): void {
    const { callId } = record;
    const open = this.#look(record, record.sealed);
    this.#consents.asked(record, open.attempt);
    if (record.by === 'tool') {
      if (open.started === undefined) this.#problem('no-clearance', callId, 'its body asks, and has not started');
      else this.#ran(callId, open.started);
    }
    open.requests = [...open.requests, record];
    delete open.started;
  }

  #started(record: RecordOf<'started'>): void {
    const { callId, sealed, cleared } = record;
    const open = this.#look(record, sealed);
    this.#problem('twice', callId, startFault(record, open));
    const place = this.#place;
    // of an older log without what the guards had said, the outcome has to say so
    const faults = cleared === undefined ? [] : this.#clearing(callId, open, sealed, cleared);
    open.started = { place, record, isFaulty: faults.length > 0 };
    open.hasStarted = true;
    delete open.isUnbegun;
  }

  #ended(record: Ended): void {
    const { callId } = record;
    const open = this.#openOf(record, ends.isGivenUp(record));
    if (record.type === 'attempt' && record.attempt !== open.attempt) {
      this.#problem('other-call', callId, `it ends as attempt ${record.attempt}, and ${open.attempt} was in hand`);
    }
    this.#all(callId, ends.endFaults(record, this.#calls.given(callId)!));
    const { tool, digest } = record.record;
    const sealed = tool !== undefined && digest !== undefined ? { tool, args: record.args, digest } : undefined;
    if (sealed !== undefined) this.#problem('digest', callId, sealFault(sealed));
    if (ends.isOfAttempt(record)) this.#problem('other-call', callId, ends.repeatFault(record, open));
    else {
      if (open.started !== undefined && !ends.isByWrapper(record, open))
        this.#endOfStarted(record, open, open.started, sealed);
      else if (ends.mustHaveRun(record)) this.#supplied(record, open, sealed);
      this.#calls.end(record, open, this.#place);
    }
    this.#calls.close(record, open, this.#place);
  }

  /** Its body was cleared where it started; the end has to tell of that very clearance, unless the body never ran. */
  #endOfStarted(record: Ended, open: Open, started: Started, sealed: LoggedSeal | undefined): void {
    const { callId, outcome, record: evidence } = record;
    const { digest } = started.record.sealed;
    if (digest !== sealed?.digest) {
      const told = evidence.digest ?? 'none';
      this.#problem('other-call', callId, `the body started for the digest ${digest}, and the end tells of ${told}`);
    }
    if (!ends.mustHaveRun(record)) return;
    if (ends.hasRun(record)) this.#ran(callId, started);
    if (!isCleared(evidence)) return this.#notCleared(record);
    const { cleared } = started.record;
    if (cleared === undefined) {
      if (sealed !== undefined) this.#clearing(callId, open, sealed, evidence);
    } else if (evidence.verdicts.length === 0) this.#problem('no-guards', callId, 'no guard was there to ask');
    else if (!started.isFaulty && !isSameSaid(cleared, evidence)) {
      const what = `it is told as '${outcome}' by another clearance than the one by which its body started`;
      this.#problem('no-clearance', callId, what);
    }
  }

  /** No body has started: somebody has given its result, and names himself. */
  #supplied(record: Ended, open: Open, sealed: LoggedSeal | undefined): void {
    const { callId, outcome, record: evidence } = record;
    if (!isCleared(evidence)) return this.#notCleared(record);
    if (sealed === undefined || outcome === 'outcome-unknown' || (outcome === 'ok' && evidence.by === undefined)) {
      return this.#problem('no-clearance', callId, `it is told as '${outcome}', and its body has not started`);
    }
    this.#problem('other-call', callId, boundFault(this.#consents, open, sealed, record));
    this.#problem('no-clearance', callId, callFault(this.#calls.given(callId)!, open));
    this.#clearing(callId, open, sealed, evidence);
    this.#all(callId, goneFaults(this.#consents, evidence, open.last));
  }

  #notCleared({ callId, outcome, record: { decision } }: Ended): void {
    const what = `it is told as '${outcome}', and the guards said ${decision ?? 'nothing'}`;
    this.#problem('no-clearance', callId, what);
  }

  #clearing(callId: string, { attempt, requests }: Open, sealed: LoggedSeal, said: Said): readonly Fault[] {
    return this.#all(callId, clearingFaults(this.#consents, { callId, attempt, sealed, said, requests }));
  }

  #ran(callId: string, { record: { cleared }, place }: Started): void {
    if (cleared !== undefined) this.#all(callId, goneFaults(this.#consents, cleared, place));
  }

  /** The call of a record that has a seal, looked at. */
  #look(record: RecordOf<'started' | 'request' | 'edited'>, sealed: LoggedSeal): Open {
    const { callId } = record;
    const open = this.#openOf(record, false);
    this.#problem('digest', callId, sealFault(sealed));
    const given = this.#calls.given(callId)!;
    if (given.name !== sealed.tool.name) this.#problem('other-call', callId, `'${given.name}' was asked for`);
    this.#problem('no-clearance', callId, callFault(given, open));
    if (record.type !== 'edited') {
      this.#problem('other-call', callId, boundFault(this.#consents, open, sealed, record));
    }
    open.sealed = sealed;
    open.last = this.#place;
    return open;
  }

  /** In the run and by the call that have asked for it; `mayWait`: as a run has them that waits. */
  #openOf(record: OfCall, mayWait: boolean): Open {
    const { callId, runId, parent } = record;
    if (this.#calls.ended(callId) !== undefined) this.#problem('twice', callId, 'it had ended before');
    this.#problem('other-call', callId, this.#runs.fault(runId, mayWait));
    const open = this.#calls.openOf(record, this.#place);
    const { askedBy } = this.#calls.given(callId)!;
    const asker = 'call' in askedBy ? askedBy.call : undefined;
    if (runId !== open.runId || parent !== asker) this.#problem('other-call', callId, 'somebody else has asked for it');
    if (parent !== undefined && record.type === 'started' && this.#calls.open(parent)?.started === undefined) {
      this.#problem('no-clearance', callId, `it is made by the body of '${parent}', which does not run`);
    }
    return open;
  }

  #all(callId: string, faults: readonly Fault[]): readonly Fault[] {
    for (const { code, what } of faults) this.#problem(code, callId, what);
    return faults;
  }

  #problem(code: AuditProblem['code'], callId = '', what: string | undefined): void {
    if (what !== undefined) append(this.#problems, { code, callId, seq: this.#seq, what });
  }
}
closeClass(Auditor);

type Started = NonNullable<Open['started']>;
