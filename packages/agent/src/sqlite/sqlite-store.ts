/** The session store in a SQLite file. */
import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import {
  HookError,
  isHookError,
  ownFields,
  textOf,
  type Answer,
  type Held,
  type Lease,
  type SessionRecord,
  type SessionStore,
  type SessionSummary,
  type SettleOutcome,
  type StoredRecord,
} from '@treblehook/types';
import { idFault, meant } from '../read-option.js';
import { lastOf } from '../store/last-run.js';
import { openDatabase, type Database } from './database.js';
import { prepare, type Statements } from './layout.js';
import { isAlive, machineId } from './process-id.js';
import { decodeRecord, encodeRecord } from './record-json.js';

export interface SqliteStoreOptions {
  /** The file; made when it is not there, for its owner alone; its folder is not. `-wal` and `-shm` stand beside it while it is open. */
  readonly path: string;
  /** Since the epoch, ms. Default: the system's. */
  readonly now?: () => number;
  /** How long a call waits while another process writes, ms. Default 5,000. */
  readonly busyMs?: number;
}

interface LeaseRow {
  readonly fence: number;
  readonly holder: string | null;
  readonly machine: string | null;
  readonly pid: number | null;
  readonly until: number;
}

type SummaryRow = Omit<SessionSummary, 'sessionId' | 'last' | 'parent' | 'holder'> & {
  readonly session: string;
  readonly last: Exclude<SessionSummary['last'], undefined> | null;
  readonly parent: string | null;
};

/**
 * Opens the file. A record is on the disk when `append` returns (write-ahead log, `synchronous=FULL`). A lease whose
 * process has died on this machine is taken over at once. Throws `TH_STORE_FAILED`.
 */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  const { path: given, now: date = () => Date.now(), busyMs = 5_000 } = read(options);
  const now = (): number => wholeMs(date());
  const path = given === ':memory:' || isAbsolute(given) ? given : resolve(given);
  const machine = machineId();
  const failed = (error: unknown): HookError => storeFault(path, error);
  let database: Database | undefined;
  let prepared: Statements;
  try {
    database = openDatabase(path);
    prepared = prepare(database, path, busyMs);
  } catch (error) {
    database?.close();
    throw failed(error);
  }
  const open = database;
  const own = prepared;

  /** Reads and writes as one: nobody writes between its statements. */
  function atomic<T>(work: () => T): T {
    try {
      open.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        open.exec('COMMIT');
        return result;
      } catch (error) {
        try {
          open.exec('ROLLBACK');
        } catch {
          // swallows the fault of a transaction that SQLite has rolled back itself, as it does when the disk is full
        }
        throw error;
      }
    } catch (error) {
      throw failed(error);
    }
  }
  function look<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw failed(error);
    }
  }

  const leaseOf = (session: string): LeaseRow | undefined => own.lease.get(session) as LeaseRow | undefined;
  const holderOf = (lease: LeaseRow | undefined): string | undefined => {
    if (lease === undefined || lease.holder === null || lease.until <= now()) return undefined;
    if (lease.machine === machine && lease.pid !== null && !isAlive(lease.pid)) return undefined;
    return lease.holder;
  };
  /** SQLite reads a text to its first NUL in some versions, and writes halves of a surrogate pair alike. */
  const assertIds = (...ids: readonly string[]): void => {
    for (const id of ids) {
      const fault = idFault(id);
      if (fault === undefined) continue;
      const what = `cannot keep the id ${JSON.stringify(id)}`;
      throw new HookError('TH_STORE_FAILED', { store: path, what, mend: `it ${fault}` });
    }
  };
  const assertOwn = ({ sessionId, fence }: Lease): void => {
    assertIds(sessionId);
    const lease = leaseOf(sessionId);
    if (lease?.fence !== fence || lease.holder === null)
      throw new HookError('TH_LEASE_LOST', { session: sessionId, fence });
  };
  const headOf = (session: string): number => (own.head.get(session) as { readonly head: number }).head;

  return Object.freeze({
    acquire: (session: string, holder: string, ms: number): Lease | Held =>
      atomic(() => {
        assertIds(session);
        const before = leaseOf(session);
        const other = holderOf(before);
        if (other !== undefined) return Object.freeze({ holder: other, until: before!.until });
        const fence = (before?.fence ?? 0) + 1;
        own.take.run(session, fence, holder, machine, process.pid, wholeMs(now() + ms));
        return Object.freeze({ sessionId: session, fence });
      }),
    renew: (lease: Lease, ms: number): void =>
      atomic(() => {
        assertOwn(lease);
        own.renew.run(wholeMs(now() + ms), lease.sessionId);
      }),
    release: ({ sessionId, fence }: Lease): void =>
      atomic(() => {
        assertIds(sessionId);
        own.release.run(sessionId, fence);
      }),
    append: (lease: Lease, records: readonly SessionRecord[]): number =>
      atomic(() => {
        assertOwn(lease);
        const { sessionId, fence } = lease;
        let seq = headOf(sessionId);
        for (const record of records) {
          own.add.run(sessionId, ++seq, now(), fence, encodeRecord(record));
          const last = lastOf(record);
          if (last !== undefined) own.last.run(sessionId, last);
          if (record.type === 'request') {
            assertIds(record.request.id);
            const { id, expiresAt } = record.request;
            own.open.run(sessionId, id, expiresAt === undefined ? null : wholeMs(expiresAt));
          } else if (record.type === 'settled' && record.status !== 'pending') {
            own.expire.run(sessionId); // they go with their run
          }
        }
        return seq;
      }),
    read: (session: string, after = 0): readonly StoredRecord[] =>
      look(() => {
        assertIds(session);
        return (own.read.all(session, after) as { seq: number; at: number; body: string }[]).map(({ seq, at, body }) =>
          Object.freeze({ seq, at, record: decodeRecord(body, `${path}, session '${session}', record ${seq},`) }),
        );
      }),
    settle: (session: string, answer: Answer): SettleOutcome =>
      atomic(() => {
        assertIds(session, answer.id);
        const request = own.request.get(session, answer.id) as
          | { readonly expires: number | null; readonly answer: string | null }
          | undefined;
        if (request === undefined) return Object.freeze({ state: 'unknown' });
        if (request.answer !== null) {
          return Object.freeze({ state: 'taken', answer: answerOf(request.answer) });
        }
        if (request.expires !== null && request.expires <= now()) return Object.freeze({ state: 'expired' });
        own.answer.run(encodeRecord({ type: 'answered', answer }), session, answer.id);
        const fence = leaseOf(session)?.fence ?? 0;
        own.add.run(session, headOf(session) + 1, now(), fence, encodeRecord({ type: 'answered', answer }));
        return Object.freeze({ state: 'settled' });
      }),
    list: (): readonly SessionSummary[] =>
      look(() =>
        (own.list.all(now()) as SummaryRow[]).map(
          ({ session, records, openedAt, changedAt, pending, last, parent }) => {
            const holder = holderOf(leaseOf(session));
            const summary = { sessionId: session, records, openedAt, changedAt, pending };
            return Object.freeze({
              ...summary,
              ...(last === null ? {} : { last }),
              ...(parent === null ? {} : { parent }),
              ...(holder === undefined ? {} : { holder }),
            });
          },
        ),
      ),
    close: (): void =>
      look(() => {
        try {
          open.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        } catch {
          // swallows what keeps the log from being written back: it stands in `-wal`, and the next opening reads it there
        }
        open.close();
      }),
  });
}

