/**
 * File globs: `*` and `?` within one step, `[a-z]` and `[!a-z]` for one character of it, `**` over any number of steps,
 * `{a,b}` for either, `\` before what stands for itself. Our own, because the libraries make regular expressions of globs,
 * and some paths, which a model chooses, keep those busy for hours; this is never slower than glob times path.
 */

/** Globs that the braces of one may stand for. */
const mostAlternatives = 256;
const longest = 1_000;

/** Why a text is no file glob, with the mend. */
export function globFault(glob: string): string | undefined {
  if (glob.length > longest) return `a file glob has at most ${longest} characters`;
  if (/(?<!\\)[@!+?*]\(/.test(glob)) return "patterns such as '+(a|b)' are not read: write '{a,b}', or several globs";
  if (namesOf(splitGlob(glob).rest).includes('..')) return "no real path has a '..' in it: leave it out behind a sign";
  try {
    assertClosed(glob);
    for (const one of alternatives(glob)) for (const step of one.split('/')) partsOf(step);
  } catch (error) {
    if (error instanceof GlobError) return error.message;
    throw error;
  }
  return undefined;
}

/** Compiles a glob over whole paths whose steps have `/` between; what is no glob throws `GlobError`. */
export function compileGlob(glob: string): (path: string) => boolean {
  const all = alternatives(glob).map(stepsOf);
  return (path) => {
    const names = namesOf(path);
    return all.some((steps) => matchSteps(steps, names));
  };
}

/** The steps in front of the first sign, which are a path (`.` when there are none), and what is left. */
export function splitGlob(glob: string): { readonly head: string; readonly rest: string } {
  const steps = glob.split('/');
  const first = steps.findIndex((step) => /[\\*?[{]/.test(step));
  const literal = first < 0 ? steps : steps.slice(0, first);
  const head = literal.join('/');
  return {
    head: head !== '' ? head : glob.startsWith('/') ? '/' : '.',
    rest: first < 0 ? '' : steps.slice(first).join('/'),
  };
}

export class GlobError extends Error {}

type Part = '*' | ((character: string) => boolean);
/** `undefined` is `**`. */
type Step = readonly Part[] | undefined;

const namesOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.');
const stepsOf = (glob: string): readonly Step[] =>
  namesOf(glob).map((step) => (/^\*{2,}$/.test(step) ? undefined : partsOf(step)));

/** Which prefixes of the names the steps so far match, step by step. */
function matchSteps(steps: readonly Step[], names: readonly string[]): boolean {
  let reached = new Uint8Array(names.length + 1);
  reached[0] = 1;
  for (const step of steps) {
    const next = new Uint8Array(names.length + 1);
    for (let n = 0; n <= names.length; n++) {
      if (step === undefined) next[n] = reached[n] === 1 || (n > 0 && next[n - 1] === 1) ? 1 : 0;
      else if (n > 0 && reached[n - 1] === 1) next[n] = matchStep(step, names[n - 1]!) ? 1 : 0;
    }
    reached = next;
  }
  return reached[names.length] === 1;
}

/** One step; of several `*` only the last is ever gone back to. */
function matchStep(parts: readonly Part[], name: string): boolean {
  const characters = Array.from(name);
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < characters.length) {
    const part = p < parts.length ? parts[p] : undefined;
    if (part === '*') [star, mark] = [p++, n];
    else if (part !== undefined && part(characters[n]!)) [p, n] = [p + 1, n + 1];
    else if (star >= 0) [p, n] = [star + 1, ++mark];
    else return false;
  }
  while (p < parts.length && parts[p] === '*') p++;
  return p === parts.length;
}

function partsOf(step: string): readonly Part[] {
  const tokens = step.match(/\\.|\[(?:!|\^)?\]?(?:\\.|[^\]\\])*\]|[^]/gsu) ?? [];
  return tokens.map((token): Part => {
    if (token === '*') return token;
    if (token === '?') return () => true;
    if (token.length > 1 && token.startsWith('[')) return classOf(token);
    if (token === '[') throw new GlobError("a '[' without its ']': write '\\[' for the character itself");
    const own = token.startsWith('\\') && token !== '\\' ? token.slice(1) : token;
    return (character) => character === own;
  });
}

function classOf(token: string): Part {
  const isOther = /^\[[!^]/.test(token);
  const inside = token.slice(isOther ? 2 : 1, -1);
  if (inside.startsWith('[:')) throw new GlobError("classes such as '[[:alpha:]]' are not read: write '[a-zA-Z]'");
  const members = (inside.match(/\\.|[^]/gsu) ?? []).map((one) =>
    one.length > 1 && one.startsWith('\\') ? { own: one.slice(1) } : { own: one, dash: one === '-' },
  );
  const ranges: { readonly from: number; readonly to: number }[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at]!.own.codePointAt(0)!;
    const last = members[at + 1]?.dash === true ? members[at + 2] : undefined;
    if (last !== undefined) at += 2;
    const to = last === undefined ? from : last.own.codePointAt(0)!;
    if (to < from) throw new GlobError(`the range in '${token}' runs backwards`);
    ranges[ranges.length] = { from, to };
  }
  return (character) => {
    const code = character.codePointAt(0)!;
    return ranges.some(({ from, to }) => code >= from && code <= to) !== isOther;
  };
}

/** A glob with its braces written out. */
function alternatives(glob: string, left = { count: mostAlternatives }): readonly string[] {
  const brace = firstBrace(glob);
  if (brace === undefined) {
    if (--left.count < 0)
      throw new GlobError(`its braces stand for more than ${mostAlternatives} globs: write several`);
    return [glob];
  }
  const { from, to, choices } = brace;
  return choices.flatMap((choice) => alternatives(glob.slice(0, from) + choice + glob.slice(to), left));
}

/** A brace that is left open stands for itself to the system, and for a mistake to whoever reads the rule. */
function assertClosed(glob: string): void {
  const bare = glob.replaceAll(/\\.|\[(?:!|\^)?\]?(?:\\.|[^\]\\])*\]/gsu, '');
  let depth = 0;
  for (const sign of bare) {
    if (sign === '{') depth++;
    else if (sign === '}' && depth > 0) depth--;
  }
  if (depth > 0) throw new GlobError("a '{' without its '}': write '\\{' for the character itself");
}

/** The first `{a,b}`, with what may stand in its place; braces without a comma stand for themselves. */
function firstBrace(
  glob: string,
): { readonly from: number; readonly to: number; readonly choices: readonly string[] } | undefined {
  for (let from = 0; from < glob.length; from++) {
    if (glob[from] === '\\') from++;
    else if (glob[from] === '{') {
      const choices = ['']; // the last is being read
      let depth = 0;
      for (let at = from; at < glob.length; at++) {
        const sign = glob[at]!;
        if (sign === '{') depth++;
        if (sign === '}') depth--;
        if (depth === 0) {
          if (/^\d+\.\.\d+$/.test(choices[0]!))
            throw new GlobError("ranges such as '{1..3}' are not read: write '{1,2,3}'");
          if (choices.length > 1) return { from, to: at + 1, choices };
          break;
        }
        if (sign === ',' && depth === 1) choices[choices.length] = '';
        else if (at > from) choices[choices.length - 1] += sign === '\\' ? sign + (glob[++at] ?? '') : sign;
      }
    }
  }
  return undefined;
}
