// Owns the removal of build output whose source is gone: the compiler leaves it, and a package must not ship it.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { members, root } from './workspace.mjs';

/**
 * Removes every emitted file below a member's `dist` that no file below its `src` explains.
 * @param {string} [base]
 * @returns {string[]} what was removed, relative to `base`
 */
export function pruneOrphans(base = root) {
  /** @type {string[]} */
  const removed = [];
  for (const { dir } of members(base)) {
    const dist = join(dir, 'dist');
    if (!existsSync(dist)) continue;
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      const stem = entry.name.match(/^(.+?)(\.d\.ts|\.js)(\.map)?$/)?.[1];
      if (!entry.isFile() || stem === undefined) continue;
      const source = join(dir, 'src', relative(dist, entry.parentPath), stem);
      if (['.ts', '.tsx'].some((end) => existsSync(source + end))) continue;
      rmSync(join(entry.parentPath, entry.name));
      removed.push(relative(base, join(entry.parentPath, entry.name)));
    }
  }
  return removed;
}