/** Its columns of times take whole numbers. What has a fraction is over at the same look as before. */
const wholeMs = (ms: number): number => Math.min(Math.ceil(ms), Number.MAX_SAFE_INTEGER);

const answerOf = (text: string): Answer => (decodeRecord(text, 'an answer') as { readonly answer: Answer }).answer;

function read(options: SqliteStoreOptions): SqliteStoreOptions {
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what: `sqliteStore takes { path, now?, busyMs? }: ${what}` });
  };
  if (typeof options !== 'object' || options === null) return refuse(`not ${typeof options}`);
  const names = ['path', 'now', 'busyMs'];
  for (const key of Object.keys(options)) {
    if (!names.includes(key)) refuse(`'${key}' is no option${meant(key, names)}`);
  }
  const { path, now, busyMs } = ownFields(options);
  if (typeof path !== 'string' || path === '') refuse('path must be a text that is not empty');
  if (now !== undefined && typeof now !== 'function') refuse('now must be a function');
  if (busyMs !== undefined && !(Number.isFinite(busyMs) && busyMs >= 0)) refuse('busyMs must be a number of ms');
  return ownFields(options);
}

/** What the medium says, with a mend; an error that is one already passes. */
function storeFault(path: string, error: unknown): HookError {
  if (isHookError(error)) return error;
  if (isFolder(path)) {
    return new HookError('TH_STORE_FAILED', {
      store: path,
      what: 'is a folder',
      mend: 'name a file in it',
      cause: error,
    });
  }
  const text = textOf(error);
  const mend = mends.find(([pattern]) => pattern.test(text))?.[1] ?? 'see what SQLite says';
  return new HookError('TH_STORE_FAILED', { store: path, what: `failed: ${text}`, mend, cause: error });
}
const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

const mends: readonly (readonly [RegExp, string])[] = [
  [/full/i, 'make room on the disk; what was appended before is whole'],
  [/readonly|read-only|read only/i, 'make the file and its folder writable'],
  [/unable to open/i, 'make sure that the folder exists and may be written to'],
  [
    /not a database/i,
    'it is another kind of file: name another one; if it was a file of sessions, it is damaged: restore it from a copy',
  ],
  [
    /malformed|corrupt|disk I\/O/i,
    'the file, or its disk, is damaged: restore it from a copy, or recover it with `sqlite3 .recover`',
  ],
  [/locked|busy/i, 'another process writes for too long: try again'],
  [/not open|closed/i, 'the store was closed: open another one'],
];
