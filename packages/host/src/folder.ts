/** One folder as the world of some tools: nothing outside it is named, read or deleted, by whatever path. */
import { constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { lstat, open, opendir, readlink, realpath, stat, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HookError } from '@treblehook/types';

/** What a tool may say to the model about a path: no absolute path of the machine is in it. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** A path that was found inside the folder, links followed. */
export interface Inside {
  /** The real path on disk. */
  readonly real: string;
  /** From the folder, with `/`; `.` is the folder itself. */
  readonly name: string;
}

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
      throw new FolderError('the folder is not there'); // swallows the path on disk
    }
  }

  /**
   * A path in its one normal form, so that rules compare what will be opened: from the folder, with `/`, links followed, no
   * `.`, `..`, double slash or slash at the end. A path that leads out or to nothing is only spelled so; it is refused when
   * it is used. With `itself` a link at the last step is not followed. Where the disk makes no difference between letters
   * of two cases, the name is the one that stands on the disk.
   */
  normal(path: string, itself = false): string {
    const root = followed(this.#root) ?? this.#root;
    const wanted = resolve(root, path);
    if (path.includes('\0') || !isWithin(root, wanted)) return path;
    const parent = itself && wanted !== root && !isNoLink(wanted) ? followed(dirname(wanted)) : undefined;
    const real = parent === undefined ? followed(wanted) : join(parent, basename(wanted));
    return nameOf(root, real !== undefined && isWithin(root, real) ? real : wanted);
  }

  /** Whether a path that is spelled like a folder's, such as `a.txt/`, leads to something else. */
  misspells(path: string): boolean {
    const wanted = saysFolder(path) ? followed(resolve(this.#root, path)) : undefined;
    return wanted !== undefined && statSync(wanted, { throwIfNoEntry: false })?.isDirectory() === false;
  }

  /** Finds what a path means. Throws `FolderError` when it leads out, or to nothing. */
  async find(path: string): Promise<Inside> {
    const root = await this.root();
    const wanted = lexical(root, path);
    try {
      const real = await realpath(wanted);
      if (!isWithin(root, real)) throw new FolderError(`'${path}' leads out of the folder through a link`);
      if (saysFolder(path) && !(await stat(real)).isDirectory()) throw new FolderError(`'${path}' is no folder`);
      return { real, name: nameOf(root, real) };
    } catch (error) {
      throw refusal(path, error);
    }
  }

  /** Finds an entry that may be deleted: a regular file that is no link, in a folder that is inside. */
  async findFileItself(path: string): Promise<Inside> {
    const root = await this.root();
    const wanted = lexical(root, path);
    const { real } = await this.find(relative(root, join(wanted, '..')) || '.');
    const itself = join(real, relative(join(wanted, '..'), wanted));
    const kind = await lstat(itself).catch((error: unknown) => {
      throw refusal(path, error);
    });
    if (!kind.isFile() || saysFolder(path)) throw new FolderError(`'${path}' is no regular file`);
    return { real: itself, name: nameOf(root, itself) };
  }

  /**
   * Opens a regular file for reading. A pipe or a device would hang or lie, so they are refused; so is a file that is, now
   * that it is open, not the one that its name leads to inside the folder: a step on the way was swapped for a link.
   */
  async open({ real, name }: Inside): Promise<FileHandle> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const found = await handle.stat({ bigint: true });
      if (found.isDirectory()) throw new FolderError(`'${name}' is a folder: list it`);
      if (!found.isFile()) throw new FolderError(`'${name}' is no regular file`);
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
      throw refusal(name, error);
    }
  }

  /** The entries of a folder, at most `max`. What a swapped step would have led to outside is refused, not shown. */
  async entries(folder: Inside, max: number) {
    return this.#inFolder(folder.real, folder.name, async (path) => {
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
      throw refusal(name, error);
    });
    return found.isDirectory();
  }

  /** Deletes what `findFileItself` has found. */
  async remove({ real, name }: Inside): Promise<void> {
    await this.#inFolder(dirname(real), name, async (path) => unlink(join(path, basename(real))));
  }

  /**
   * Does something in a folder that is held open, so that nobody can put another in its place. Where the system has no
   * name for an open folder, it is looked at before and after.
   */
  async #inFolder<T>(real: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
    let handle: FileHandle | undefined;
    try {
      if (process.platform === 'linux') handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY);
      const stands = handle && (await standsAt(handle));
      if (stands === undefined) {
        await this.#assertSteady(real, name);
        const done = await use(real);
        await this.#assertSteady(real, name);
        return done;
      }
      if (!isWithin(await this.root(), stands)) throw moved(name);
      return await use(descriptor(handle!));
    } catch (error) {
      throw refusal(name, error);
    } finally {
      await handle?.close();
    }
  }

  async #assertSteady(real: string, name: string): Promise<void> {
    if ((await realpath(real)) !== real || !isWithin(await this.root(), real)) throw moved(name);
  }
}

const descriptor = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/** Where an open file or folder stands by the word of the system; `undefined` where it says nothing of the kind. */
const standsAt = (handle: FileHandle): Promise<string | undefined> =>
  readlink(descriptor(handle)).catch(() => undefined); // swallows "there is no /proc"

const moved = (name: string): FolderError =>
  new FolderError(`'${name}' was moved, or a link put in its place, while it was opened: nothing of it is used`);

/** `a/`, `a/.` and `a/..` speak of a folder. */
const saysFolder = (path: string): boolean => /(?:^|\/)\.{0,2}$/.test(path.replaceAll(sep, '/'));

const nameOf = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

function followed(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // swallows "there is no such path", which is said when it is used
  }
}

function isNoLink(path: string): boolean {
  try {
    return !lstatSync(path).isSymbolicLink();
  } catch {
    return false; // swallows "there is no such path", which is said when it is used
  }
}

/** The path as written, on disk; refused before the disk is touched when it leads out. */
function lexical(root: string, path: string): string {
  if (path.includes('\0')) throw new FolderError('a path cannot contain a NUL character');
  const wanted = resolve(root, path);
  if (!isWithin(root, wanted)) throw new FolderError(`'${path}' is outside the folder: give a path inside it`);
  return wanted;
}

function isWithin(root: string, path: string): boolean {
  const step = relative(root, path);
  return step === '' || (step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step));
}

function refusal(path: string, error: unknown): FolderError {
  if (error instanceof FolderError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new FolderError(`there is no '${path}'`);
  if (code === 'ELOOP') return new FolderError(`'${path}' is a link that leads nowhere`);
  if (code === 'EACCES' || code === 'EPERM') return new FolderError(`'${path}' may not be read`);
  return new FolderError(`'${path}' cannot be opened (${code ?? 'unknown fault'})`);
}
