/** Bytes of a file that may run: read once, from the file that was looked at. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { HookError } from '@treblehook/types';

/** A module is written by hand or bundled; a larger file is some other file. */
const maxBytes = 16 * 1024 * 1024;

/** SHA-256, as hex. */
export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/**
 * `file` is a real path: a link in its place by now is refused, and so is what is no file. Rejects with
 * `TH_CONFIG_INVALID`.
 */
export async function readBytes(file: string): Promise<Buffer> {
  const refuse = (what: string, cause?: unknown): never => {
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what, ...(cause !== undefined && { cause }) });
  };
  // not to wait for a pipe that nobody writes to
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: Error) => refuse(`it cannot be read: ${error.message}`, error),
  );
  try {
    const found = await handle.stat();
    if (!found.isFile()) refuse('this is no file');
    if (found.size > maxBytes) refuse(`${found.size} bytes are too many for a module (at most ${maxBytes})`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
