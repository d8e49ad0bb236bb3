/** Where the sessions of the command line are kept: a file below the current folder, unless another one is named. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { HookError, isHookError, textOf, type SessionStore } from '@treblehook/types';
import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/** From the current folder. */
export const defaultStore = join('.treblehook', 'sessions.db');

export interface StoreFlags {
  /** `false`: nothing is kept. */
  readonly store?: string | false | undefined;
}

export interface Kept {
  readonly store: SessionStore;
  /** The file as the person knows it. */
  readonly shown: string;
}

/** Opens the file, and makes it when it is not there. Throws `TH_STORE_FAILED` with the mend. */
export const openStore = (flags: StoreFlags, io: Pick<Io, 'cwd'>): Kept =>
  open(flags, io, '; run goes without by --no-store');

/** `otherwise`: what else a command can do. */
function open({ store: named }: StoreFlags, { cwd }: Pick<Io, 'cwd'>, otherwise: string): Kept {
  const shown = named || defaultStore;
  const path = resolve(cwd, shown);
  try {
    if (!named) makeFolder(dirname(path));
    return { store: sqliteStore({ path }), shown };
  } catch (error) {
    throw storeFault(path, error, otherwise);
  }
}

/** Opens the file of sessions that were. `undefined`: nothing was ever kept here. A file that was named must be there. */
export function openKept(flags: StoreFlags, io: Pick<Io, 'cwd'>): Kept | undefined {
  const { store: named } = flags;
  if (existsSync(resolve(io.cwd, named || defaultStore))) return open(flags, io, '');
  if (named) throw new UsageError(`there is no file '${named}': check --store`);
  return undefined;
}

/** Only its owner looks into it, and a repository around it does not take it up. */
function makeFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined) return;
  writeFileSync(join(folder, '.gitignore'), '*\n');
}

function storeFault(path: string, error: unknown, otherwise: string): HookError {
  const [what, mend] =
    isHookError(error) && error.code === 'TH_STORE_FAILED'
      ? [textOf(error.details['what']), textOf(error.details['mend'])]
      : [`cannot be made: ${textOf(error)}`, 'make the folder writable'];
  const isOfFile = !isHookError(error) || error.details['store'] !== 'sqlite'; // without SQLite no file helps
  const whole = `${mend}${isOfFile ? ', or name another file by --store' : ''}${otherwise}`;
  return new HookError('TH_STORE_FAILED', { store: isOfFile ? path : 'sqlite', what, mend: whole, cause: error });
}
