/** The SQLite that this Node brings, or its drop-in. */
import { closeSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { HookError, textOf } from '@treblehook/types';

export interface Statement {
  readonly get: (...values: readonly (string | number | null)[]) => unknown;
  readonly all: (...values: readonly (string | number | null)[]) => unknown[];
  readonly run: (...values: readonly (string | number | null)[]) => unknown;
}
export interface Database {
  readonly exec: (sql: string) => void;
  readonly prepare: (sql: string) => Statement;
  readonly close: () => void;
}
type Module = { readonly DatabaseSync: new (path: string) => Database };

const dropIn = '@photostructure/sqlite';

/** Node 22.13 and newer bring `node:sqlite`; older ones take the drop-in of the same interface. */
export function openDatabase(path: string): Database {
  const { DatabaseSync } = load();
  if (path !== ':memory:') makePrivate(path);
  return new DatabaseSync(path);
}

/** Links that lead to one another; SQLite says so of more. */
const maxLinks = 40;

/**
 * A file that is made is its owner's alone, also behind a link: what tools have read stands in it. SQLite gives `-wal` and
 * `-shm` the mode of the file. One that is there keeps the mode that it was given, and is not opened: to close it would drop
 * the locks that this process has on it.
 */
function makePrivate(path: string, links = maxLinks): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // swallows that it is there; of a place where no file can be made SQLite says so
    const target = targetOf(path);
    if (target !== undefined && links > 0) makePrivate(target, links - 1);
  }
}

/** Where a link leads, whether or not something is there. */
function targetOf(path: string): string | undefined {
  try {
    return resolve(realpathSync(dirname(path)), readlinkSync(path));
  } catch {
    return undefined; // swallows that it is no link
  }
}

function load(): Module {
  const builtin = (process as { getBuiltinModule?: (id: string) => unknown }).getBuiltinModule?.('node:sqlite');
  if (builtin !== undefined) return builtin as Module;
  try {
    return createRequire(import.meta.url)(dropIn) as Module;
  } catch (error) {
    throw new HookError('TH_STORE_FAILED', {
      store: 'sqlite',
      what: `is not in Node ${process.versions.node}, and its drop-in ${whyNot(error)}`,
      mend: `install ${dropIn}, or use Node 22.13 or newer`,
      cause: error,
    });
  }
}

/** Node names below its first line who has required it: nothing that helps to mend it. The whole error is the `cause`. */
function whyNot(error: unknown): string {
  const [first = ''] = textOf(error).split('\n', 1);
  const isAbsent = (error as { readonly code?: unknown } | null)?.code === 'MODULE_NOT_FOUND';
  // a part of it that is absent is another fault: to install it again mends it
  return isAbsent && first.includes(`'${dropIn}'`) ? 'is not installed' : `cannot be loaded: ${first}`;
}
