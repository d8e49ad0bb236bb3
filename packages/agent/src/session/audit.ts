/** What a log proves: of each call who asked for it, what the guards said of which arguments, who approved, what came of it. */
import { append, closeClass, frozen } from '@treblehook/core';
import {
  HookError,
  type AskRecord,
  type GuardVerdict,
  type JsonValue,
  type LoggedSeal,
  type SessionRecord,
  type StoredRecord,
} from '@treblehook/types';
import { seal } from '../door/seal.js';
import { Consents } from './audit-consents.js';
import type { AuditedCall, AuditProblem, SessionAudit } from './audit-contract.js';
import { takenRecord } from './taken-record.js';

/**
 * Audits the records of one session, from the first one on: a pure function, which recomputes each digest. Throws
 * `TH_HISTORY_INVALID` for a log with a gap.
 */
export function auditSession(records: readonly StoredRecord[]): SessionAudit {
  const auditor = new Auditor();
  for (const stored of records) auditor.read(stored);
  return frozen(auditor.audit());
}

type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;
type Asked = { readonly name: string; readonly args: JsonValue; readonly askedBy: AuditedCall['askedBy'] };
interface Open {
  readonly runId: string;
  attempt: number;
  seq: number;
  started?: { readonly at: number; readonly record: RecordOf<'started'> };
  sealed?: LoggedSeal;
  requests: readonly RecordOf<'request'>[];
}

class Auditor {
  #seq = 0;
  readonly #personalities = new Map<string, string>();
  readonly #asked = new Map<string, Asked>();
  readonly #open = new Map<string, Open>();
  readonly #consents = new Consents();
  readonly #calls: AuditedCall[] = [];
  readonly #problems: AuditProblem[] = [];

  read(stored: StoredRecord): void {
    this.#seq++;
    const taken = takenRecord(stored);
    if (typeof taken === 'string') return this.#refuse(taken);
    const { seq, at, record } = taken;
    if (seq !== this.#seq) this.#refuse(`record ${this.#seq} is missing`);
    switch (record.type) {
      case 'run':
        this.#personalities.set(record.runId, record.personality);
        return;
      case 'answer':
        for (const { callId, name, args } of record.calls) {
          this.#asked.set(callId, { name, args, askedBy: { model: record.model, turn: record.turn } });
          this.#open.set(callId, { runId: record.runId, attempt: 1, seq, requests: [] });
        }
        return;
      case 'started':
        return this.#started(record, seq, at);
      case 'request':
        this.#consents.read(record, at);
        return this.#waits(this.#look(record, seq, record.sealed), record);
      case 'answered':
      case 'grant':
      case 'revoked':
        return this.#consents.read(record, at);
      case 'attempt':
      case 'outcome':
        return this.#ended(record, seq, at);
      default: // it says nothing of a call
    }
  }

  #refuse(what: string): never {
    throw new HookError('TH_HISTORY_INVALID', { what: `the log, record ${this.#seq}: ${what}` });
  }

  audit(): SessionAudit {
    for (const [callId, open] of this.#open) {
      const { runId, attempt, seq, started, sealed } = open;
      const { name, args, askedBy } = this.#asked.get(callId)!;
      append(this.#calls, {
        callId,
        runId,
        personality: this.#personalities.get(runId) ?? '',
        attempt,
        askedBy,
        name,
        ...(sealed === undefined ? { args } : { tool: sealed.tool, args: sealed.args, digest: sealed.digest }),
        given: args,
        decision: started?.record.cleared === undefined ? undefined : 'clear',
        guards: started?.record.cleared?.verdicts ?? [],
        ...(started?.record.cleared && { guardMs: started.record.cleared.ms }),
        asks: this.#consents.shown(started?.record.cleared?.asks ?? []),
        ...this.#consents.told(open.requests),
        ...(started && { startedAt: started.at }),
        outcome: undefined,
        seq,
      });
    }
    return { calls: this.#calls, problems: this.#problems };
  }

