/** Writing a file so that it is the old one or the new one, at every moment, whoever is killed when. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, link, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder, Inside, Seat } from './folder.js';
import { ToolError, toolErrorOf } from './tool-error.js';

export interface Put {
  readonly bytes: Uint8Array;
  /** Refuses when a file is there, at the moment in which the new one would take its name. */
  readonly create: boolean;
  /** Makes the folders that are missing. */
  readonly folders: boolean;
  /** What the caller has read and changed: another file, or none, in its place is refused. */
  readonly expect?: Stats | undefined;
  readonly signal: AbortSignal;
}

/** In front of what is not yet a file; one that is left over was killed in the middle. */
export const unfinished = '.treblehook-';

/** The bytes are on the disk under another name before the file gets its own. Throws `ToolError`. */
export async function putFile(folder: Folder, seat: Seat, put: Put): Promise<void> {
  const { missing, name } = seat;
  if (missing.length > 0 && !put.folders) {
    throw new ToolError('missing', `the folder of '${name}' is not there: ask for 'folders', or write elsewhere`);
  }
  await inMade(folder, seat.parent, missing, name, (path) => putInto(path, seat, put));
}

/** Goes down through folders that are made on the way, each held open while the next is made. */
function inMade<T>(
  folder: Folder,
  at: Inside,
  missing: readonly string[],
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  return folder.holding(at, name, async (path) => {
    const [next, ...rest] = missing;
    if (next === undefined) return use(path);
    await mkdir(join(path, next)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // swallows "another has made it"
    });
    const child = { real: join(at.real, next), name: at.name === '.' ? next : `${at.name}/${next}` };
    return inMade(folder, child, rest, name, use);
  });
}

async function putInto(path: string, { base, name }: Seat, { bytes, create, expect, signal }: Put): Promise<void> {
  const target = join(path, base);
  const temporary = join(path, `${unfinished}${randomBytes(8).toString('hex')}.tmp`);
  const old = await assertReplaceable(target, name);
  if (create && old !== undefined) throw isThere(name);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
  const handle = await open(temporary, flags, old === undefined ? 0o666 : 0o600);
  try {
    try {
      await handle.writeFile(bytes, { signal });
      if (old !== undefined) await handle.chmod(old.mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal.throwIfAborted();
    assertSame(await assertReplaceable(target, name), expect, name);
    if (create) await takeFreeName(temporary, target, name);
    else await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {}); // swallows "it has its name already": what failed is told
    signal.throwIfAborted();
    throw toolErrorOf(name, error);
  }
  await syncFolder(path);
}

/** The file that stands there and may be replaced; `undefined`: none. A link, a folder, a pipe, a read-only file may not. */
async function assertReplaceable(target: string, name: string): Promise<Stats | undefined> {
  const old = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (old === undefined) return undefined;
  if (old.isDirectory()) throw new ToolError('kind', `'${name}' is a folder: name a file in it`);
  if (!old.isFile()) throw new ToolError('kind', `'${name}' is no regular file: it is not replaced`);
  await access(target, constants.W_OK).catch(() => {
    throw new ToolError('access', `'${name}' is read-only: it is not replaced`); // swallows the code, which says no more
  });
  return old;
}

/** Same file, same time of change, same size: whoever wrote in between is not overwritten. */
function assertSame(now: Stats | undefined, expect: Stats | undefined, name: string): void {
  if (expect === undefined) return;
  const same =
    now !== undefined && now.ino === expect.ino && now.mtimeMs === expect.mtimeMs && now.size === expect.size;
  if (!same) throw new ToolError('stale', `'${name}' was changed by another meanwhile: read it again`);
}

/** A name is given by `link`, which never takes one that is used; where a disk has no links, a look must do. */
async function takeFreeName(temporary: string, target: string, name: string): Promise<void> {
  try {
    await link(temporary, target);
    await unlink(temporary);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw isThere(name);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error;
    if ((await assertReplaceable(target, name)) !== undefined) throw isThere(name);
    await rename(temporary, target);
  }
}

/** The new name is on the disk, too. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // it has no such thing
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch {
    // swallows a disk that cannot do it: the file is whole, and its name will be there when the system has had its time
  } finally {
    await handle.close();
  }
}

const isThere = (name: string): ToolError =>
  new ToolError('exists', `'${name}' is there already: leave out 'create' to replace it, or edit it`);
