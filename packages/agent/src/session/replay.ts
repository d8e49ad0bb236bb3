/** Reading a log: the messages of a session, its settled view, its grants, and the run that was left open. */
import { append, closeClass } from '@treblehook/core';
import {
  HookError,
  type Grant,
  type Message,
  type SessionRecord,
  type StoredRecord,
  type TaskParent,
} from '@treblehook/types';
import { OpenRun } from './open-run.js';
import { takenRecord } from './taken-record.js';

export interface EndedRun {
  readonly settled: Extract<SessionRecord, { readonly type: 'settled' }>;
  /** All that its records tell. */
  readonly run: OpenRun;
}

export class Replay {
  /** The number of the last record that was read. */
  head = 0;
  /** What the next request is made of: every message in order, with the replacements of settled runs. */
  working: Message[] = [];
  /** How many messages of `working` stand before the open turn. */
  settledCount = 0;
  /** What the session was switched to last. */
  personality: Extract<SessionRecord, { readonly type: 'personality' }> | undefined;
  readonly grants = new Map<string, Grant>();
  /** Ids of all grants, the revoked ones too. */
  readonly given = new Set<string>();
  /** Requests whose answers have given grants, the revoked ones too. */
  readonly remembered = new Set<string>();
  /** Every request, those of calls that bodies made too. */
  readonly asked = new Set<string>();
  /** The run that neither ended nor can go on by itself: it waits for answers, or its process has died. */
  open: OpenRun | undefined;
  /** How its last run has ended; `undefined` while one is open. */
  ended: EndedRun | undefined;
  /** The name of the agent that opened it; `undefined` of a log that does not say. */
  agent: string | undefined;
  /** The call whose child the session is. */
  parent: TaskParent | undefined;
  readonly #byId = new Map<string, Message>();
  readonly #sessionId: string;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get isEmpty(): boolean {
    return this.head === 0;
  }

  /** Takes the records behind `head`. Throws `TH_HISTORY_INVALID` for a log that contradicts itself, or has what is no record. */
  take(records: readonly StoredRecord[]): void {
    for (const stored of records) {
      const taken = takenRecord(stored);
      if (typeof taken === 'string') return this.#refuse(this.head + 1, taken);
      const { seq, at, record } = taken;
      if (seq !== this.head + 1) this.#refuse(seq, `record ${this.head + 1} is missing`);
      this.head = seq;
      const before = this.open;
      this.#read(record, seq);
      (this.open ?? before)?.time.take(record, at);
    }
  }

  #read(record: SessionRecord, seq: number): void {
    switch (record.type) {
      case 'opened':
        this.agent = record.agent;
        this.parent = record.parent;
        return;
      case 'personality':
        this.personality = record;
        return;
      case 'run':
        this.open = new OpenRun(record);
        this.ended = undefined;
        return;
      case 'resumed':
        this.#openRun(record.runId, seq).isPending = false;
        return;
      case 'message':
        this.#add(record.message);
        if (this.open === undefined) this.#settle();
        else this.open.message(record.message);
        return;
      case 'answer':
        if (record.message.content.length > 0) this.#add(record.message);
        this.#openRun(record.runId, seq).answer(record);
        return;
      case 'unused':
        return this.#openRun(record.runId, seq).unused(record);
      case 'started':
      case 'attempt':
      case 'outcome':
      case 'request':
        if (record.type === 'request') this.asked.add(record.request.id);
        return this.#openRun(record.runId, seq).call(record, () =>
          this.#refuse(seq, `no answer has asked for the call '${record.callId}'`),
        );
      case 'edited':
        return this.open?.edited(record);
      case 'spent':
        return this.open?.addSpent(record);
      case 'answered':
        return this.open?.answered(record.answer);
      case 'grant':
        this.grants.set(record.grant.id, record.grant);
        this.given.add(record.grant.id);
        this.remembered.add(record.grant.request);
        return;
      case 'revoked':
        this.grants.delete(record.grantId);
        return;
      case 'settled':
        if (record.status === 'pending') return this.#openRun(record.runId, seq).suspended(record.unbegun);
        if (record.working !== undefined) this.working = this.#messagesOf(record.working, seq);
        this.ended = this.open && { settled: record, run: this.open };
        this.open = undefined;
        this.#settle();
        return;
      case 'late':
      case 'compaction':
        return; // they are told, nothing follows from them
      default:
        record satisfies never; // nor from what another version has written
    }
  }

  #add(message: Message): void {
    append(this.working, message);
    if (message.id !== undefined) this.#byId.set(message.id, message);
  }

  #settle(): void {
    this.settledCount = this.working.length;
  }

  #messagesOf(entries: readonly (string | Message)[], seq: number): Message[] {
    return entries.map((entry) => {
      if (typeof entry === 'string')
        return this.#byId.get(entry) ?? this.#refuse(seq, `there is no message '${entry}'`);
      if (entry.id !== undefined) this.#byId.set(entry.id, entry);
      return entry;
    });
  }

  #openRun(runId: string, seq: number): OpenRun {
    if (this.open?.runId === runId) return this.open;
    return this.#refuse(seq, `the run '${runId}' is not open`);
  }

  #refuse(seq: number, what: string): never {
    throw new HookError('TH_HISTORY_INVALID', { what: `the log of '${this.#sessionId}', record ${seq}: ${what}` });
  }
}
closeClass(Replay);
