// Owns the removal of compiler output whose source is gone: the compiler leaves it, and a package must not ship it.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { compiled } from './workspace.mjs';

/**
 * Removes every module and declaration that the compiler wrote below a member's `dist` and that no file below its `src`
 * explains. What the bundler wrote is not touched.
 * @param {string} dir  the folder of the member
 * @returns {string[]} what was removed, relative to `dir`
 */
export function pruneOrphans(dir) {
  const dist = join(dir, 'dist');
  if (!existsSync(dist)) return [];
  /** @type {string[]} */
  const removed = [];
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const modules = join(dir, compiled);
    const inModules = entry.parentPath === modules || entry.parentPath.startsWith(modules + sep);
    const stem = entry.name.match(inModules ? /^(.+?)\.js(\.map)?$/ : /^(.+?)\.d\.ts(\.map)?$/)?.[1];
    if (!entry.isFile() || stem === undefined) continue;
    const source = join(dir, 'src', relative(inModules ? modules : dist, entry.parentPath), stem);
    if (['.ts', '.tsx'].some((end) => existsSync(source + end))) continue;
    rmSync(join(entry.parentPath, entry.name));
    removed.push(relative(dir, join(entry.parentPath, entry.name)));
  }
  return removed;
}
