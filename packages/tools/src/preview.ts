/** What a write, an edit or a deletion would change, as a unified diff that is safe to show to whoever approves it. */
import type { Tool } from '@treblehook/types';
import { createTwoFilesPatch } from 'diff';
import { plannerOf, type Change } from './change.js';
import { lineEndOf } from './text-file.js';
import { onOneLine, visible } from './visible.js';

export interface Preview {
  /** From the tool's folder, with `/`. */
  readonly path: string;
  readonly kind: 'new' | 'changed' | 'unchanged' | 'deleted';
  /**
   * A unified diff with three lines around each change; control characters, and what changes the direction of writing, as
   * escapes. Empty when nothing changes.
   */
  readonly diff: string;
  /** Lines that come and go. */
  readonly added: number;
  readonly removed: number;
  /** What the diff does not show, in words: a part that is cut, a binary file in its place, other line ends. */
  readonly notes: readonly string[];
}

/** Changed lines beyond which no smallest diff is looked for: all of the old goes, all of the new comes. */
const maxEdits = 2_000;
/** Characters of a diff. */
const maxDiff = 60_000;
/** What looking for the smallest diff may take, ms: behind that it is a whole one, too. */
const maxMs = 500;

/**
 * What a call of `write_file`, `edit_file` or `delete_file` would change now; `args` are those of the sealed call. `undefined`
 * for any other tool. Rejects with the `ToolError` that the call would end with. Nothing is written.
 */
export async function previewOf(tool: Tool, args: unknown): Promise<Preview | undefined> {
  const plan = plannerOf(tool);
  if (plan === undefined) return undefined;
  const checked = await tool.input['~standard'].validate(args);
  if (checked.issues !== undefined) throw new TypeError(checked.issues.map(({ message }) => message).join('; '));
  return previewOfChange(await plan(checked.value as unknown));
}

/** The unified diff from one text to another, `undefined` where there is no file. Pure. */
export function diffOf(path: string, before: string | undefined, after: string | undefined): Preview {
  if (before === after) return { path, kind: 'unchanged', diff: '', added: 0, removed: 0, notes: [] };
  const kind = before === undefined ? 'new' : after === undefined ? 'deleted' : 'changed';
  const notes: string[] = [];
  const [old, now] = after === undefined ? [before ?? '', ''] : comparable(before ?? '', after, notes);
  const name = onOneLine(path);
  const from = before === undefined ? '/dev/null' : `a/${name}`;
  const to = after === undefined ? '/dev/null' : `b/${name}`;
  const patch =
    createTwoFilesPatch(from, to, old, now, undefined, undefined, {
      context: 3,
      maxEditLength: maxEdits,
      timeout: maxMs,
      headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
    }) ?? whole(from, to, old, now);
  const lines = patch.split('\n').slice(2);
  const shown = visible(patch);
  if (shown.length > maxDiff) notes.push(`${shown.length - maxDiff} characters of the diff are cut off`);
  return {
    path,
    kind,
    diff: shown.slice(0, maxDiff),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    notes,
  };
}

function previewOfChange({ path, before, after }: Change): Preview {
  if (after === undefined) {
    if (before?.text !== undefined) return diffOf(path, before.text, undefined);
    const lost = `${before?.size ?? 0} bytes that are no text, or too many to be read, are lost`;
    return { path, kind: 'deleted', diff: '', added: 0, removed: 0, notes: [lost] };
  }
  const now = after.startsWith('\uFEFF') ? after.slice(1) : after;
  if (before === undefined || before.text !== undefined) {
    const preview = diffOf(path, before?.text, now);
    const [was, is] = [before?.hasMark ?? now !== after, now !== after];
    if (was === is) return preview;
    return { ...preview, kind: 'changed', notes: [...preview.notes, `a byte order mark ${is ? 'comes' : 'goes'}`] };
  }
  const lost = `it replaces ${before.size} bytes that are no text, or too many to be read`;
  const { diff, added } = diffOf(path, undefined, now);
  return { path, kind: 'changed', diff, added, removed: 0, notes: [lost] };
}

/** Without the CR of each line end where that would only be noise; a change of the ends themselves is a note. */
function comparable(before: string, after: string, notes: string[]): readonly [string, string] {
  const [was, is] = [lineEndOf(before), lineEndOf(after)];
  const bare = (text: string): string => text.replaceAll('\r\n', '\n');
  if (was === 'crlf' && (is === 'crlf' || is === 'none')) return [bare(before), bare(after)];
  if (before !== '' && was !== is && bare(before) === bare(after))
    notes.push(`the line ends change from ${was} to ${is}`);
  return [before, after];
}

/** A diff that looks for nothing in common. */
function whole(from: string, to: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = `--- ${from}\n+++ ${to}\n@@ -${old.length === 0 ? 0 : 1},${old.length} +${now.length === 0 ? 0 : 1},${now.length} @@\n`;
  return `${head}${[...marked('-', old), ...marked('+', now)].join('\n')}\n`;
}

const marked = (mark: string, lines: readonly string[]): readonly string[] => lines.map((line) => `${mark}${line}`);

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
