/** Where a path leads: the real places that a tool may reach by it, however it reads it. */
import { fileURLToPath } from 'node:url';
import { addedNames, hasAddedNames } from '../added-names.js';
import type { PolicyWorld } from '../world.js';

/** Each absolute and real, at least one; or in words why it cannot be told. */
export type LeadsTo = readonly string[] | string;

/** Longer than any system opens (PATH_MAX of Linux). */
const longest = 4096;
/** Links of `/proc` that lead where the process stands that follows them. */
const ofProcess = /(?:^|\/)proc\/(?:.*\/)?(?:cwd|root|fd|task|exe|map_files)(?:\/|$)/s;
/** As many links as Linux follows (MAXSYMLINKS). */
const mostLinks = 40;

/**
 * The places behind a path, from each of the folders it may be meant from. One tool expands `~`, another one does not;
 * one takes `..` off as text, another one lets the system walk: what differs is listed, and a rule looks at all of it.
 */
export function leadsTo(text: string, bases: readonly string[], world: PolicyWorld): LeadsTo {
  if (hasAddedNames()) return addedNames;
  if (text === '') return 'the path is empty';
  if (text.includes('\0')) return 'the path contains a NUL';
  if (text.length > longest) return `the path is longer than ${longest} characters`;
  const { path, home } = world;
  if (world.platform === 'win32') {
    const odd = oddOnWindows(text);
    if (odd !== undefined) return odd;
  }
  if (/^~[^/\\]/.test(text)) return `'${text.split('/')[0]!}' is the home of a user, which is not known`;
  const spellings = text.startsWith('~') ? [text, path.join(home, text.slice(1))] : [text, ...fileOfUrl(text, world)];
  const found = new Set<string>();
  for (const spelling of spellings) {
    for (const base of bases) {
      const absolute = path.isAbsolute(spelling) ? spelling : `${base}${path.sep}${spelling}`;
      if (ofProcess.test(absolute)) return `'${text}' leads to another place in each process`;
      // without `..` both are the same walk
      const real = realOf(path.resolve(absolute), world);
      for (const place of /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(absolute) ? [real, walked(absolute, world)] : [real]) {
        if (typeof place !== 'string') return place.why;
        found.add(place);
      }
    }
  }
  return [...found];
}

/** The file of a `file:` URL, or nothing: then only the name as it is written can be meant. */
function fileOfUrl(text: string, { platform }: PolicyWorld): readonly string[] {
  if (!/^file:/i.test(text)) return [];
  try {
    return [fileURLToPath(text, { windows: platform === 'win32' })];
  } catch {
    return []; // it is no URL of a file on this machine
  }
}

interface Nowhere {
  readonly why: string;
}

/** The real path of one without `..`, its last names as they are written where nothing stands yet. */
function realOf(absolute: string, world: PolicyWorld): string | Nowhere {
  const { path } = world;
  try {
    // Most words of a command are no files, and to ask costs a tenth of an error.
    let there = absolute;
    while (!world.isThere(there) && there !== path.dirname(there)) there = path.dirname(there);
    const real = world.realPath(there);
    return there === absolute ? real : path.join(real, absolute.slice(there.length));
  } catch (error) {
    return isMissing(error) ? walked(absolute, world) : nowhere(absolute, error);
  }
}

/** Walks a path as the system does: name by name, each link followed where it stands, `..` from where it led. */
function walked(absolute: string, world: PolicyWorld): string | Nowhere {
  const { path } = world;
  if (!/(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(absolute)) {
    try {
      return world.realPath(absolute);
    } catch (error) {
      if (!isMissing(error)) return nowhere(absolute, error);
    }
  }
  const { root } = path.parse(absolute);
  let names = namesOf(absolute.slice(root.length), path.sep);
  let at = root;
  let links = 0;
  let missing = false;
  for (let n = 0; n < names.length; n++) {
    const name = names[n]!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = path.dirname(at);
      continue;
    }
    const next = path.join(at, name);
    let target: string | undefined;
    try {
      target = missing ? undefined : world.linkAt(next);
    } catch (error) {
      if (!isMissing(error)) return nowhere(absolute, error);
      missing = true;
    }
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > mostLinks) return { why: `more than ${mostLinks} links stand behind '${absolute}'` };
    const start = path.parse(target).root;
    names = [...namesOf(target.slice(start.length), path.sep), ...names.slice(n + 1)];
    n = -1;
    if (start !== '') at = path.resolve(at, start);
  }
  return at;
}

const namesOf = (text: string, separator: string): readonly string[] => text.split(separator === '\\' ? /[/\\]/ : '/');

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

const nowhere = (absolute: string, error: unknown): Nowhere => ({
  why: `'${absolute}' cannot be followed (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
});

/** Names of Windows that mean another file than they say. */
function oddOnWindows(text: string): string | undefined {
  if (/^[/\\]{2}/.test(text)) return `'${text}' is a path of the network or of a device`;
  if (/^[a-z]:(?![/\\])/i.test(text)) return `'${text}' starts from where its drive stands`;
  for (const name of text.replace(/^[a-z]:/i, '').split(/[/\\]/)) {
    if (name === '' || name === '.' || name === '..') continue;
    if (name.includes(':')) return `'${name}' names a stream of a file`;
    if (/[. ]$/.test(name)) return `'${name}' ends in a dot or a space, which Windows drops`;
    if (/~\d/.test(name)) return `'${name}' may be the short name of another file`;
    if (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)) return `'${name}' is a device`;
  }
  return undefined;
}
