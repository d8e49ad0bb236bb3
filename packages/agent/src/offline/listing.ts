/** Reading what tools that list and search have answered. */
import { cutNote } from './extract.js';

export interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
}
export interface Hit {
  readonly path: string;
  /** From 1; `undefined`: not told. */
  readonly line: number | undefined;
  readonly text: string;
}

/** Characters of a line that can still be an entry or a hit. */
const longest = 2_000;

/** The entries of a listing of `folder`: one a line in the usual spellings, or a JSON list of texts. */
export function entriesIn(output: string, folder: string): readonly Entry[] {
  const base = normal(folder);
  const entries: Entry[] = [];
  for (const line of linesOf(output)) {
    const marked = /^\[(DIR|FILE)\]\s+(.*)$/.exec(line);
    const bare = (marked?.[2] ?? line)
      .replace(/^[\s│├└─|`+\-*]*\s(?=\S)/u, '')
      .replace(/\s+\(?\d[\d.,]*\s*(?:bytes|[KMG]?i?B)\)?$/i, '')
      .trim();
    if (bare === '' || /^(?:\[.*\]|\(.*\))$/.test(bare) || bare.length > 300 || bare.split(/\s/).length > 6) continue;
    const isFolder = marked?.[1] === 'DIR' || /[/\\]$/.test(bare);
    const path = normal(bare.replace(/[@*]$/, ''));
    if (path === '' || path === '.') continue;
    entries.push({
      path: base === '' || path === base || path.startsWith(`${base}/`) ? path : `${base}/${path}`,
      isFolder,
    });
  }
  return entries;
}

/** `path:line: text` for each hit; a line that is a path alone is a hit without a line. */
export function hitsIn(output: string): readonly Hit[] {
  const hits: Hit[] = [];
  for (const line of linesOf(output)) {
    const hit = /^([^\s:][^:]*):(\d+):\s?(.*)$/.exec(line);
    if (hit !== null) hits.push({ path: normal(hit[1]!), line: Number(hit[2]), text: hit[3]!.trim() });
    else if (/^[\w.@+-]+(?:\/[\w.@+-]+)*\.\w{1,10}$/.test(line.trim())) {
      hits.push({ path: normal(line.trim()), line: undefined, text: '' });
    }
  }
  return hits;
}

/** Without `./` in front and `/` behind. */
export function normal(path: string): string {
  const clean = path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '');
  return clean === '.' ? '' : clean;
}

function linesOf(output: string): readonly string[] {
  if (/^\s*\[/.test(output)) {
    try {
      const list: unknown = JSON.parse(output);
      if (Array.isArray(list))
        return list.map((item) => (typeof item === 'string' ? item : String(item?.path ?? item?.name ?? '')));
    } catch {
      // swallows a text that begins like a JSON list and is none
    }
  }
  const lines = output.split('\n');
  const isNote = (at: number): boolean => at >= 0 && at < lines.length - 1 && cutNote.test(lines[at]!);
  // the lines around a cut in the middle are pieces: the rest of a path would pass for a path
  return lines.filter(({ length }, at) => length <= longest && !isNote(at - 1) && !isNote(at + 1));
}
