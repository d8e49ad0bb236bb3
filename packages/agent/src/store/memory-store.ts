/** The session store in memory: for tests, and for sessions that end with their process. */
import { append, closeClass, frozen } from '@treblehook/core';
import {
  HookError,
  type Answer,
  type Held,
  type Lease,
  type SessionRecord,
  type SessionStore,
  type SessionSummary,
  type SettleOutcome,
  type StoredRecord,
} from '@treblehook/types';
import { takenRecord } from '../session/taken-record.js';
import { lastOf } from './last-run.js';

export interface MemoryStoreOptions {
  /** Since the epoch, ms. Default: the system's. */
  readonly now?: () => number;
}

/** Everything is gone with the store. Sessions of several agents may share one. */
export const memoryStore = (options: MemoryStoreOptions = {}): SessionStore => storeOf(new Map(), options);

export interface PrivateStore extends SessionStore {
  /** Drops a session, and those of its tasks. */
  readonly forget: (sessionId: string) => void;
}

/** The store of an agent, or a runtime, that was given none: it keeps what `memoryStore` keeps, but for what is dropped by `forget`. */
export function privateStore(options: MemoryStoreOptions): PrivateStore {
  const logs = new Map<string, Log>();
  const tasks = new Map<string, string[]>();
  const store = storeOf(logs, options, (record) => record);
  const forget = (sessionId: string): void => {
    logs.delete(sessionId);
    const own = tasks.get(sessionId) ?? [];
    tasks.delete(sessionId);
    for (const id of own) forget(id);
  };
  return Object.freeze({
    ...store,
    append(lease: Lease, records: readonly SessionRecord[]) {
      const [first] = records;
      if (first?.type === 'opened' && first.parent !== undefined) {
        const { sessionId } = first.parent;
        tasks.set(sessionId, [...(tasks.get(sessionId) ?? []), lease.sessionId]);
      }
      return store.append(lease, records);
    },
    forget,
  });
}

/** `keep`: the record as it is stored. Those of a loop are made of frozen parts, and frozen again where they are read. */
function storeOf(
  logs: Map<string, Log>,
  { now = () => Date.now() }: MemoryStoreOptions,
  keep: (record: SessionRecord) => SessionRecord = frozen,
): SessionStore {
  const logOf = (sessionId: string): Log => {
    let log = logs.get(sessionId);
    if (log === undefined) logs.set(sessionId, (log = new Log(sessionId, now, keep)));
    return log;
  };
  return Object.freeze({
    acquire: (sessionId: string, holder: string, ms: number) => logOf(sessionId).acquire(holder, ms),
    renew: (lease: Lease, ms: number) => logOf(lease.sessionId).renew(lease, ms),
    release: (lease: Lease) => logOf(lease.sessionId).release(lease),
    append: (lease: Lease, records: readonly SessionRecord[]) => logOf(lease.sessionId).append(lease, records),
    read: (sessionId: string, after = 0) => logs.get(sessionId)?.read(after) ?? [],
    settle: (sessionId: string, answer: Answer) => logs.get(sessionId)?.settle(answer) ?? unknown,
    list: () =>
      [...logs.values()]
        .filter((log) => log.size > 0)
        .map((log) => log.summary())
        .toSorted((a, b) => b.changedAt - a.changedAt),
    close: () => {},
  });
}

const unknown: SettleOutcome = Object.freeze({ state: 'unknown' });

interface Open {
  expiresAt: number;
  answer: Answer | undefined;
}

/** The log of one session, with its lease and its requests. */
class Log {
  readonly #sessionId: string;
  readonly #now: () => number;
  readonly #keep: (record: SessionRecord) => SessionRecord;
  readonly #records: StoredRecord[] = [];
  readonly #requests = new Map<string, Open>();
  #last: SessionSummary['last'];
  #fence = 0;
  #lease: (Lease & Held) | undefined;

  constructor(sessionId: string, now: () => number, keep: (record: SessionRecord) => SessionRecord) {
    this.#sessionId = sessionId;
    this.#now = now;
    this.#keep = keep;
  }

  get size(): number {
    return this.#records.length;
  }

  acquire(holder: string, ms: number): Lease | Held {
    const held = this.#held();
    if (held !== undefined) return Object.freeze({ holder: held.holder, until: held.until });
    const fence = ++this.#fence;
    this.#lease = { sessionId: this.#sessionId, fence, holder, until: this.#now() + ms };
    return Object.freeze({ sessionId: this.#sessionId, fence });
  }

  renew(lease: Lease, ms: number): void {
    this.#assertOwn(lease);
    this.#lease = { ...this.#lease!, until: this.#now() + ms };
  }

  release({ fence }: Lease): void {
    if (this.#lease?.fence === fence) this.#lease = undefined;
  }

  append(lease: Lease, records: readonly SessionRecord[]): number {
    this.#assertOwn(lease);
    for (const record of records.map((one) => this.#keep(one))) this.#add(record);
    return this.#records.length;
  }

  /** What was read once stays as it was made for that: a log is read more often than it is long. */
  read(after: number): readonly StoredRecord[] {
    const records = this.#records;
    for (let at = Math.max(0, after); at < records.length; at++) {
      const taken = takenRecord(records[at]!);
      if (typeof taken !== 'string') records[at] = taken;
    }
    return records.slice(after);
  }

  settle(given: Answer): SettleOutcome {
    const answer = frozen(given);
    const request = this.#requests.get(answer.id);
    if (request === undefined) return unknown;
    if (request.answer !== undefined) return Object.freeze({ state: 'taken', answer: request.answer });
    if (request.expiresAt <= this.#now()) return Object.freeze({ state: 'expired' });
    request.answer = answer;
    this.#add(frozen({ type: 'answered', answer }));
    return Object.freeze({ state: 'settled' });
  }

  summary(): SessionSummary {
    const holder = this.#held()?.holder;
    const { record: first } = this.#records[0]!;
    const parent = first.type === 'opened' ? first.parent?.sessionId : undefined;
    return Object.freeze({
      sessionId: this.#sessionId,
      records: this.#records.length,
      openedAt: this.#records[0]!.at,
      changedAt: this.#records.at(-1)!.at,
      pending: this.#open().filter(({ expiresAt }) => expiresAt > this.#now()).length,
      ...(this.#last === undefined ? {} : { last: this.#last }),
      ...(parent === undefined ? {} : { parent }),
      ...(holder === undefined ? {} : { holder }),
    });
  }

  /** Without an answer. */
  #open(): readonly Open[] {
    return [...this.#requests.values()].filter(({ answer }) => answer === undefined);
  }

  #held(): (Lease & Held) | undefined {
    return this.#lease !== undefined && this.#lease.until > this.#now() ? this.#lease : undefined;
  }

  /** A lease that has run out is good until somebody takes the session over. */
  #assertOwn({ fence }: Lease): void {
    if (this.#lease?.fence === fence) return;
    throw new HookError('TH_LEASE_LOST', { session: this.#sessionId, fence });
  }

  #add(record: SessionRecord): void {
    if (record.type === 'request') {
      const { id, expiresAt = Infinity } = record.request;
      this.#requests.set(id, { expiresAt, answer: undefined });
    } else if (record.type === 'settled' && record.status !== 'pending') {
      for (const request of this.#open()) request.expiresAt = 0; // they go with their run
    }
    this.#last = lastOf(record) ?? this.#last;
    append(this.#records, Object.freeze({ seq: this.#records.length + 1, at: this.#now(), record }));
  }
}
closeClass(Log);
