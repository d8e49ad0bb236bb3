/** What a command may touch of its process: two streams, the environment, the folder, the clock, an abort. */
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';

export interface Io {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts at Ctrl-C and at the end of whoever reads the output. */
  readonly signal: AbortSignal;
  /** There when a person sits in front of both ends: an ask is put to them. */
  readonly terminal?: Terminal;
}

export interface Terminal {
  readonly input: Readable & { readonly setRawMode?: (isRaw: boolean) => unknown };
  /** What Ctrl-C does: while a question is asked it comes as a key, and not as a signal. */
  readonly interrupt: () => void;
}

/** How a command ended, for scripts. */
export const exitCodes = Object.freeze({
  done: 0,
  failed: 1,
  wrongInput: 2,
  unfinished: 3,
  waiting: 4,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
});

/** Colours only for a person: a terminal, and no `NO_COLOR` (https://no-color.org). */
export function wantsColor(stream: { readonly isTTY?: boolean }, env: Io['env']): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** Control characters could steer the terminal of whoever reads: they are shown, not sent. Line breaks and tabs stay. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, (character) =>
    character === '\r' ? '' : `\\x${character.codePointAt(0)!.toString(16).padStart(2, '0')}`,
  );
}

/** The same on one line. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim();

/** Plain data as JSON that steers no terminal: what JSON leaves raw of the control characters is escaped in it. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u007F-\u009F]/g,
    (character) => `\\u00${character.codePointAt(0)!.toString(16)}`,
  );

/** A word as a shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** A file as the person named it, when that leads to it from here: errors then show it so. */
export const fileFrom = ({ cwd }: Pick<Io, 'cwd'>, file: string): string =>
  resolve(cwd, file) === resolve(file) ? file : resolve(cwd, file);
