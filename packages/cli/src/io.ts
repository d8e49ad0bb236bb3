/** What a command may touch of its process: two streams, the environment, the folder, the clock, an abort. */
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';

export interface Io {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts at Ctrl-C and at the end of whoever reads the output. */
  readonly signal: AbortSignal;
}

/** How a command ended, for scripts. */
export const exitCodes = Object.freeze({
  done: 0,
  failed: 1,
  wrongInput: 2,
  unfinished: 3,
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

/** A file as the person named it, when that leads to it from here: errors then show it so. */
export const fileFrom = ({ cwd }: Pick<Io, 'cwd'>, file: string): string =>
  resolve(cwd, file) === resolve(file) ? file : resolve(cwd, file);
