/** Files of settings: YAML or JSON read from disk, with the line and column of each value kept for errors. */
import { readFile, stat } from 'node:fs/promises';
import { HookError, isHookError, type Locate, type SettingPath } from '@treblehook/types';
import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml';

/** The content of a file of settings, and where each part of it stands. */
export interface ConfigFile {
  readonly value: unknown;
  readonly locate: Locate;
}

/** Settings are written by hand: a larger file is some other file. */
export const maxConfigBytes = 1_048_576;

/**
 * Reads a YAML 1.2 or JSON file (JSON is YAML). One document, UTF-8, no duplicate keys, no tags, no other `%YAML`, at most 1 MiB.
 * Rejects with `TH_CONFIG_INVALID`, which names file, line, column and the mend.
 */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  return parseConfig(await readText(file), file);
}

/** The same for a text in hand; `file` is how errors call it. */
export function parseConfig(text: string, file: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `:${line}:${col}`;
  };
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    throw new HookError('TH_CONFIG_INVALID', {
      file,
      at: place(fault.pos[0]),
      what: mended(fault.code, fault.message, text.slice(fault.pos[0])),
    });
  }
  const { explicit, version } = document.directives?.yaml ?? {};
  if (explicit && version !== '1.2') {
    // what stands in front of it are comments and other directives
    const at = text.search(/^\uFEFF?%YAML/m);
    const what = `YAML ${version} is not read here, where no and 1:30 would be no texts: leave '%YAML ${version}' out`;
    throw new HookError('TH_CONFIG_INVALID', { file, at: place(Math.max(at, 0)), what });
  }
  const locate: Locate = (path, part) => ({ file, at: place(offsetOf(document, path, part)) });
  try {
    return { value: document.toJS(), locate };
  } catch (error) {
    const loose = aliasWithoutAnchor(document);
    if (loose !== undefined)
      throw new HookError('TH_CONFIG_INVALID', {
        file,
        at: place(loose),
        what: starred(text.slice(loose)),
        cause: error,
      });
    // So many aliases that the document would swell.
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what: (error as Error).message, cause: error });
  }
}

async function readText(file: string): Promise<string> {
  const refuse = (what: string): never => {
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what });
  };
  try {
    const { size, isFile } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) return refuse('this is no file: name a YAML or JSON file');
    if (size > maxConfigBytes)
      return refuse(`${size} bytes are too many for a file of settings (at most ${maxConfigBytes})`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (isHookError(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refuse('there is no such file: check the path');
    if (code === 'EACCES' || code === 'EPERM') return refuse('it may not be read: check its permissions');
    if (error instanceof TypeError) return refuse('it is no UTF-8 text: save it as UTF-8');
    return refuse(`it cannot be read: ${message}`);
  }
}

/** To YAML `*.env` is a reference to what `&.env` names; whoever writes it means a glob. */
const starred = (from: string): string =>
  `a text that begins with '*' needs quotes: ${JSON.stringify(/^[^\s,[\]{}]*/.exec(from)![0])}`;

/** Where the first reference to nothing stands. */
function aliasWithoutAnchor(document: Document.Parsed): number | undefined {
  const anchors = new Set<string>();
  let found: number | undefined;
  visit(document, {
    Node: (_, node) => {
      if ('anchor' in node && typeof node.anchor === 'string') anchors.add(node.anchor);
    },
    Alias: (_, { source, range }) => {
      if (anchors.has(source)) return undefined;
      found = range?.[0];
      return visit.BREAK;
    },
  });
  return found;
}

/** The parser's words on one line, with the mend where they lack one; `from` is the text from the fault on. */
function mended(code: string, message: string, from: string): string {
  const [said = message] = message.split('\n');
  if (code === 'BAD_ALIAS') return starred(from);
  if (code === 'DUPLICATE_KEY') return 'this key stands here twice: drop one';
  if (code === 'MULTIPLE_DOCS') return "a second document starts here: keep one, and no '---' between";
  if (code === 'TAG_RESOLVE_FAILED') return `${said}: tags are not used here, write plain values`;
  if (said.startsWith('Nested mappings are not allowed'))
    return 'a text with \': \' in it needs quotes, or what follows is read as a map: write it as "…"';
  return `this is no valid YAML or JSON: ${said}`;
}

/** Where a path stands in the text; of a part that is not there, the nearest one around it. */
function offsetOf(document: Document.Parsed, path: SettingPath, part: 'key' | 'value'): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [at, step] of path.entries()) {
    const last = at === path.length - 1;
    let next: unknown;
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === step);
      if (pair === undefined) return offset;
      const valueStart = isNode(pair.value) ? pair.value.range?.[0] : undefined;
      const keyStart = isNode(pair.key) ? pair.key.range?.[0] : undefined;
      const empty = isScalar(pair.value) && pair.value.value === null && pair.value.source === '';
      offset = (last && (part === 'key' || empty) ? keyStart : valueStart) ?? keyStart ?? offset;
      next = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)];
      next = isPair(item) ? item.value : item;
      offset = (isNode(next) ? next.range?.[0] : undefined) ?? offset;
    }
    node = isNode(next) ? ('resolve' in next ? (next.resolve(document) as Node) : next) : null;
    if (node === null) return offset;
  }
  return offset;
}
