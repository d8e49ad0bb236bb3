/** The tool `read_file`: a text file, or some lines of it. */
import { defineTool, type Tool } from '@treblehook/types';
import { Folder } from './folder.js';
import { withNotes } from './notes.js';
import { pathIn, sealedBy } from './path-argument.js';
import { strictArguments, count, flag } from './strict-arguments.js';
import { lineEndOf, readText, type FileText } from './text-file.js';
import { ToolError } from './tool-error.js';

/** Bytes of one file that are read, and characters of it that are shown at once. */
export const maxReadBytes = 2_000_000;
const maxShown = 40_000;

/** Reads one text file of the folder. Throws `TH_OPTION_INVALID` without the folder. */
export function readFileTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'read_file',
    description: 'Reads a text file, or some lines of it.',
    input: strictArguments({
      path: pathIn(folder, 'The file to read'),
      offset: count().default(1).describe('The first line, counted from 1'),
      limit: count().optional().describe('How many lines; left out: all that fit'),
      digest: flag().default(false).describe("Say the file's SHA-256, for 'expect' of a later edit"),
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    concurrency: 'safe',
    paths: ['path'],
    execute: ({ path, ...what }) => read(folder, path, what),
  });
  return sealedBy(folder, tool);
}

interface Wanted {
  readonly offset: number;
  readonly limit?: number | undefined;
  readonly digest: boolean;
}

async function read(folder: Folder, path: string, { offset, limit, digest }: Wanted): Promise<string> {
  const at = await folder.find(path);
  const file = await readText(await folder.open(at), maxReadBytes);
  if (file.text === undefined) throw binary(at.name, file);
  const notes = new Set<string>(digest ? [digestNote(file)] : []);
  if (file.text === '') return withNotes(['(empty file)'], notes);
  const { rest, size } = file;
  const ends = lineEndOf(file.text);
  const lines = file.text.split(ends === 'crlf' ? '\r\n' : '\n');
  // Behind the last line break there is no line; where the file was cut, no whole one.
  if (lines.length > 1 && (rest > 0 || lines.at(-1) === '')) lines.pop();
  if (offset > lines.length) {
    const seen = rest > 0 ? `; only the first ${size - rest} bytes of ${size} are looked at` : '';
    throw new ToolError('missing', `'${at.name}' has ${lines.length} lines: nothing stands at ${offset}${seen}`);
  }
  if (rest > 0) notes.add(`the file has ${size} bytes, of which the first ${size - rest} are looked at`);
  if (file.invalid > 0) notes.add(`${file.invalid} places are no UTF-8 and stand as U+FFFD`);
  if (ends === 'crlf') notes.add('lines end with CRLF');
  if (ends === 'mixed') notes.add('some lines end with CRLF, some with LF');
  const wanted = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const shown = fit(wanted, maxShown);
  if (shown.length < wanted.length || wanted.length < lines.length) {
    notes.add(`lines ${offset} to ${offset + shown.length - 1} of ${lines.length}${rest > 0 ? ' or more' : ''}`);
  }
  const [only = ''] = shown;
  if (only.length > maxShown) notes.add(`line ${offset} is cut at ${maxShown} of its ${only.length} characters`);
  return withNotes(only.length > maxShown ? [only.slice(0, maxShown)] : shown, notes);
}

/** The refusal of a file that is no text. */
export function binary(name: string, { size, looksLike = 'something else', invalid }: FileText): ToolError {
  const what = invalid > 0 ? `${looksLike}: ${invalid} places in it are no UTF-8` : looksLike;
  return new ToolError('binary', `'${name}' is no text: ${size} bytes of ${what}`);
}

const digestNote = ({ digest, rest }: FileText): string =>
  rest === 0 ? `sha256 ${digest}` : 'no digest: the file is too large to be read whole';

/** As many whole lines as fit; the first one in any case. */
function fit(lines: readonly string[], max: number): readonly string[] {
  let used = 0;
  const at = lines.findIndex((line, index) => (used += line.length + 1) > max && index > 0);
  return at < 0 ? lines : lines.slice(0, at);
}
