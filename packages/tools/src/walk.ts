/** The files below a folder, in a stable order, without following links. */
import { join } from 'node:path';
import type { Folder, Inside } from './folder.js';

/** Named when listed, never entered: what machines wrote, in numbers that drown the rest; and what was said before. */
export const passedOver: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'dist',
  '.cache',
  '.turbo',
  '.treblehook',
]);

export interface Entry extends Inside {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Entries of one folder that are read: a folder with more of them is no place to look around in. */
const maxEntries = 10_000;

/** The entries of one folder, by name; `cut` says that there are more than were read. */
export async function entriesOf(
  world: Folder,
  folder: Inside,
): Promise<{ readonly entries: readonly Entry[]; readonly cut: boolean }> {
  const { entries, cut } = await world.entries(folder, maxEntries);
  const named = entries.map((found): Entry => ({
    real: join(folder.real, found.name),
    name: folder.name === '.' ? found.name : `${folder.name}/${found.name}`,
    kind: found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other',
  }));
  return { entries: named.sort(byName), cut };
}

/**
 * Every entry below a folder, level by level, so that what is cut off lies deep. Links are not followed and `passedOver` folders not
 * entered. `tell` gets a sentence for each folder of which not all was seen.
 */
export async function* entriesBelow(
  world: Folder,
  folder: Inside,
  signal: AbortSignal,
  tell: (what: string) => void,
): AsyncGenerator<Entry> {
  const waiting: Inside[] = [folder];
  for (const next of waiting) {
    signal.throwIfAborted();
    let seen;
    try {
      seen = await entriesOf(world, next);
    } catch {
      tell(`'${next.name}' cannot be listed`); // swallows a folder that is unreadable, or gone since it was seen
      continue;
    }
    if (seen.cut) tell(`'${next.name}' has more than ${maxEntries} entries`);
    yield* seen.entries;
    waiting.push(...seen.entries.filter(({ kind, name }) => kind === 'folder' && !passedOver.has(lastOf(name))));
  }
}

const lastOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
