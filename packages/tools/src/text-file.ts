/** Text out of the bytes of a file: what is no text, what is odd about it, how its lines end. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** What was read of a file. */
export interface FileText {
  /** Without byte order mark; bytes that are no UTF-8 stand as U+FFFD. `undefined`: the file is binary. */
  readonly text: string | undefined;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Bytes that were not read. */
  readonly rest: number;
  /** A byte order mark stood in front. */
  readonly hasMark: boolean;
  /** How many U+FFFD stand for what is no UTF-8. */
  readonly invalid: number;
  /** SHA-256 (hex) of the bytes that were read. */
  readonly digest: string;
  /** What a binary file seems to be. */
  readonly looksLike?: string;
}

/** Of a hundred characters so many may be no UTF-8 before the file passes for binary. */
const maxInvalidPercent = 10;

/** Reads at most `maxBytes` from the start and closes the file. A character that `maxBytes` cuts in two is left out. */
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
    return textOf(buffer.subarray(0, filled), size);
  } finally {
    await file.close();
  }
}

/** `size`: of the whole, where `bytes` are its beginning. */
export function textOf(bytes: Buffer, size = bytes.length): FileText {
  const rest = size - bytes.length;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const told = { size, rest, hasMark, invalid: 0, digest: digestOf(bytes) };
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (wide) return { ...told, text: undefined, looksLike: 'UTF-16 text, by its first two bytes' };
  if (bytes.includes(0)) return { ...told, text: undefined };
  const whole = decode(bytes, rest > 0, true);
  if (whole !== undefined) return { ...told, text: whole };
  const text = decode(bytes, rest > 0, false)!;
  const invalid = count(text, '\uFFFD') - occurrences(bytes, Buffer.from('\uFFFD'));
  if (invalid * 100 > text.length * maxInvalidPercent) return { ...told, text: undefined, invalid };
  return { ...told, text, invalid };
}

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** How the lines of a text end; `mixed` when both ends stand in it, `none` when it has one line. */
export function lineEndOf(text: string): 'lf' | 'crlf' | 'mixed' | 'none' {
  const all = count(text, '\n');
  const both = count(text, '\r\n');
  if (all === 0) return 'none';
  return both === 0 ? 'lf' : both === all ? 'crlf' : 'mixed';
}

function decode(bytes: Buffer, cut: boolean, fatal: boolean): string | undefined {
  try {
    // In stream mode an unfinished character at the end waits for more; it is left out when there is more.
    return new TextDecoder('utf-8', { fatal }).decode(bytes, { stream: cut });
  } catch {
    return undefined; // swallows "not valid UTF-8"
  }
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}

function occurrences(bytes: Buffer, part: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + part.length)) found += 1;
  return found;
}
