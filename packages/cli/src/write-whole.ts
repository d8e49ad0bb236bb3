/** Writing a file so that it is there whole or not at all, and takes the place of another only when that is meant. */
import { randomBytes } from 'node:crypto';
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
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (isThere) throw new UsageError(`'${file}' is there already: give another --out, or --force to replace it`);
    throw new UsageError(`'${file}' cannot be written: ${textOf(error)}`);
  } finally {
    await rm(draft, { force: true });
  }
}
