/** Paths of plugins: what is a module, what lies inside of what. */
import { isAbsolute, relative, sep } from 'node:path';

/** Endings of modules that may be imported. TypeScript is taken from a folder's own files alone. */
export const moduleEndings: readonly string[] = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** Whether a path is a folder or lies in it. Both absolute; links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Whether a path goes through a `node_modules`. */
export const isInstalled = (path: string): boolean => path.split(sep).includes('node_modules');

/** A path in a folder as records and messages have it. */
export const spelled = (folder: string, path: string): string => relative(folder, path).replaceAll(sep, '/');
