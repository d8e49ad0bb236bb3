/** Writing a file so that it is there whole or not at all, and takes the place of another only when that is meant. */
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { textOf } from '@treblehook/types';
import { UsageError } from './usage-error.js';

/** Throws `UsageError` when the file is there and `force` was not said, and when it cannot be written. */
export async function writeWhole(file: string, text: string, force: boolean): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // a link takes nobody's place, whoever was faster
    await (force ? rename(draft, file) : link(draft, file));
  } catch (error) {
    throw refusal(file, error);
  } finally {
    await rm(draft, { force: true }).catch(() => {}); // swallows that there is no folder that it could stand in: it was refused
  }
}

/** What Node says names the draft, which nobody has asked for. */
function refusal(file: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  if (isFolder(file)) return new UsageError(`'${file}' is a folder: give --out a file in it`);
  if (code === 'EEXIST')
    return new UsageError(`'${file}' is there already: give another --out, or --force to replace it`);
  const why = code === undefined ? textOf(error) : (mends[code] ?? code);
  return new UsageError(`'${file}' cannot be written: ${why}`);
}
const isFolder = (file: string): boolean => existsSync(file) && statSync(file).isDirectory();

const mends: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there: make it, or give another --out',
  ENOTDIR: 'a part of its path is a file: give another --out',
  EACCES: 'its folder may not be written to: change its permissions, or give another --out',
  EPERM: 'its folder may not be written to: change its permissions, or give another --out',
  EROFS: 'its disk may only be read: give another --out',
  ENOSPC: 'its disk is full: make room on it, or give another --out',
  ENAMETOOLONG: 'its name is too long: give another --out',
};
