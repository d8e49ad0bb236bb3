/**
 * Globs of paths: `*` and `?` within one step, `**` over any number of steps. Our own, because patterns come from a model
 * and the libraries make regular expressions of them, which some patterns keep busy for hours; this is never slower than
 * pattern times path.
 */

export function globFault(glob: string): string | undefined {
  if (glob.length > 500) return 'a glob has at most 500 characters';
  if (glob.startsWith('/') || glob.split('/').includes('..'))
    return "a glob is matched from 'path' down: write it without '/' in front and without '..'";
  return undefined;
}

/** Whether the whole of `path`, steps with `/` between, matches. A glob without `/` is matched with the last step alone. */
export function matchesGlob(glob: string, path: string): boolean {
  const steps = path.split('/');
  if (!glob.includes('/')) return matchesStep(glob, steps.at(-1)!);
  const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
  // reached[n]: the parts so far match the first n steps
  let reached = [true, ...steps.map(() => false)];
  for (const part of parts) {
    const next = steps.map(() => false);
    next.push(false);
    for (let n = 0; n <= steps.length; n++) {
      if (part === '**') next[n] = reached[n]! || (n > 0 && next[n - 1]!);
      else if (n > 0) next[n] = reached[n - 1]! && matchesStep(part, steps[n - 1]!);
    }
    reached = next;
  }
  return reached[steps.length]!;
}

/** One step; of several `*` only the last is ever gone back to. */
function matchesStep(glob: string, name: string): boolean {
  let [g, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (g < glob.length && glob[g] === '*') [star, mark] = [g++, n];
    else if (g < glob.length && (glob[g] === '?' || glob[g] === name[n])) [g, n] = [g + 1, n + 1];
    else if (star >= 0) [g, n] = [star + 1, ++mark];
    else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
