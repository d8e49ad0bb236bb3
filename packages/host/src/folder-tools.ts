/** Tools that look around in one folder and change nothing: `list_files`, `read_file`, `search_files`. */
import { defineTool, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { Folder, FolderError, type Inside } from './folder.js';
import { pathIn, sealedBy } from './path-argument.js';
import { readText } from './text-file.js';
import { entriesBelow, entriesOf, passedOver, type Entry } from './walk.js';

/** Entries of one listing. */
const maxListed = 500;
/** Bytes of one file that are read, and characters of it that are shown at once. */
const maxReadBytes = 2_000_000;
const maxShown = 40_000;
/** One search: files that are read, bytes of each, hits, characters of a line that are shown. */
const maxSearched = 2_000;
const maxSearchBytes = 500_000;
const maxHits = 50;
const maxLine = 200;

/** The three tools over a folder; `TH_OPTION_INVALID` when there is none. A body throws `FolderError`, whose text names no path outside the folder. */
export function folderTools(dir: string): readonly Tool[] {
  const folder = new Folder(dir);
  const tools: readonly Tool[] = [
    defineTool({
      name: 'list_files',
      description: 'Lists a folder: one path a line, folders end with "/", links with "@".',
      input: z.strictObject({
        path: pathIn(folder, 'The folder to list').default('.'),
        recursive: z.boolean().default(false).describe('List what is below its folders too'),
      }),
      concurrency: 'safe',
      paths: ['path'],
      execute: ({ path, recursive }, { signal }) => list(folder, path, recursive, signal),
    }),
    defineTool({
      name: 'read_file',
      description: 'Reads a text file, or some lines of it.',
      input: z.strictObject({
        path: pathIn(folder, 'The file to read'),
        from: z.int().min(1).default(1).describe('The first line, counted from 1'),
        lines: z.int().min(1).optional().describe('How many lines; left out: all that fit'),
      }),
      concurrency: 'safe',
      paths: ['path'],
      execute: ({ path, from, lines }) => read(folder, path, from, lines),
    }),
    defineTool({
      name: 'search_files',
      description: 'Finds a text in the files of a folder, letter case aside: "path:line: text" for each hit.',
      input: z.strictObject({
        query: z.string().min(1).describe('The text to find; no pattern'),
        path: pathIn(folder, 'The file or folder to search').default('.'),
      }),
      concurrency: 'safe',
      paths: ['path'],
      execute: ({ query, path }, { signal }) => search(folder, query, path, signal),
    }),
  ];
  return tools.map((tool) => sealedBy(folder, tool));
}

async function list(folder: Folder, path: string, recursive: boolean, signal: AbortSignal): Promise<string> {
  const at = await folderAt(folder, path);
  const notes = new Set<string>();
  const lines: string[] = [];
  const show = ({ name, kind }: Entry): void => {
    lines.push(`${onOneLine(name)}${kind === 'folder' ? '/' : kind === 'link' ? '@' : ''}`);
  };
  if (recursive) {
    for await (const entry of entriesBelow(folder, at, signal, (what) => notes.add(what))) {
      if (lines.length === maxListed) {
        notes.add(`more than ${maxListed} entries: list a folder further down`);
        break;
      }
      show(entry);
    }
    notes.add(`not entered: ${[...passedOver].join(', ')}`);
  } else {
    const { entries, cut } = await entriesOf(folder, at);
    entries.slice(0, maxListed).forEach(show);
    if (cut || entries.length > maxListed) {
      notes.add(`${maxListed} of ${cut ? 'more than ' : ''}${entries.length} entries are shown`);
    }
  }
  return withNotes(lines.length === 0 ? ['(empty)'] : lines, notes);
}

async function read(folder: Folder, path: string, from: number, count: number | undefined): Promise<string> {
  const at = await folder.find(path);
  const { text, size, rest } = await readText(await folder.open(at), maxReadBytes);
  if (text === undefined) throw new FolderError(`'${at.name}' is no text: ${size} bytes of something else`);
  if (text === '') return '(empty file)';
  const lines = text.split('\n');
  // Behind the last line break there is no line; where the file was cut, no whole one.
  if (lines.length > 1 && (rest > 0 || lines.at(-1) === '')) lines.pop();
  if (from > lines.length) {
    const seen = rest > 0 ? `; only the first ${size - rest} bytes of ${size} are looked at` : '';
    throw new FolderError(`'${at.name}' has ${lines.length} lines: nothing stands at ${from}${seen}`);
  }
  const notes = new Set<string>();
  if (rest > 0) notes.add(`the file has ${size} bytes, of which the first ${size - rest} are looked at`);
  const wanted = lines.slice(from - 1, count === undefined ? undefined : from - 1 + count);
  const shown = fit(wanted, maxShown);
  if (shown.length < wanted.length || wanted.length < lines.length) {
    notes.add(`lines ${from} to ${from + shown.length - 1} of ${lines.length}${rest > 0 ? ' or more' : ''}`);
  }
  const [only = ''] = shown;
  if (only.length > maxShown) notes.add(`line ${from} is cut at ${maxShown} of its ${only.length} characters`);
  return withNotes(only.length > maxShown ? [only.slice(0, maxShown)] : shown, notes);
}

async function search(folder: Folder, query: string, path: string, signal: AbortSignal): Promise<string> {
  const at = await folder.find(path);
  const notes = new Set<string>();
  const needle = query.toLowerCase();
  const hits: string[] = [];
  let [searched, binary, cut] = [0, 0, 0];
  for await (const file of filesAt(folder, at, signal, (what) => notes.add(what))) {
    signal.throwIfAborted();
    if (searched === maxSearched) {
      notes.add(`stopped after ${maxSearched} files: search a folder further down`);
      break;
    }
    const found = await readIfPresent(folder, file);
    if (found === undefined) continue;
    searched += 1;
    if (found.text === undefined) binary += 1;
    if (found.rest > 0) cut += 1;
    hits.push(...hitsIn(found.text ?? '', needle, onOneLine(file.name), maxHits + 1 - hits.length));
    if (hits.length > maxHits) {
      hits.pop();
      notes.add(`stopped at ${maxHits} hits: ask for something rarer`);
      break;
    }
  }
  notes.add(`${searched} files searched${binary > 0 ? `, ${binary} of them no text` : ''}`);
  if (cut > 0) notes.add(`of ${cut} large files only the first ${maxSearchBytes} bytes`);
  return withNotes(hits.length === 0 ? [`'${query}' is not found`] : hits, notes);
}

async function folderAt(folder: Folder, path: string): Promise<Inside> {
  const at = await folder.find(path);
  if (await folder.isFolder(at)) return at;
  throw new FolderError(`'${at.name}' is a file: read it`);
}

async function* filesAt(
  folder: Folder,
  at: Inside,
  signal: AbortSignal,
  tell: (what: string) => void,
): AsyncGenerator<Inside> {
  if (!(await folder.isFolder(at))) return yield at;
  for await (const entry of entriesBelow(folder, at, signal, tell)) if (entry.kind === 'file') yield entry;
}

/** A file that went away, or may not be read, is passed over: a search goes on. */
async function readIfPresent(folder: Folder, file: Inside) {
  try {
    return await readText(await folder.open(file), maxSearchBytes);
  } catch (error) {
    if (error instanceof FolderError) return undefined;
    throw error;
  }
}

function* hitsIn(text: string, needle: string, name: string, max: number): Generator<string> {
  let left = max;
  for (const [at, line] of text.split('\n').entries()) {
    if (left === 0) return;
    const found = line.toLowerCase().indexOf(needle);
    if (found < 0) continue;
    left -= 1;
    const start = Math.max(0, found - maxLine / 2);
    const shown = line.slice(start, start + maxLine).trim();
    yield `${name}:${at + 1}: ${start > 0 ? '…' : ''}${shown}${start + maxLine < line.length ? '…' : ''}`;
  }
}

/** A name with a line break in it would pass for two. */
const onOneLine = (name: string): string =>
  name.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));

/** As many whole lines as fit; the first one in any case. */
function fit(lines: readonly string[], max: number): readonly string[] {
  let used = 0;
  const at = lines.findIndex((line, index) => (used += line.length + 1) > max && index > 0);
  return at < 0 ? lines : lines.slice(0, at);
}

const withNotes = (lines: readonly string[], notes: ReadonlySet<string>): string =>
  [...lines, ...(notes.size === 0 ? [] : [`[${[...notes].join('; ')}]`])].join('\n');
