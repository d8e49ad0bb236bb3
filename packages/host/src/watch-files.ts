/** Files that are read again when they change. */
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { HookError, isHookError, textOf } from '@treblehook/types';

/** An editor writes a file in several steps: what comes within this time is one change, ms. */
const quietMs = 100;

/**
 * Calls `refresh` behind each change of a file, one call at a time; what it rejects with is told. The folders are watched,
 * since many editors put a new file in the place of the old. Keeps no process alive. Gives what ends it.
 */
export function watchFiles(
  filesNow: () => readonly string[],
  refresh: () => Promise<void>,
  onFault: (fault: HookError) => void,
): () => void {
  const folders = new Map<string, FSWatcher>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let isEnded = false;

  const tell = (error: unknown): void =>
    onFault(isHookError(error) ? error : new HookError('TH_CONFIG_INVALID', { file: '', at: '', what: textOf(error) }));
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const before = running ?? Promise.resolve();
      running = before
        .then(() => (isEnded ? undefined : refresh()))
        .catch(tell)
        .then(look);
    }, quietMs).unref();
  };
  /** A personality may name another policy now. */
  function look(): void {
    if (isEnded) return;
    const wanted = new Map<string, Set<string>>();
    for (const file of filesNow()) {
      const folder = dirname(resolve(file));
      wanted.set(folder, (wanted.get(folder) ?? new Set()).add(basename(file)));
    }
    for (const [folder, watcher] of folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      folders.delete(folder);
    }
    for (const folder of wanted.keys()) {
      if (folders.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          const isOurs = filesNow().some((file) => dirname(resolve(file)) === folder && basename(file) === name);
          if (name === null || isOurs) changed();
        });
        watcher.on('error', tell);
        folders.set(folder, watcher);
      } catch (error) {
        tell(error);
      }
    }
  }
  look();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    for (const watcher of folders.values()) watcher.close();
    folders.clear();
  };
}
