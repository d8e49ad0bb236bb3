// Owns the moments of a read and of a write: the real file system, which stops behind each step for what a test does there.
import type * as Files from 'node:fs/promises';

export type Step = 'opened' | 'written' | 'synced' | 'closed' | 'linked' | 'renamed' | 'looked' | 'folder synced';
type Then = (path: string) => unknown;

/** What happens as soon as a step is done for the first time, the steps that were done, and whether the disk has links. */
export const moments = { at: new Map<Step, Then>(), done: [] as Step[], links: true };

/** Sets up what happens behind a step, if any, and forgets the steps that were done. */
export function after(step?: Step, then: Then = () => undefined): void {
  if (step !== undefined) moments.at.set(step, then);
  moments.done.length = 0;
}

async function did(step: Step, path: unknown): Promise<void> {
  moments.done.push(step);
  const then = moments.at.get(step);
  moments.at.delete(step);
  await then?.(String(path));
}

/** A look is a step only where something is to happen behind it. */
export function stepping(real: typeof Files): typeof Files {
  const open: typeof Files.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest);
    const isFolder = (await handle.stat()).isDirectory();
    if (!isFolder) await did('opened', path);
    const { sync, writeFile, close } = handle;
    return Object.assign(handle, {
      writeFile: async (...args: Parameters<typeof writeFile>) => {
        await writeFile.apply(handle, args);
        await did('written', path);
      },
      sync: async () => {
        await sync.call(handle);
        await did(isFolder ? 'folder synced' : 'synced', path);
      },
      close: async () => {
        await close.call(handle);
        if (!isFolder) await did('closed', path);
      },
    });
  };
  const lstat = async (...args: Parameters<typeof Files.lstat>) => {
    const found = await real.lstat(...args);
    if (moments.at.has('looked')) await did('looked', args[0]);
    return found;
  };
  return {
    ...real,
    open,
    lstat: lstat as typeof Files.lstat,
    link: async (from, to) => {
      if (!moments.links) throw Object.assign(new Error('no'), { code: 'EPERM', syscall: 'link' });
      await real.link(from, to);
      await did('linked', to);
    },
    rename: async (from, to) => {
      await real.rename(from, to);
      await did('renamed', to);
    },
  };
}
