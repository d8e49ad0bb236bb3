/** The file that consent is kept in: read only when nobody else can write it, written whole or not at all. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { givenInline, HookError, type Locate } from '@treblehook/types';
import { parseConfig } from '../config-file.js';
import { parseRecords, type TrustRecord } from './trust-record.js';

const invalid = (file: string, what: string): HookError => new HookError('TH_CONFIG_INVALID', { file, at: '', what });

/** How long a writer waits for another one, ms. */
const lockWaitMs = 5000;

/**
 * The records of a file; of one that is not there none. Rejects with `TH_CONFIG_INVALID` for a link, a file that others may
 * write or that is somebody else's, and for what is no trust file.
 */
export async function readTrustFile(file: string): Promise<readonly TrustRecord[]> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ELOOP')
      throw invalid(file, 'it is a link, which could lead to what others write: put the file itself there');
    throw invalid(file, `it cannot be read: ${message}`);
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw invalid(file, 'it is no file: name another path');
    const user = process.getuid?.();
    // a system without users tells nothing by the mode
    if (user !== undefined && (found.mode & 0o022) !== 0) {
      throw invalid(file, `others may write it: chmod 600 ${file}, once you have read it`);
    }
    if (user !== undefined && found.uid !== user && found.uid !== 0) {
      throw invalid(file, `it belongs to another user (${found.uid}): move it away and grant consent again`);
    }
    const text = await handle.readFile('utf8');
    return parseRecords(...parsed(text, file));
  } finally {
    await handle.close();
  }
}

/** A large file of records is JSON that was written here: only a fault in it is worth its place. */
function parsed(text: string, file: string): readonly [unknown, Locate] {
  const inline = givenInline('');
  try {
    return [JSON.parse(text), (path, part) => ({ file, at: inline(path, part).at })];
  } catch {
    const { value, locate } = parseConfig(text, file); // says where the JSON ends to be any
    return [value, locate];
  }
}

/**
 * Changes the records: `change` gets those that are there and gives those that are to be, in one step that no other writer
 * comes between. The file is made with mode 0600, and its folder. Rejects with `TH_CONFIG_INVALID`, also when another
 * writer holds it for 5 s.
 */
export async function changeTrustFile(
  file: string,
  change: (records: readonly TrustRecord[]) => readonly TrustRecord[],
): Promise<readonly TrustRecord[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  for (;;) {
    const lock = await locked(`${file}.lock`);
    try {
      const records = change(await readTrustFile(file));
      const text = `${JSON.stringify({ version: 1, records }, null, 2)}\n`;
      // one that was taken away, because this process seemed gone, is another writer's by now: begin again
      if (await replace(file, text, lock.isHeld)) return records;
    } finally {
      await lock.release();
    }
  }
}

/** The old file or the new one, also when the power goes. Whether it was replaced. */
async function replace(file: string, text: string, isHeld: () => Promise<boolean>): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!(await isHeld())) {
      await rm(draft, { force: true });
      return false;
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(file), 'r');
  await folder.sync().catch(() => {}); // some systems have no sync of a folder
  await folder.close();
  return true;
}

interface Lock {
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

/** Makes the lock, and waits for that of another process; one whose process is gone is taken away. */
async function locked(lock: string): Promise<Lock> {
  const own = `${process.pid} ${randomUUID()}`;
  const until = Date.now() + lockWaitMs;
  for (;;) {
    try {
      await writeFile(lock, own, { flag: 'wx', mode: 0o600 });
      const isHeld = async (): Promise<boolean> => (await readFile(lock, 'utf8').catch(() => undefined)) === own;
      return { isHeld, release: async () => void ((await isHeld()) && (await rm(lock, { force: true }))) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readFile(lock, 'utf8').catch(() => undefined);
    if (holder !== undefined && /^\d+ /.test(holder) && !isAlive(Number.parseInt(holder, 10))) {
      await breakLock(lock, holder);
      continue;
    }
    if (Date.now() > until) {
      throw invalid(lock, `another process has held this lock for ${lockWaitMs} ms: if none is writing, delete it`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Takes away the lock of a process that is gone, and gives back one that another writer has made meanwhile. */
async function breakLock(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  await rename(lock, aside).catch(() => {}); // somebody else was faster
  const taken = await readFile(aside, 'utf8').catch(() => undefined);
  if (taken !== undefined && taken !== holder) await rename(aside, lock);
  else await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
