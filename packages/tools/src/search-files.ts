/** The tool `search_files`: a text, or a regular expression under a time limit, in the files of a folder. */
import { defineTool, type Tool } from '@treblehook/types';
import { Folder, type Inside } from './folder.js';
import { below, globArgument } from './list-files.js';
import { withNotes } from './notes.js';
import { pathIn, sealedBy } from './path-argument.js';
import { matchesGlob } from './path-glob.js';
import { patternFault, patternSearch, textSearch, type Hit, type LineSearch } from './pattern-search.js';
import { strictArguments, flag, text } from './strict-arguments.js';
import { readText } from './text-file.js';
import { ToolError } from './tool-error.js';
import { onOneLine, visible } from './visible.js';
import { entriesBelow } from './walk.js';

/** One search: files that are read, bytes of each, hits, characters of a line that are shown. */
const maxSearched = 2_000;
const maxSearchBytes = 500_000;
const maxHits = 50;
const maxLine = 200;
/** What a regular expression may take over all files. */
const maxPatternMs = 2_000;

/** Searches a file, or the files of a folder. Throws `TH_OPTION_INVALID` without the folder. */
export function searchFilesTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'search_files',
    description: 'Finds a text, or a pattern, in the files of a folder: "path:line: text" for each line with a hit.',
    input: strictArguments({
      query: text().min(1, 'it is empty: write the text to find').describe('The text to find'),
      path: pathIn(folder, 'The file or folder to search').default('.'),
      regex: flag().default(false).describe('The query is a JavaScript regular expression, matched line by line'),
      caseSensitive: flag().default(false),
      glob: globArgument.optional(),
    }).superRefine(({ query, regex }, context) => {
      const fault = regex ? patternFault(query) : undefined;
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, path: ['query'] });
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    concurrency: 'safe',
    paths: ['path'],
    execute: (wanted, { signal }) => search(folder, wanted, signal),
  });
  return sealedBy(folder, tool);
}

interface Wanted {
  readonly query: string;
  readonly path: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
  readonly glob?: string | undefined;
}

async function search(folder: Folder, wanted: Wanted, signal: AbortSignal): Promise<string> {
  const { query, regex, caseSensitive } = wanted;
  const at = await folder.find(wanted.path);
  const lines = regex ? patternSearch(query, !caseSensitive, maxPatternMs) : textSearch(query, !caseSensitive);
  try {
    return await searchIn(folder, at, wanted, lines, signal);
  } finally {
    await lines.close();
  }
}

async function searchIn(
  folder: Folder,
  at: Inside,
  { query, regex, glob }: Wanted,
  lines: LineSearch,
  signal: AbortSignal,
): Promise<string> {
  const notes = new Set<string>();
  const hits: string[] = [];
  let [searched, binary, cut, unread] = [0, 0, 0, 0];
  try {
    for await (const file of filesAt(folder, at, glob, signal, (what) => notes.add(what))) {
      signal.throwIfAborted();
      if (searched === maxSearched) {
        notes.add(`stopped after ${maxSearched} files: search a folder further down`);
        break;
      }
      const found = await readIfPresent(folder, file);
      if (found === undefined) {
        unread += 1;
        continue;
      }
      searched += 1;
      if (found.text === undefined) binary += 1;
      if (found.rest > 0) cut += 1;
      if (found.text === undefined) continue;
      const here = await lines.search(found.text, maxHits + 1 - hits.length, signal);
      hits.push(...here.map((hit) => lineOf(onOneLine(file.name), hit)));
      if (hits.length > maxHits) {
        hits.pop();
        notes.add(`stopped at ${maxHits} hits: ask for something rarer`);
        break;
      }
    }
  } catch (error) {
    // what a pattern found before it was stopped is kept, and why it was is said
    if (!(error instanceof ToolError && error.code === 'limit') || hits.length === 0) throw error;
    notes.add(error.message);
  }
  notes.add(`${searched} files searched${binary > 0 ? `, ${binary} of them no text` : ''}`);
  if (cut > 0) notes.add(`of ${cut} large files only the first ${maxSearchBytes} bytes`);
  if (unread > 0) notes.add(`${unread} could not be read`);
  const none = `${regex ? 'the pattern ' : ''}'${onOneLine(query)}' is not found`;
  return withNotes(hits.length === 0 ? [none] : hits, notes);
}

async function* filesAt(
  folder: Folder,
  at: Inside,
  glob: string | undefined,
  signal: AbortSignal,
  tell: (what: string) => void,
): AsyncGenerator<Inside> {
  if (!(await folder.isFolder(at))) return yield at;
  for await (const entry of entriesBelow(folder, at, signal, tell)) {
    if (entry.kind === 'file' && (glob === undefined || matchesGlob(glob, below(at, entry)))) yield entry;
  }
}

/** A file that went away, or may not be read, is passed over: a search goes on. */
async function readIfPresent(folder: Folder, file: Inside) {
  try {
    return await readText(await folder.open(file), maxSearchBytes);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function lineOf(name: string, { line, at, text }: Hit): string {
  const start = Math.max(0, at - maxLine / 2);
  const shown = visible(text.slice(start, start + maxLine).trim());
  return `${name}:${line}: ${start > 0 ? '…' : ''}${shown}${start + maxLine < text.length ? '…' : ''}`;
}
