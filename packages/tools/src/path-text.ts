/** Paths as texts: which spellings are never taken, and how one path stands to another. */
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Bytes of a path, and of one step of it, that the systems in use allow. */
const maxPathBytes = 4_096;
const maxStepBytes = 255;

/** Why a path is not taken, whatever stands on the disk; `undefined`: it may be looked up. */
export function pathFault(path: string): string | undefined {
  if (path === '') return "a path cannot be empty: the folder itself is '.'";
  if (path.includes('\0')) return 'a path cannot contain a NUL character: leave it out';
  if (/\p{Surrogate}/u.test(path)) return 'a path cannot contain half a character: leave it out';
  if (/^~(?:$|[^/\\]*[/\\])/.test(path)) {
    return "'~' is not expanded here: give a path from the folder, without '~' in front";
  }
  if (/^(?:\\\\|[/\\]{2}[?.][/\\])/.test(path)) {
    return 'network and device paths are not taken: give a path from the folder, with "/"';
  }
  const drive = /^[A-Za-z]:(?:[\\/]|$)/.test(path);
  if (process.platform === 'win32' ? /:/.test(drive ? path.slice(2) : path) : drive) {
    return 'drive letters and streams are not taken: give a path from the folder, with "/"';
  }
  if (Buffer.byteLength(path) > maxPathBytes || path.split(/[/\\]/).some(isTooLong)) {
    return `a path has at most ${maxPathBytes} bytes, each of its steps ${maxStepBytes}: give a shorter one`;
  }
  return undefined;
}

const isTooLong = (step: string): boolean => step.length > maxStepBytes || Buffer.byteLength(step) > maxStepBytes;

/** `a/`, `a/.` and `a/..` speak of a folder. */
export const saysFolder = (path: string): boolean => /(?:^|\/)\.{0,2}$/.test(path.replaceAll(sep, '/'));

export function isWithin(root: string, path: string): boolean {
  const step = relative(root, path);
  return step === '' || (step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step));
}

/** From the root, with `/`; `.` is the root itself. */
export const nameFrom = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

/** The real path, in the letters that stand on the disk; `undefined` where nothing is, or nothing may be seen. */
export function followed(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // swallows "there is no such path", which is said when it is used
  }
}

export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // swallows "there is no such path"
  }
}

/** The nearest existing parent of an absolute path, or the path itself, links followed; and the steps that are not there. */
export interface Place {
  readonly real: string;
  readonly missing: readonly string[];
}

/** `undefined`: a link on the way leads nowhere. */
export function placeOf(path: string): Place | undefined {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const real = followed(at);
    if (real !== undefined) return { real, missing };
    if (isLink(at) || at === dirname(at)) return undefined;
    missing.unshift(basename(at));
  }
}

export const pathOf = ({ real, missing }: Place): string => join(real, ...missing);
