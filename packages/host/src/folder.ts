/** One folder as the world of some tools: nothing outside it is named, read or deleted, by whatever path. */
import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

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

  constructor(root: string) {
    this.#root = resolve(root);
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

  /** Finds what a path means. Throws `FolderError` when it leads out, or to nothing. */
  async find(path: string): Promise<Inside> {
    const root = await this.root();
    const wanted = lexical(root, path);
    let real: string;
    try {
      real = await realpath(wanted);
    } catch (error) {
      throw notFound(path, error);
    }
    if (!isWithin(root, real)) throw new FolderError(`'${path}' leads out of the folder through a link`);
    return { real, name: relative(root, real).split(sep).join('/') || '.' };
  }

  /** Finds an entry that may be deleted: a regular file that is no link, in a folder that is inside. */
  async findFileItself(path: string): Promise<Inside> {
    const root = await this.root();
    const wanted = lexical(root, path);
    const { real } = await this.find(relative(root, join(wanted, '..')) || '.');
    const itself = join(real, relative(join(wanted, '..'), wanted));
    let kind;
    try {
      kind = await lstat(itself);
    } catch (error) {
      throw notFound(path, error);
    }
    if (!kind.isFile()) throw new FolderError(`'${path}' is no regular file`);
    return { real: itself, name: relative(root, itself).split(sep).join('/') };
  }

  /** Opens a regular file for reading. A pipe or a device would hang or lie, so they are refused. */
  async open({ real, name }: Inside): Promise<FileHandle> {
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
      throw notFound(name, error);
    });
    const found = await handle.stat();
    if (found.isFile()) return handle;
    await handle.close();
    throw new FolderError(found.isDirectory() ? `'${name}' is a folder: list it` : `'${name}' is no regular file`);
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

function notFound(path: string, error: unknown): FolderError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new FolderError(`there is no '${path}'`);
  if (code === 'ELOOP') return new FolderError(`'${path}' is a link that leads nowhere`);
  if (code === 'EACCES' || code === 'EPERM') return new FolderError(`'${path}' may not be read`);
  return new FolderError(`'${path}' cannot be opened (${code ?? 'unknown fault'})`);
}
