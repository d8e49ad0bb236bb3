/** What a file of sessions is made of: its tables, by number of their layout, and the statements on them. */
import { HookError } from '@treblehook/types';
import type { Database, Statement } from './database.js';

/** The layout, by `user_version`. */
const layout = 2;
const tables = `
  CREATE TABLE IF NOT EXISTS records (
    session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, fence INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leases (
    session TEXT PRIMARY KEY, fence INTEGER NOT NULL, holder TEXT, machine TEXT, pid INTEGER, until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS requests (
    session TEXT NOT NULL, id TEXT NOT NULL, expires INTEGER, answer TEXT,
    PRIMARY KEY (session, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS runs (session TEXT PRIMARY KEY, last TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;
/** Of a file of layout 1, which had no table `runs`: each log from its end to what says how its last run stands. */
const fill = `
  INSERT OR REPLACE INTO runs (session, last)
  SELECT session, last FROM (
    SELECT s.session, (
      SELECT COALESCE(json_extract(r.body, '$.status'), 'open') FROM records r WHERE r.session = s.session
        AND CASE WHEN json_valid(r.body) THEN json_extract(r.body, '$.type') END IN ('run', 'resumed', 'settled')
        ORDER BY r.seq DESC LIMIT 1) AS last
    FROM (SELECT DISTINCT session FROM records) s)
  WHERE last IS NOT NULL;
`;

const statements = {
  lease: 'SELECT fence, holder, machine, pid, until FROM leases WHERE session = ?',
  take: `INSERT INTO leases (session, fence, holder, machine, pid, until) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET fence = excluded.fence, holder = excluded.holder,
      machine = excluded.machine, pid = excluded.pid, until = excluded.until`,
  renew: 'UPDATE leases SET until = ? WHERE session = ?',
  release: 'UPDATE leases SET holder = NULL, until = 0 WHERE session = ? AND fence = ?',
  head: 'SELECT COALESCE(MAX(seq), 0) AS head FROM records WHERE session = ?',
  add: 'INSERT INTO records (session, seq, at, fence, body) VALUES (?, ?, ?, ?, ?)',
  read: 'SELECT seq, at, body FROM records WHERE session = ? AND seq > ? ORDER BY seq',
  open: 'INSERT INTO requests (session, id, expires) VALUES (?, ?, ?)',
  expire: 'UPDATE requests SET expires = 0 WHERE session = ? AND answer IS NULL',
  request: 'SELECT expires, answer FROM requests WHERE session = ? AND id = ?',
  answer: 'UPDATE requests SET answer = ? WHERE session = ? AND id = ?',
  last: 'INSERT INTO runs (session, last) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET last = excluded.last',
  list: `SELECT r.session, COUNT(*) AS records, MIN(r.at) AS openedAt, MAX(r.at) AS changedAt,
      (SELECT COUNT(*) FROM requests q WHERE q.session = r.session AND q.answer IS NULL
        AND (q.expires IS NULL OR q.expires > ?)) AS pending,
      (SELECT CASE WHEN json_valid(f.body) THEN json_extract(f.body, '$.parent.sessionId') END
        FROM records f WHERE f.session = r.session AND f.seq = 1) AS parent,
      (SELECT e.last FROM runs e WHERE e.session = r.session) AS last
    FROM records r GROUP BY r.session ORDER BY changedAt DESC, r.session`,
} as const;
export type Statements = { readonly [K in keyof typeof statements]: Statement };

/** Brings the file to this layout. Throws `TH_STORE_FAILED` for one of a newer layout. */
export function prepare(database: Database, path: string, busyMs: number): Statements {
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyMs)}`);
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { readonly user_version: number };
  if (version > layout) {
    throw new HookError('TH_STORE_FAILED', {
      store: path,
      what: `was written by a newer version (layout ${version}, this one knows ${layout})`,
      mend: 'use the version that wrote it',
    });
  }
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  if (version < layout) database.exec(`BEGIN IMMEDIATE; ${tables} ${fill} PRAGMA user_version = ${layout}; COMMIT`);
  const names = Object.keys(statements) as (keyof typeof statements)[];
  return Object.fromEntries(names.map((name) => [name, database.prepare(statements[name])])) as unknown as Statements;
}
