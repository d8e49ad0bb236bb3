// A file of sessions between processes: killed holders, queued runs, damaged and full media.
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isHeld, type HookError, type Lease, type SessionRecord, type SessionStore } from '@treblehook/types';
import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../src/sqlite/database.js';
import { sqliteStore } from '../src/sqlite/index.js';

const child = fileURLToPath(new URL('store-child.mjs', import.meta.url));
const undo: (() => void)[] = [];
afterEach(() => {
  for (const one of undo.splice(0).toReversed()) one();
});

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'treblehook-sqlite-'));
  undo.push(() => rmSync(path, { recursive: true }));
  return path;
};
const open = (path: string): SessionStore => {
  const store = sqliteStore({ path });
  undo.push(() => void store.close());
  return store;
};
const take = async (store: SessionStore, holder = 'me'): Promise<Lease> => {
  const lease = await store.acquire('s', holder, 60_000);
  if (isHeld(lease)) throw new Error(`held by ${lease.holder}`);
  return lease;
};
const run = (runId: string): SessionRecord => ({ type: 'run', runId, input: 'go', personality: 'default' });
const faultOf = (work: () => unknown): HookError => {
  try {
    work();
  } catch (error) {
    return error as HookError;
  }
  throw new Error('it did not fail');
};

/** Starts a process on the file; gives the lines that it says. */
function start(args: readonly string[], shell?: string): { process: ChildProcess; lines: AsyncIterator<string> } {
  const command = [process.execPath, '--no-warnings', child, ...args];
  const started =
    shell === undefined
      ? spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
      : spawn('bash', ['-c', `${shell}; exec "$0" "$@"`, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
  undo.push(() => started.kill('SIGKILL'));
  return { process: started, lines: createInterface({ input: started.stdout })[Symbol.asyncIterator]() };
}
const next = async (lines: AsyncIterator<string>): Promise<unknown> => JSON.parse((await lines.next()).value as string);

test('a file that is made, and those beside it, are for their owner alone; one that is there keeps its mode', async () => {
  const dir = folder();
  const modes = (): Record<string, string> =>
    Object.fromEntries(readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)]));
  const before = process.umask(0o022);
  undo.push(() => void process.umask(before));
  await take(open(join(dir, 's.db')));
  expect(modes()).toEqual({ 's.db': '600', 's.db-shm': '600', 's.db-wal': '600' });
  symlinkSync('second.db', join(dir, 'first.db'));
  symlinkSync('third.db', join(dir, 'second.db'));
  await take(open(join(dir, 'first.db')));
  expect(modes()).toMatchObject({ 'third.db': '600', 'third.db-wal': '600' });
  writeFileSync(join(dir, 'shared.db'), '');
  chmodSync(join(dir, 'shared.db'), 0o660);
  await take(open(join(dir, 'shared.db')));
  expect(modes()).toMatchObject({ 'shared.db': '660', 'shared.db-wal': '660' });
});

test('a session whose first record is damaged is listed beside the others', async () => {
  const path = join(folder(), 's.db');
  const store = open(path);
  await store.append(await take(store), [run('x')]);
  const other = (await store.acquire('other', 'me', 60_000)) as Lease;
  await store.append(other, [run('y')]);
  const database = openDatabase(path);
  undo.push(() => database.close());
  database.exec(`UPDATE records SET body = '{"type":"ope' WHERE session = 's'`);
  expect((await store.list()).map(({ sessionId }) => sessionId).toSorted()).toEqual(['other', 's']);
});

test('a holder that is killed loses the session at once, and nothing of its log', async () => {
  const path = join(folder(), 's.db');
  const { process: holder, lines } = start([path, 'hold', 'child']);
  const old = (await next(lines)) as Lease;
  const store = open(path);
  expect(await store.acquire('s', 'me', 1_000)).toMatchObject({ holder: 'child' });
  const gone = new Promise((resolve) => holder.once('exit', resolve));
  expect(await store.list()).toMatchObject([{ last: 'open', holder: 'child' }]);
  holder.kill('SIGKILL');
  await gone;
  const [left] = await store.list();
  expect([left?.last, left?.holder]).toEqual(['open', undefined]);
  const lease = await take(store);
  expect(lease.fence).toBe(old.fence + 1);
  expect(faultOf(() => store.append(old, [run('x')])).code).toBe('TH_LEASE_LOST');
  expect((await store.read('s')).map(({ record }) => record)).toEqual([run('of the child')]);
});

test('runs of several processes follow one another, and none is lost', async () => {
  const path = join(folder(), 's.db');
  open(path);
  const all = ['a', 'b', 'c'].map((name) => start([path, 'add', name, '20']));
  for (const { lines } of all) expect(await next(lines)).toBe('added');
  const ids = (await open(path).read('s')).map(({ record }) => (record as { runId: string }).runId);
  expect(ids).toHaveLength(120);
  // the two records of a turn stand together
  expect(ids.filter((id, at) => at % 2 === 1 && ids[at - 1] !== id)).toEqual([]);
  for (const name of ['a', 'b', 'c']) {
    const own = ids.filter((id) => id.startsWith(name));
    expect(own).toEqual(own.toSorted((x, y) => Number(x.slice(2)) - Number(y.slice(2))));
  }
});