  #waits(open: Open, record: RecordOf<'request'>): void {
    open.requests = [...open.requests, record];
    delete open.started; // its body has told what it waits for
  }

  #started(record: RecordOf<'started'>, seq: number, at: number): void {
    const open = this.#look(record, seq, record.sealed);
    open.started = { at, record };
    const { cleared } = record;
    if (cleared === undefined) return; // of an older log: its outcome has to say so
    this.#cleared(record.callId, seq, record.sealed, cleared.verdicts, cleared.asks);
  }

  #ended(record: RecordOf<'attempt' | 'outcome'>, seq: number, at: number): void {
    const { callId, outcome, ms, record: evidence } = record;
    const open = this.#openOf(record, seq);
    const { started } = open;
    const { tool, digest, decision, verdicts, asks, guardMs, reason, by, rule } = evidence;
    const { name, args: given, askedBy } = this.#asked.get(callId)!;
    const args = record.type === 'outcome' ? record.args : (started?.record.sealed.args ?? open.sealed?.args ?? given);
    const sealed = tool !== undefined && digest !== undefined ? { tool, args, digest } : undefined;
    const isRepeated = record.type === 'outcome' && record.ofAttempt === true; // its attempt has been looked at
    if (sealed !== undefined && (record.type === 'outcome' || started !== undefined || open.sealed !== undefined)) {
      this.#digest(callId, seq, sealed);
    }
    if (started !== undefined && digest !== started.record.sealed.digest) {
      this.#problem(
        'other-call',
        callId,
        seq,
        `the body started for the digest ${started.record.sealed.digest}, and the end tells of ${digest ?? 'none'}`,
      );
    }
    const hasRun = started !== undefined || outcome === 'ok';
    if (hasRun && !isRepeated) {
      if (decision === 'clear' || (decision === 'ask' && asks.every(({ granted }) => granted !== undefined))) {
        this.#cleared(callId, seq, sealed, verdicts, asks);
      } else if (!(decision === undefined && started?.record.cleared !== undefined)) {
        this.#problem(
          'no-clearance',
          callId,
          seq,
          `it is told as '${outcome}', and the guards said ${decision ?? 'nothing'}`,
        );
      }
    }
    if (!isRepeated) {
      append(this.#calls, {
        callId,
        runId: record.runId,
        personality: this.#personalities.get(record.runId) ?? '',
        attempt: record.type === 'attempt' ? record.attempt : open.attempt,
        askedBy,
        name,
        ...(sealed === undefined ? { args: given } : sealed),
        given,
        decision,
        guards: verdicts,
        ...(guardMs !== undefined && { guardMs }),
        asks: this.#consents.shown(asks),
        ...this.#consents.told(open.requests),
        ...(started && { startedAt: started.at }),
        endedAt: at,
        outcome,
        ms,
        ...(reason !== undefined && { reason }),
        ...(by !== undefined && { by }),
        ...(rule !== undefined && { rule }),
        ...(outcome === 'error' && started === undefined && { fault: record.result.output }),
        seq,
      });
    }
    if (record.type === 'outcome') this.#open.delete(callId);
    else this.#open.set(callId, { runId: record.runId, attempt: record.attempt + 1, seq, requests: [] });
  }

  /** A clearance stands when some guard was asked, and each question was answered with yes for this very call. */
  #cleared(
    callId: string,
    seq: number,
    sealed: LoggedSeal | undefined,
    verdicts: readonly GuardVerdict[],
    asks: readonly AskRecord[],
  ): void {
    if (verdicts.length === 0) this.#problem('no-guards', callId, seq, 'no guard was there to ask');
    for (const { verdict, by } of verdicts) {
      if (verdict === 'deny') this.#problem('no-clearance', callId, seq, `'${by.id}' has denied it`);
    }
    for (const ask of asks) {
      const why = this.#consents.fault(ask, callId, sealed);
      if (why !== undefined) this.#problem('not-granted', callId, seq, `'${ask.question}' of '${ask.guard}': ${why}`);
    }
  }

  /** The call of a record that has a seal, looked at. */
  #look(record: RecordOf<'started' | 'request'>, seq: number, sealed: LoggedSeal): Open {
    const open = this.#openOf(record, seq);
    open.sealed = sealed;
    open.seq = seq;
    this.#digest(record.callId, seq, sealed);
    return open;
  }

  /** A call that a body makes is in no answer. */
  #openOf(record: RecordOf<'started' | 'request' | 'attempt' | 'outcome'>, seq: number): Open {
    const { callId, runId, parent } = record;
    let open = this.#open.get(callId);
    if (open === undefined) this.#open.set(callId, (open = { runId, attempt: 1, seq, requests: [] }));
    if (!this.#asked.has(callId)) {
      const told =
        'sealed' in record
          ? { name: record.sealed.tool.name, args: record.sealed.args }
          : record.type === 'outcome'
            ? record
            : undefined;
      this.#asked.set(callId, {
        name: told?.name ?? record.callId,
        args: told?.args ?? null,
        askedBy: { call: parent ?? '' },
      });
    }
    return open;
  }

  #digest(callId: string, seq: number, { tool, args, digest }: LoggedSeal): void {
    let found: string;
    try {
      found = seal(tool, args).digest;
    } catch (error) {
      return this.#problem('digest', callId, seq, `its arguments cannot be sealed: ${(error as Error).message}`);
    }
    if (found !== digest) this.#problem('digest', callId, seq, `the log says ${digest}, and the call has ${found}`);
  }

  #problem(code: AuditProblem['code'], callId: string, seq: number, what: string): void {
    append(this.#problems, { code, callId, seq, what });
  }
}
closeClass(Auditor);
