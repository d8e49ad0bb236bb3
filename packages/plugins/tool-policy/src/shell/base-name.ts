/** The name of a program without its folder. */

/** Both separators count: on one platform `\` is one, on the others no program has it in its name. */
export function baseName(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/' || path[end - 1] === '\\') end--;
  const bare = path.slice(0, end);
  return bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1) || path;
}
