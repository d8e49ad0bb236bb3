/** The calls of a log that is audited: who asked for each, what of it is in hand, and what is told of it. */
import { append, closeClass } from '@treblehook/core';
import { ownFields, type JsonValue, type LoggedCall, type LoggedSeal, type SessionRecord } from '@treblehook/types';
import type { Asked, Consents, Place } from './audit-consents.js';
import type { AuditedCall } from './audit-contract.js';

export type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;
export type Ended = RecordOf<'attempt' | 'outcome'>;
export type OfCall = RecordOf<'started' | 'request' | 'edited' | 'attempt' | 'outcome'>;

export interface Given {
  readonly name: string;
  readonly args: JsonValue;
  readonly askedBy: AuditedCall['askedBy'];
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
  /** The start that an earlier process has left. */
  left?: Open['started'];
  /** The attempt before it. */
  readonly earlier?: RecordOf<'attempt'>;
}

export class AuditedCalls {
  readonly told: AuditedCall[] = [];
  readonly #consents: Consents;
  readonly #personalities = new Map<string, string>();
  readonly #given = new Map<string, Given>();
  readonly #open = new Map<string, Open>();
  /** What was known of each that is over, at its end. */
  readonly #over = new Map<string, Open>();

  constructor(consents: Consents) {
    this.#consents = consents;
  }

  /** Says what is wrong with the run of a call. */
  runFault(runId: string): string | undefined {
    return this.#personalities.has(runId) ? undefined : `the log has no run '${runId}'`;
  }

  begin({ runId, personality }: RecordOf<'run'>): void {
    this.#personalities.set(runId, personality);
  }

  takeUp(runId: string): void {
    for (const open of this.#open.values()) {
      if (open.runId !== runId) continue;
      open.isTakenUp = true;
      open.left = open.started;
    }
  }

  ask({ runId, model, turn }: RecordOf<'answer'>, { callId, name, args }: LoggedCall, last: Place): void {
    this.#given.set(callId, { name, args, askedBy: { model, turn } });
    this.#open.set(callId, { runId, attempt: 1, last, requests: [] });
  }

  given(callId: string): Given | undefined {
    return this.#given.get(callId);
  }

  open(callId: string): Open | undefined {
    return this.#open.get(callId);
  }

  isOver(callId: string): boolean {
    return this.#over.has(callId);
  }

  /** A call that a body makes is in no answer: it was made behind the start of that one. */
  openOf(record: OfCall, last: Place): Open {
    const { callId, runId, parent = '' } = record;
    let open = this.#open.get(callId);
    if (open === undefined) {
      const asker = this.#open.get(parent) ?? this.#over.get(parent);
      const behind = asker?.started?.place ?? asker?.last ?? last;
      this.#open.set(callId, (open = { runId, attempt: 1, last: behind, requests: [] }));
    }
    if (!this.#given.has(callId)) {
      const args = 'sealed' in record ? record.sealed.args : record.args;
      const name = 'sealed' in record ? record.sealed.tool.name : record.type === 'outcome' ? record.name : callId;
      this.#given.set(callId, { name, args, askedBy: { call: parent } });
    }
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
      this.#over.set(callId, open);
      this.#open.delete(callId);
    } else this.#open.set(callId, { runId, attempt: record.attempt + 1, last, requests: [], earlier: record });
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
    return ownFields({ callId, runId, personality: this.#personalities.get(runId) ?? '', askedBy, name, given });
  }
}
closeClass(AuditedCalls);
