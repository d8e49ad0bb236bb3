/** One folder as the world of some tools: nothing outside it is named, read or written, by whatever path. */
import { constants, statSync } from 'node:fs';
import { lstat, open, opendir, readlink, realpath, stat, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { HookError } from '@treblehook/types';
import { followed, isLink, isWithin, nameFrom, pathFault, pathOf, placeOf, saysFolder } from './path-text.js';
import { ToolError, toolErrorOf } from './tool-error.js';

/** A path that was found inside the folder, links followed. */
export interface Inside {
  /** The real path on disk. */
  readonly real: string;
  /** From the folder, with `/`; `.` is the folder itself. */
  readonly name: string;
}

/** Where a file would stand: its nearest existing folder, the folders that are missing, its last step. */
export interface Seat {
  readonly parent: Inside;
  readonly missing: readonly string[];
  readonly base: string;
  readonly name: string;
}

// Windows has neither of the three: there the look before and after is all there is.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants as Partial<typeof constants>;
const readFlags = O_RDONLY! | O_NOFOLLOW | O_NONBLOCK;

/** A folder, checked once. Every look-up goes by real paths, so neither `..` nor a link leads out. */
export class Folder {
  readonly #root: string;
  #realRoot: string | undefined;

  /** Throws `TH_OPTION_INVALID` when there is no such folder. */
  constructor(root: string) {
    this.#root = resolve(root);
    const real = followed(this.#root);
    if (real === undefined || !statSync(real).isDirectory()) {
      throw new HookError('TH_OPTION_INVALID', {
        what: `there is no folder '${root}': give the tools one that is there`,
      });
    }
  }

  /** The real path of the folder itself. */
  async root(): Promise<string> {
    if (this.#realRoot !== undefined) return this.#realRoot;
    try {
      return (this.#realRoot = await realpath(this.#root));
    } catch {
      throw new ToolError('missing', 'the folder is not there'); // swallows the path on disk
    }
  }

  /**
   * A path in its one normal form, so that rules compare what will be opened: from the folder, with `/`, links followed, no
   * `.`, `..`, double slash or slash at the end. What is not there is named from its nearest existing parent. A path that
   * leads out or through a link to nowhere is only spelled so; it is refused when it is used. With `itself` a link at the
   * last step is not followed. Where the disk makes no difference between letters of two cases, the name is the one that
   * stands on the disk.
   */
  normal(path: string, itself = false): string {
    const root = followed(this.#root) ?? this.#root;
    const wanted = resolve(root, path);
    if (pathFault(path) !== undefined || !isWithin(root, wanted)) return path;
    const real = itself && wanted !== root && isLink(wanted) ? linkAt(wanted) : realOf(wanted);
    return nameFrom(root, real !== undefined && isWithin(root, real) ? real : wanted);
  }

  /** Whether a path that is spelled like a folder's, such as `a.txt/`, leads to something else. */
  misspells(path: string): boolean {
    if (pathFault(path) !== undefined || !saysFolder(path)) return false;
    const wanted = followed(resolve(this.#root, path));
    return wanted !== undefined && statSync(wanted, { throwIfNoEntry: false })?.isDirectory() === false;
  }

  /** Finds what a path means. Throws `ToolError` when it leads out, or to nothing. */
  async find(path: string): Promise<Inside> {
    const root = await this.root();
    const wanted = lexical(root, path);
    try {
      const real = await realpath(wanted);
      if (!isWithin(root, real)) throw leadsOut(path);
      if (saysFolder(path) && !(await stat(real)).isDirectory()) throw new ToolError('kind', `'${path}' is no folder`);
      return { real, name: nameFrom(root, real) };
    } catch (error) {
      throw toolErrorOf(path, error);
    }
  }

  /** Finds where a file stands or would stand, its missing folders included. Throws `ToolError` as `find` does. */
  async findSeat(path: string): Promise<Seat> {
    const root = await this.root();
    const wanted = lexical(root, path);
    const place = placeOf(wanted);
    if (place === undefined) throw new ToolError('missing', `'${path}' goes through a link that leads nowhere`);
    if (!isWithin(root, place.real)) throw leadsOut(path);
    if (saysFolder(path) || (place.missing.length === 0 && place.real === root)) throw isFolder(path);
    const [base, ...above] = [...place.missing].reverse();
    const folder = base === undefined ? dirname(place.real) : place.real;
    return {
      parent: { real: folder, name: nameFrom(root, folder) },
      missing: above.reverse(),
      base: base ?? basename(place.real),
      name: nameFrom(root, pathOf(place)),
    };
  }

  /** Finds an entry that may be deleted: a regular file that is no link, in a folder that is inside. */
  async findFileItself(path: string): Promise<Inside> {
    const root = await this.root();
    const wanted = lexical(root, path);
    const { real } = await this.find(relative(root, join(wanted, '..')) || '.');
    const itself = join(real, relative(join(wanted, '..'), wanted));
    const kind = await lstat(itself).catch((error: unknown) => {
      throw toolErrorOf(path, error);
    });
    if (!kind.isFile() || saysFolder(path)) throw new ToolError('kind', `'${path}' is no regular file`);
    return { real: itself, name: nameFrom(root, itself) };
  }

  /**
   * Opens a regular file for reading. A pipe or a device would hang or lie, so they are refused before they are opened; so
   * is a file that is, now that it is open, not the one that its name leads to inside the folder: a step on the way was
   * swapped for a link.
   */
  async open({ real, name }: Inside): Promise<FileHandle> {
    let handle: FileHandle | undefined;
    try {
      assertFile(await lstat(real), name);
      handle = await open(real, readFlags);
      const found = await handle.stat({ bigint: true });
      assertFile(found, name);
      const stands = await standsAt(handle);
      const now = stands ?? (await realpath(real));
      if (!isWithin(await this.root(), now)) throw moved(name);
      if (stands === undefined) {
        const there = await lstat(now, { bigint: true });
        if (there.ino !== found.ino || there.dev !== found.dev || (await realpath(real)) !== now) throw moved(name);
      }
      return handle;
    } catch (error) {
      await handle?.close();
      throw toolErrorOf(name, error);
    }
  }

  /** The entries of a folder, at most `max`. What a swapped step would have led to outside is refused, not shown. */
  async entries(folder: Inside, max: number) {
    return this.holding(folder, folder.name, async (path) => {
      const entries = [];
      for await (const found of await opendir(path)) {
        if (entries.length === max) return { entries, cut: true };
        entries.push(found);
      }
      return { entries, cut: false };
    });
  }

  async isFolder({ real, name }: Inside): Promise<boolean> {
    const found = await stat(real).catch((error: unknown) => {
      throw toolErrorOf(name, error);
    });
    return found.isDirectory();
  }

  /** Deletes what `findFileItself` has found. */
  async remove({ real, name }: Inside): Promise<void> {
    const parent = { real: dirname(real), name };
    await this.holding(parent, name, async (path) => unlink(join(path, basename(real))));
  }

  /**
   * Does something in a folder that is held open, so that nobody can put another in its place: `use` gets a path of it that
   * stays its own, in this process and in a child that starts there. Where the system has no name for an open folder, it is
   * looked at before and after. A fault is told of `name`.
   */
  async holding<T>({ real }: Inside, name: string, use: (path: string) => Promise<T>): Promise<T> {
    let handle: FileHandle | undefined;
    try {
      if (process.platform === 'linux') handle = await open(real, O_RDONLY! | O_DIRECTORY);
      const stands = handle && (await standsAt(handle));
      if (stands === undefined) {
        await this.#assertSteady(real, name);
        const done = await use(real);
        await this.#assertSteady(real, name);
        return done;
      }
      if (stands !== real || !isWithin(await this.root(), stands)) throw moved(name);
      return await use(descriptor(handle!));
    } catch (error) {
      throw toolErrorOf(name, error);
    } finally {
      await handle?.close();
    }
  }

  async #assertSteady(real: string, name: string): Promise<void> {
    if ((await realpath(real)) !== real || !isWithin(await this.root(), real)) throw moved(name);
  }
}

const descriptor = ({ fd }: FileHandle): string => `/proc/${process.pid}/fd/${fd}`;

/** Where an open file or folder stands by the word of the system; `undefined` where it says nothing of the kind. */
const standsAt = (handle: FileHandle): Promise<string | undefined> =>
  readlink(descriptor(handle)).catch(() => undefined); // swallows "there is no /proc"

function realOf(path: string): string | undefined {
  const place = placeOf(path);
  return place && pathOf(place);
}

/** A link itself, in the real folder that it stands in. */
function linkAt(path: string): string | undefined {
  const parent = followed(dirname(path));
  return parent === undefined ? undefined : join(parent, basename(path));
}

const moved = (name: string): ToolError =>
  new ToolError('moved', `'${name}' was moved, or a link put in its place, while it was opened: nothing of it is used`);
const leadsOut = (path: string): ToolError =>
  new ToolError('outside', `'${path}' leads out of the folder through a link: give a path inside it`);
const isFolder = (path: string): ToolError => new ToolError('kind', `'${path}' is a folder: name a file in it`);

interface Kind {
  readonly isDirectory: () => boolean;
  readonly isFile: () => boolean;
}

function assertFile(found: Kind, name: string): void {
  if (found.isDirectory()) throw new ToolError('kind', `'${name}' is a folder: list it`);
  if (!found.isFile())
    throw new ToolError('kind', `'${name}' is no regular file: a pipe, a device or a socket is not opened`);
}

/** The path as written, on disk; refused before the disk is touched when it leads out. */
function lexical(root: string, path: string): string {
  const fault = pathFault(path);
  if (fault !== undefined) throw new ToolError('path', fault);
  const wanted = resolve(root, path);
  if (!isWithin(root, wanted)) throw new ToolError('outside', `'${path}' is outside the folder: give a path inside it`);
  return wanted;
}
