/** Changes of one file, one after another: whoever reads a file to change it sees what the change before has left. */
import type { Folder } from './folder.js';

/** The end of the last change of each file that is being changed in this process, by its place. */
const ends = new Map<string, Promise<unknown>>();

/**
 * Does the work when no other change of this file is being made in this process, by whatever tool, agent or folder object.
 * A change of another process is not waited for: `putFile` looks whether the file is still the one that was read.
 */
export async function inTurn<T>(folder: Folder, path: string, work: () => Promise<T>): Promise<T> {
  const place = `${await folder.root()}/${folder.normal(path)}`;
  const before = ends.get(place);
  const mine = (async () => {
    await before?.catch(() => {}); // whoever asked for it is told
    return work();
  })();
  ends.set(place, mine);
  try {
    return await mine;
  } finally {
    if (ends.get(place) === mine) ends.delete(place);
  }
}