test('of answers from two processes one settles the request', async () => {
  const path = join(folder(), 's.db');
  const store = open(path);
  const asking = {
    type: 'request',
    runId: 'r',
    callId: 'c',
    by: 'guards',
    sealed: { tool: { source: 'host', name: 't', digest: 'd' }, args: {}, digest: 'e' },
    request: { id: 'q', kind: 'approval', prompt: '?' },
  } as const;
  await store.append(await take(store), [asking]);
  const both = ['yes', 'no'].map((word) => start([path, 'settle', 'q', word]));
  const outcomes = await Promise.all(both.map(({ lines }) => next(lines)));
  expect(outcomes.map((outcome) => (outcome as { state: string }).state).toSorted()).toEqual(['settled', 'taken']);
});

test('what was appended is there when the file is opened again', async () => {
  const path = join(folder(), 's.db');
  const first = sqliteStore({ path });
  await first.append(await take(first), [run('r')]);
  await first.close();
  expect((await open(path).read('s')).map(({ record }) => record)).toEqual([run('r')]);
});

test('a full disk is an error that says so, and what was appended before stands', async () => {
  const path = join(folder(), 's.db');
  const { lines } = start([path, 'fill', 'child'], "trap '' XFSZ; ulimit -f 400");
  let seq = 0;
  let fault: { readonly code: string; readonly message: string } | undefined;
  while (fault === undefined) {
    const said = await next(lines);
    if (typeof said === 'number') seq = said;
    else fault = said as typeof fault;
  }
  expect(fault).toMatchObject({ code: 'TH_STORE_FAILED' });
  expect(fault.message).toContain(path);
  expect(seq).toBeGreaterThan(5);
  expect((await open(path).read('s')).map((record) => record.seq)).toEqual(
    Array.from({ length: seq }, (_, at) => at + 1),
  );
});

test('a file that is no database is refused and left alone', () => {
  const path = join(folder(), 's.db');
  writeFileSync(path, 'this is a text and no database, long enough to be one '.repeat(40));
  const { code, message } = faultOf(() => sqliteStore({ path }));
  expect([code, message]).toEqual([
    'TH_STORE_FAILED',
    expect.stringMatching(
      /s\.db failed: .*not a database: it is another kind of file: name another one; .* it is damaged/,
    ),
  ]);
});

test('a torn file is an error that names the file', async () => {
  const path = join(folder(), 's.db');
  const store = sqliteStore({ path });
  const lease = await take(store);
  for (let at = 0; at < 50; at++)
    await store.append(lease, [{ ...run(`r${at}`), input: 'y'.repeat(2_000) } as SessionRecord]);
  await store.close();
  truncateSync(path, 30_000);
  const { code, message } = faultOf(() => open(path).read('s'));
  expect([code, message]).toEqual(['TH_STORE_FAILED', expect.stringContaining('restore it from a copy')]);
});

test('a folder that is not there is an error that says what to look at', () => {
  const path = join(folder(), 'missing', 's.db');
  expect(faultOf(() => sqliteStore({ path })).message).toContain('make sure that the folder exists');
});

test('a file that may not be written is an error that says so', () => {
  const path = join(folder(), 's.db');
  void sqliteStore({ path }).close();
  chmodSync(path, 0o444);
  if (process.getuid?.() === 0) return; // root may write to it all the same
  expect(faultOf(() => sqliteStore({ path })).message).toContain('make the file and its folder writable');
});

test('a file of the first layout has how its last runs stand from its logs, once it is opened', async () => {
  const path = join(folder(), 's.db');
  const before = sqliteStore({ path });
  const write = async (id: string, ...records: readonly SessionRecord[]): Promise<void> => {
    const lease = await before.acquire(id, 'me', 60_000);
    await before.append(lease as Lease, [{ type: 'opened', agent: 'a' }, ...records]);
    await before.release(lease as Lease);
  };
  await write('failed', run('r1'), { type: 'settled', runId: 'r1', status: 'failed' });
  await write('open', run('r1'), { type: 'settled', runId: 'r1', status: 'pending' }, { type: 'resumed', runId: 'r1' });
  await write('none');
  await write('torn', run('r1'), { type: 'settled', runId: 'r1', status: 'done' });
  await before.close();
  const database = openDatabase(path);
  database.exec("UPDATE records SET body = '{' WHERE session = 'torn' AND seq = 3");
  database.exec('DROP TABLE runs; PRAGMA user_version = 1');
  database.close();
  const store = open(path);
  const stand = async (): Promise<unknown> =>
    Object.fromEntries((await store.list()).map(({ sessionId, last }) => [sessionId, last]));
  expect(await stand()).toEqual({ failed: 'failed', open: 'open', none: undefined, torn: 'open' });
  await store.append((await store.acquire('none', 'me', 60_000)) as Lease, [run('r')]);
  expect(await stand()).toMatchObject({ none: 'open' });
});

test('a file of a newer version is refused', () => {
  const path = join(folder(), 's.db');
  const database = openDatabase(path);
  database.exec('PRAGMA user_version = 99');
  database.close();
  expect(faultOf(() => sqliteStore({ path })).message).toContain('layout 99');
});

test.each([
  ['./x.db', /not string/],
  [{ file: 'x' }, /'file' is no option: there is path/],
  [{ path: '' }, /path must be a text/],
  [{ path: 'x', busyMs: -1 }, /busyMs/],
])('options like %j are refused', (options, what) => {
  expect(() => sqliteStore(options as never)).toThrow(what);
});

test('a store that was closed says so', () => {
  const store = sqliteStore({ path: join(folder(), 's.db') });
  void store.close();
  expect(faultOf(() => store.read('s'))).toMatchObject({ code: 'TH_STORE_FAILED' });
});
