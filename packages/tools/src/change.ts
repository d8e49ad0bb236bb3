/** What a write, an edit or a deletion would make of a file, before it is made: one plan for the body and for the preview. */
import type { Stats } from 'node:fs';
import type { Tool } from '@treblehook/types';
import type { Folder, Inside, Seat } from './folder.js';
import { binary, maxReadBytes } from './read-file.js';
import { textOf, type FileText } from './text-file.js';
import { ToolError } from './tool-error.js';

/** A file before and after. */
export interface Change {
  /** From the folder, with `/`. */
  readonly path: string;
  /** `undefined`: there is no file. Its `text` is `undefined` when it is binary, or too large to be read whole. */
  readonly before: FileText | undefined;
  /** `undefined`: there is no file any more. */
  readonly after: string | undefined;
}

/** A file as it was read for a change. */
export interface Found {
  readonly seat: Seat;
  readonly file: FileText | undefined;
  readonly stats: Stats | undefined;
}

const planners = new WeakMap<Tool, (args: unknown) => Promise<Change>>();

/** Remembers how the changes of a tool are planned from its checked arguments. */
export function plannedBy<T extends Tool>(tool: T, plan: (args: never) => Promise<Change>): T {
  planners.set(tool, plan as (args: unknown) => Promise<Change>);
  return tool;
}
export const plannerOf = (tool: Tool): ((args: unknown) => Promise<Change>) | undefined => planners.get(tool);

/** Finds the file of a path, or its free seat, and reads what is there. Throws `ToolError`. */
export async function findForChange(folder: Folder, path: string): Promise<Found> {
  const seat = await folder.findSeat(path);
  if (seat.missing.length > 0) return { seat, file: undefined, stats: undefined };
  try {
    return { seat, ...(await readForChange(folder, await folder.find(path))) };
  } catch (error) {
    if (error instanceof ToolError && error.code === 'missing') return { seat, file: undefined, stats: undefined };
    throw error;
  }
}

/** Reads a file that is there, unless it is too large for that. Throws `ToolError`. */
export async function readForChange(
  folder: Folder,
  found: Inside,
): Promise<{ readonly file: FileText; readonly stats: Stats }> {
  const handle = await folder.open(found);
  try {
    const stats = await handle.stat();
    if (stats.size > maxReadBytes) return { file: tooLarge(stats.size), stats };
    return { file: textOf(await handle.readFile()), stats };
  } finally {
    await handle.close();
  }
}

const tooLarge = (size: number): FileText => ({
  text: undefined,
  size,
  rest: size,
  hasMark: false,
  invalid: 0,
  digest: '',
});

/** The refusal of a file that cannot be changed as text. */
export const noText = (name: string, file: FileText): ToolError =>
  file.rest > 0
    ? new ToolError('limit', `'${name}' has ${file.size} bytes: at most ${maxReadBytes} can be changed`)
    : binary(name, file);

/** Throws when the file is not the one that the caller knows by its SHA-256 (hex). */
export function assertExpected(name: string, file: FileText | undefined, expect: string | undefined): void {
  if (expect === undefined || file?.digest === expect.toLowerCase()) return;
  const now = file === undefined ? 'it is not there' : `its SHA-256 is ${file.digest || 'not known'}`;
  throw new ToolError('stale', `'${name}' is not the file that was expected: ${now}. Read it again`);
}
