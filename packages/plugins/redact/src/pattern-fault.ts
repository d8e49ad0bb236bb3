/** What is wrong with a regular expression that somebody gives: it is no such, or it may take for ever. */

/**
 * Says it, or `undefined`. A group that repeats without an end may have no repetition and no choice in it, and nothing
 * refers back: so a text is never tried in more than a power of its length many ways.
 */
export function patternFault(source: string): string | undefined {
  let made: RegExp;
  try {
    made = new RegExp(`(?:${source})`, 'gu');
    void new RegExp(source, 'u'); // of its own, so that it closes no group that is not its own
  } catch (error) {
    const said = (error as Error).message;
    return `it is no regular expression: ${said.slice(said.lastIndexOf(': ') + 2)}`;
  }
  if (made.test('')) return 'it matches where nothing stands: let it ask for a character';
  return slowFault(source);
}

function slowFault(source: string): string | undefined {
  /** Of each group that is open: whether something in it may be read in more than one way. */
  const open: boolean[] = [];
  let closed: boolean | undefined;
  for (let at = 0; at < source.length; at++) {
    const char = source[at]!;
    const before = closed;
    closed = undefined;
    if (char === '\\') {
      const next = source[++at]!;
      if (/[1-9k]/.test(next)) return 'it refers back to a group: write out what may stand there';
      continue;
    }
    if (char === '[') {
      at = classEnd(source, at);
      continue;
    }
    if (char === '(') open.push(false);
    else if (char === ')') {
      const isAmbiguous = open.pop() ?? false;
      if (isAmbiguous && open.length > 0) open[open.length - 1] = true;
      closed = isAmbiguous;
    } else if (char === '|' && open.length > 0) open[open.length - 1] = true;
    else {
      const isEndless = char === '*' || char === '+' || (char === '{' && isLong(source, at));
      if (isEndless && before === true) {
        return 'a group repeats in which something repeats or is chosen, which can take for ever: write a class of characters in its place';
      }
      if ((isEndless || char === '?') && open.length > 0 && source[at - 1] !== '(') open[open.length - 1] = true;
    }
  }
  return undefined;
}

/** `{n,}`, and `{n,m}` of more than ten. */
function isLong(source: string, at: number): boolean {
  const bounds = /^\{(\d+)(,(\d*))?\}/.exec(source.slice(at, at + 24));
  if (bounds === null) return false;
  return bounds[3] === '' || Number(bounds[3] ?? bounds[1]) > 10;
}

/** Where a class ends that begins there. */
function classEnd(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']') return at;
  }
  return source.length;
}
