/** The one matcher for hook, tool and event names. */

/**
 * True when `glob` matches the whole of `name`. `*` matches any characters, none, `.`, `:` and `/` included; every other
 * character stands for itself. Linear in `glob.length + name.length` but for backtracking over the last `*`.
 */
export function matchName(glob: string, name: string): boolean {
  let g = 0;
  let n = 0;
  let star = -1;
  let mark = 0;
  while (n < name.length) {
    if (g < glob.length && glob[g] === '*') {
      star = g++;
      mark = n;
    } else if (g < glob.length && glob[g] === name[n]) {
      g++;
      n++;
    } else if (star >= 0) {
      g = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.length && glob[g] === '*') g++;
  return g === glob.length;
}
