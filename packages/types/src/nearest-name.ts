/** "Did you mean": the nearest of some names. */

/** The phrase of a refusal: `did you mean 'x'?`, or `undefined` when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const near = nearestName(name, candidates);
  return near === undefined ? undefined : `did you mean '${near}'?`;
}

/**
 * The candidate with the smallest distance to `name`, letter case aside, or `undefined` when none is within a third of
 * the longer length. One in which every letter would have to change is not near: names of one letter are not guessed. Optimal string alignment, in which two neighbours that changed places are one edit:
 * https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= Math.max(name.length, candidate.length)) continue;
    if (distance < least && distance <= Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3))) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function distanceOf(a: string, b: string): number {
  if (a.length > 100 || b.length > 100) return Infinity;
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1, swapped ? above[j - 2]! + 1 : Infinity));
    }
    above = row;
    row = next;
  }
  return row[b.length]!;
}
