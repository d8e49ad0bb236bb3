/** Text out of a file: how much of it is read, and what is no text. */
import type { FileHandle } from 'node:fs/promises';

/** What was read of a file. */
export interface FileText {
  /** `undefined`: the file is binary. */
  readonly text: string | undefined;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Bytes that were not read. */
  readonly rest: number;
}

/**
 * Reads at most `maxBytes` from the start and closes the file. A NUL byte, or bytes that are no UTF-8, make it binary;
 * a character that `maxBytes` cuts in two is left out.
 */
export async function readText(file: FileHandle, maxBytes: number): Promise<FileText> {
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const bytes = buffer.subarray(0, filled);
    return { text: decode(bytes, filled < size), size, rest: size - filled };
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // In stream mode an unfinished character at the end waits for more; it is left out when there is more.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined; // swallows "not valid UTF-8"
  }
}
