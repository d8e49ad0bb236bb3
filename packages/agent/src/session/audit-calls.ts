/** The calls of a log that is audited: who asked for each, what of it is in hand, and what is told of it. */
import { append, closeClass } from '@treblehook/core';
import { ownFields, type JsonValue, type LoggedCall, type LoggedSeal, type SessionRecord } from '@treblehook/types';
import type { Asked, Consents, Place } from './audit-consents.js';
import type { AuditedCall } from './audit-contract.js';
import type { AuditedRuns } from './audit-runs.js';

export type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;
export type Ended = RecordOf<'attempt' | 'outcome'>;
export type OfCall = RecordOf<'started' | 'request' | 'edited' | 'attempt' | 'outcome'>;

export interface Given {
  readonly name: string;
  readonly args: JsonValue;
  /** Why these cannot be read. */
  readonly fault?: string | undefined;
  readonly askedBy: AuditedCall['askedBy'];
  /** Names of the tools that a call could be of there; `undefined`: the log does not say. */
  readonly offered: readonly string[] | undefined;
}

/** A call that is not over, in its attempt in hand. */
export interface Open {
  readonly runId: string;
  readonly attempt: number;
  /** The last record about it. */
  last: Place;
  started?: { readonly place: Place; readonly record: RecordOf<'started'>; readonly isFaulty: boolean };
  sealed?: LoggedSeal;
  requests: readonly Asked[];
  /** Its run goes on in another process. */
  isTakenUp?: true;
  /** Its body has not begun, though its start is written: its run was suspended. */
  isUnbegun?: true;
  /** Its body has started, in this attempt or an earlier one. */
  hasStarted?: true;
  /** The wrapper has given this attempt its arguments. */
  isChanged?: true;
  /** The digest of those, since its run was taken up last. */
  changedTo?: string;
  /** The start that an earlier process has left. */
  left?: Open['started'];
  /** The attempt before it. */
  readonly earlier?: RecordOf<'attempt'>;
}

export class AuditedCalls {
  readonly told: AuditedCall[] = [];
  readonly #consents: Consents;
  readonly #runs: AuditedRuns;
  readonly #given = new Map<string, Given>();
  readonly #open = new Map<string, Open>();
  /** What was known of each that is over, at its end. */
  readonly #over = new Map<string, { readonly open: Open; readonly ended: RecordOf<'outcome'> }>();

  constructor(runs: AuditedRuns, consents: Consents) {
    this.#runs = runs;
    this.#consents = consents;
  }

  takeUp(runId: string): void {
    for (const open of this.#open.values()) {
      if (open.runId !== runId) continue;
      open.isTakenUp = true;
      open.left = open.started;
      delete open.changedTo;
    }
  }

  suspend({ unbegun = [] }: RecordOf<'settled'>): void {
    for (const callId of unbegun) {
      const open = this.#open.get(callId);
      if (open?.started !== undefined) open.isUnbegun = true;
    }
  }

  ask({ runId, model, turn, offered }: RecordOf<'answer'>, call: LoggedCall, last: Place): void {
    const { callId, name, args, fault } = call;
    this.#given.set(callId, { name, args, fault, askedBy: { model, turn }, offered });
    this.#open.set(callId, { runId, attempt: 1, last, requests: [] });
  }

  given(callId: string): Given | undefined {
    return this.#given.get(callId);
  }

  open(callId: string): Open | undefined {
    return this.#open.get(callId);
  }

  ended(callId: string): RecordOf<'outcome'> | undefined {
    return this.#over.get(callId)?.ended;
  }

  /** Its body, in whichever attempt. */
  hasStarted(callId: string): boolean {
    return (this.#open.get(callId) ?? this.#over.get(callId)?.open)?.hasStarted === true;
  }

  /** A call that a body makes is in no answer: it was made behind the start of that one. */
  openOf(record: OfCall, last: Place): Open {
    const { callId, runId, parent = '' } = record;
    let open = this.#open.get(callId);
    if (open === undefined) {
      const asker = this.#open.get(parent) ?? this.#over.get(parent)?.open;
      const behind = asker?.started?.place ?? asker?.last ?? last;
      this.#open.set(callId, (open = { runId, attempt: 1, last: behind, requests: [] }));
    }
    if (!this.#given.has(callId)) {
      const args = 'sealed' in record ? record.sealed.args : record.args;
      const name = 'sealed' in record ? record.sealed.tool.name : (record.name ?? record.record.tool?.name ?? callId);
      const { offered } = this.#given.get(parent) ?? {};
      this.#given.set(callId, { name, args, askedBy: { call: parent }, offered });
    }
    if (record.changed === true) open.isChanged = true;
    return open;
  }

  end(record: Ended, open: Open, place: Place): void {
    const { callId, outcome, ms, result, record: evidence } = record;
    const { started } = open;
    const { tool, digest, decision, verdicts, asks, guardMs, reason, by, rule } = evidence;
    const { args: given } = this.#given.get(callId)!;
    append(this.told, {
      ...this.#placeOf(callId, record.runId),
      attempt: record.type === 'attempt' ? record.attempt : open.attempt,
      ...(tool === undefined || digest === undefined ? { args: given } : { tool, args: record.args, digest }),
      decision,
      guards: verdicts,
      ...(guardMs !== undefined && { guardMs }),
      asks: this.#consents.shown(asks),
      ...this.#consents.told(open.requests),
      ...(started && { startedAt: started.place.at }),
      endedAt: place.at,
      outcome,
      ms,
      ...(reason !== undefined && { reason }),
      ...(by !== undefined && { by }),
      ...(rule !== undefined && { rule }),
      ...(outcome === 'error' && started === undefined && { fault: result.output }),
      seq: place.seq,
    });
  }

  /** Another attempt follows it, or none. */
  close(record: Ended, open: Open, last: Place): void {
    const { callId, runId } = record;
    if (record.type === 'outcome') {
      this.#over.set(callId, { open, ended: record });
      this.#open.delete(callId);
    } else {
      const { hasStarted } = open;
      const next: Open = { runId, attempt: record.attempt + 1, last, requests: [], earlier: record };
      this.#open.set(callId, hasStarted === true ? { ...next, hasStarted } : next);
    }
  }

  /** Those that are not over come last. */
  all(): readonly AuditedCall[] {
    for (const [callId, open] of this.#open) append(this.told, this.#unended(callId, open));
    return this.told;
  }

  #unended(callId: string, { runId, attempt, last, started, sealed, requests }: Open): AuditedCall {
    const cleared = started?.record.cleared;
    return {
      ...this.#placeOf(callId, runId),
      attempt,
      ...(sealed === undefined ? { args: this.#given.get(callId)!.args } : sealed),
      decision: cleared && 'clear',
      guards: cleared?.verdicts ?? [],
      ...(cleared && { guardMs: cleared.ms }),
      asks: this.#consents.shown(cleared?.asks ?? []),
      ...this.#consents.told(requests),
      ...(started && { startedAt: started.place.at }),
      outcome: undefined,
      seq: last.seq,
    };
  }

  #placeOf(
    callId: string,
    runId: string,
  ): Pick<AuditedCall, 'callId' | 'runId' | 'personality' | 'askedBy' | 'name' | 'given'> {
    const { name, args: given, askedBy } = this.#given.get(callId)!;
    return ownFields({ callId, runId, personality: this.#runs.personalityOf(runId), askedBy, name, given });
  }
}
closeClass(AuditedCalls);
