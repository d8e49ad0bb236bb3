/**
 * What a module names of its own files. A text in quotes that begins with `./`, `../`, `#`, `/` or `file:` is taken for
 * such a name wherever it stands: one too many is digested in vain, and one that is not found (a computed name) is refused when it is
 * imported, since nothing is loaded that was not digested.
 */
import { realpath, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HookError } from '@treblehook/types';
import { isInside, isInstalled, spelled } from '../discovery/paths.js';

/** A file that a module names. */
export interface LocalImport {
  /** Its real path. */
  readonly file: string;
  /** The URL that the name leads to as it is written, where that is not the URL of `file`. */
  readonly alias?: string;
}

/** A text in quotes, on one line and without escapes. */
const literal =
  /(["'`])((?:\.{1,2}(?:\/[^"'`\\\n$]{0,1000})?|(?:\/|file:)[^"'`\\\n$]{1,1000}|#[^"'`\\\n$\s]{1,1000}))\1/g;
/** What stands in front of a name that is surely imported. */
const importing = /(?:\bfrom|\bimport|\brequire)\s{0,20}\(?\s{0,20}$/;
/** How many names of one module are looked up. */
const mostNames = 10_000;
/** TypeScript is imported by the name of what it would be compiled to. */
const typed: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts', '.cjs': '.cts' };
export const runs: readonly string[] = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.node'];

/** Those inside of `root`. Rejects with `TH_CONFIG_INVALID` for an import that leaves it: file, line, mend. */
export async function localImports(file: string, text: string, root: string): Promise<readonly LocalImport[]> {
  const found = new Map<string, LocalImport>();
  const seen = new Set<string>();
  for (const match of text.matchAll(literal)) {
    const name = match[2]!;
    if (seen.has(name) || seen.size > mostNames) continue;
    seen.add(name);
    const to = await resolved(file, name);
    if (to === undefined || !runs.includes(extname(to.file))) continue;
    const isPlaced = isInside(root, to.file);
    if (isPlaced && !isInstalled(spelled(root, to.file))) {
      found.set(name, to);
      continue;
    }
    if (!importing.test(text.slice(Math.max(0, match.index - 50), match.index))) continue;
    const line = text.slice(0, match.index).split('\n').length;
    const what =
      name.startsWith('#') || isPlaced
        ? `'${name}' leads to ${to.file}, which consent does not cover: if that is a package, import it by its own name`
        : `'${name}' leaves ${root}, and consent covers what is inside: move the file there, or make a package of it`;
    throw new HookError('TH_CONFIG_INVALID', { file, at: `:${line}`, what });
  }
  return [...found.values()];
}

async function resolved(file: string, name: string): Promise<LocalImport | undefined> {
  const url = name.startsWith('#') ? undefined : withoutQuery(name, file);
  const isTyped = extname(file).endsWith('ts');
  if (url !== undefined) {
    const path = fileURLToPath(url);
    const ending = extname(path);
    const inTypes = isTyped && typed[ending] !== undefined ? path.slice(0, -ending.length) + typed[ending] : undefined;
    const tried = [
      path,
      ...(inTypes === undefined ? [] : [inTypes]),
      ...(isTyped ? [`${path}.ts`, `${path}.mts`] : []),
    ];
    for (const one of tried) {
      if (!(await isFile(one))) continue;
      const real = await realpath(one);
      return { file: real, ...(pathToFileURL(real).href !== url && { alias: url }) };
    }
  }
  try {
    // extensions, folders and `imports` of the package.json, as `require` finds them
    return { file: await realpath(createRequire(file).resolve(name)) };
  } catch {
    return undefined; // it is some other text
  }
}

function withoutQuery(name: string, file: string): string | undefined {
  try {
    const url = new URL(name, pathToFileURL(file));
    url.search = '';
    url.hash = '';
    fileURLToPath(url); // `%2F` is in no path
    return url.href;
  } catch {
    return undefined; // it is some other text
  }
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true;
