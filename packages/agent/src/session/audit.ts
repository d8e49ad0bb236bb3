/** What a log proves: of each call who asked for it, what the guards said of which arguments, who approved, what came of it. */
import { append, closeClass, frozen } from '@treblehook/core';
import { HookError, type LoggedSeal, type StoredRecord } from '@treblehook/types';
import { seal } from '../door/seal.js';
import { AuditedCalls, type Ended, type OfCall, type Open, type RecordOf } from './audit-calls.js';
import { clearingFaults, isCleared, isSameSaid, overFaults, type Fault, type Said } from './audit-clearance.js';
import { Consents, type Place } from './audit-consents.js';
import type { AuditProblem, SessionAudit } from './audit-contract.js';
import { isByWrapper, isTask, mustHaveRun } from './audit-ends.js';
import { takenRecord } from './taken-record.js';

/**
 * Audits the records of one session, from the first one on: a pure function, which recomputes each digest and replays who
 * had said yes to what. Throws `TH_HISTORY_INVALID` for a log with a gap.
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
  readonly #calls = new AuditedCalls(this.#consents);
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
        return this.#calls.begin(record);
      case 'resumed':
        return this.#calls.takeUp(record.runId);
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
        return this.#consents.revoked(record.grantId, seq);
      case 'attempt':
      case 'outcome':
        return this.#ended(record);
      case 'message':
        return this.#shown(record);
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
      this.#problem('other-call', callId, this.#calls.runFault(record.runId));
      this.#calls.ask(record, call, this.#place);
    }
  }

  /** What the model is told as the result of a call is durable before. */
  #shown({ message: { role, content } }: RecordOf<'message'>): void {
    if (role !== 'tool') return;
    for (const part of content) {
      if (part.type !== 'tool-result' || this.#calls.open(part.callId) === undefined) continue;
      this.#problem('no-clearance', part.callId, 'the model is told of its result, and it has not ended');
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
    const { callId, sealed, cleared, anew } = record;
    const open = this.#look(record, sealed);
    const { tool } = sealed;
    // a task has its child go on, in whichever process
    const goesOn = open.isTakenUp === true && isTask(tool);
    if (open.started !== undefined && anew !== true && !goesOn) {
      this.#problem('twice', callId, 'its body had started before');
    }
    const place = this.#place;
    // of an older log without what the guards had said, the outcome has to say so
    const faults = cleared === undefined ? [] : this.#clearing(callId, open, sealed, cleared, place);
    open.started = { place, record, isFaulty: faults.length > 0 };
  }

  #ended(record: Ended): void {
    const { callId } = record;
    const open = this.#openOf(record);
    if (record.type === 'attempt' && record.attempt !== open.attempt) {
      this.#problem('other-call', callId, `it ends as attempt ${record.attempt}, and ${open.attempt} was in hand`);
    }
    const { tool, digest } = record.record;
    const sealed = tool !== undefined && digest !== undefined ? { tool, args: record.args, digest } : undefined;
    if (sealed !== undefined) this.#seal(callId, sealed);
    if (record.type === 'outcome' && record.ofAttempt === true) this.#repeated(record, open);
    else {
      if (open.started !== undefined && !isByWrapper(record, open))
        this.#endOfStarted(record, open, open.started, sealed);
      else if (mustHaveRun(record)) this.#supplied(record, open, sealed);
      this.#calls.end(record, open, this.#place);
    }
    this.#calls.close(record, open, this.#place);
  }

  /** What its attempt has come to stands: nothing has happened since. */
  #repeated({ callId, outcome, record }: RecordOf<'outcome'>, { earlier, started, requests }: Open): void {
    const isIts = earlier?.outcome === outcome && earlier.record.digest === record.digest;
    if (isIts && started === undefined && requests.length === 0) return;
    this.#problem('other-call', callId, 'its end is not that of the attempt for which it stands');
  }

  /** Its body was cleared where it started; the end has to tell of that very clearance, unless the body never ran. */
  #endOfStarted(record: Ended, open: Open, started: Started, sealed: LoggedSeal | undefined): void {
    const { callId, outcome, record: evidence } = record;
    const { digest } = started.record.sealed;
    if (digest !== sealed?.digest) {
      const told = evidence.digest ?? 'none';
      this.#problem('other-call', callId, `the body started for the digest ${digest}, and the end tells of ${told}`);
    }
    if (!mustHaveRun(record)) return;
    this.#ran(callId, started);
    if (!isCleared(evidence)) return this.#notCleared(record);
    const { cleared } = started.record;
    if (cleared === undefined) {
      if (sealed !== undefined) this.#clearing(callId, open, sealed, evidence, started.place);
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
    this.#bound(callId, open, sealed);
    this.#clearing(callId, open, sealed, evidence, open.last);
    this.#all(callId, overFaults(this.#consents, evidence, open.last));
  }

  #notCleared({ callId, outcome, record: { decision } }: Ended): void {
    const what = `it is told as '${outcome}', and the guards said ${decision ?? 'nothing'}`;
    this.#problem('no-clearance', callId, what);
  }

  #clearing(callId: string, open: Open, sealed: LoggedSeal, said: Said, since: Place): readonly Fault[] {
    const { attempt, requests } = open;
    return this.#all(callId, clearingFaults(this.#consents, { callId, attempt, sealed, said, requests, since }));
  }

  #ran(callId: string, { record: { cleared }, place }: Started): void {
    if (cleared !== undefined) this.#all(callId, overFaults(this.#consents, cleared, place));
  }

  /** The call of a record that has a seal, looked at. */
  #look(record: RecordOf<'started' | 'request' | 'edited'>, sealed: LoggedSeal): Open {
    const { callId } = record;
    const open = this.#openOf(record);
    this.#seal(callId, sealed);
    const name = this.#calls.given(callId)?.name;
    if (name !== sealed.tool.name) this.#problem('other-call', callId, `'${name}' was asked for`);
    if (record.type !== 'edited') this.#bound(callId, open, sealed);
    open.sealed = sealed;
    open.last = this.#place;
    return open;
  }

  /** Its arguments are those that were sealed, unless an answer changes them; a wrapper may where it is taken up. */
  #bound(callId: string, { started, requests, isTakenUp }: Open, sealed: LoggedSeal): void {
    if (isTakenUp === true) return;
    const last = requests.at(-1);
    const digest = started?.record.sealed.digest ?? (last && this.#consents.approved(last));
    if (digest === undefined || digest === sealed.digest) return;
    this.#problem('other-call', callId, `it goes on with the digest ${sealed.digest}, and was sealed as ${digest}`);
  }

  /** In the run and by the call that have asked for it. */
  #openOf(record: OfCall): Open {
    const { callId, runId, parent } = record;
    if (this.#calls.isOver(callId)) this.#problem('twice', callId, 'it had ended before');
    if (this.#calls.open(callId) === undefined) this.#problem('other-call', callId, this.#calls.runFault(runId));
    const open = this.#calls.openOf(record, this.#place);
    const { askedBy } = this.#calls.given(callId)!;
    const asker = 'call' in askedBy ? askedBy.call : undefined;
    if (runId !== open.runId || parent !== asker) this.#problem('other-call', callId, 'somebody else has asked for it');
    if (parent !== undefined && record.type === 'started' && this.#calls.open(parent)?.started === undefined) {
      this.#problem('no-clearance', callId, `it is made by the body of '${parent}', which does not run`);
    }
    return open;
  }

  #seal(callId: string, { tool, args, digest }: LoggedSeal): void {
    let found: string;
    try {
      found = seal(tool, args).digest;
    } catch (error) {
      return this.#problem('digest', callId, `its arguments cannot be sealed: ${(error as Error).message}`);
    }
    if (found !== digest) this.#problem('digest', callId, `the log says ${digest}, and the call has ${found}`);
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
