/** The names of files that a text may hold. */

/** Longer than any system opens (PATH_MAX of Linux). */
const longest = 4096;
/** A program that takes words for letters with values, as compilers do, has one letter in an option. */
const compilers = /(?:^|-)(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|ld)(?:-[\d.]+)?$/;
/** So many letters may stand in front of a value: `-sSLo/x`. */
const mostLetters = 6;

/** The names in a word, each once; a word with more of them than `most` gives one more than that. */
export function namesInWord(word: string, program: string, most: number): readonly string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (name !== '' && name.length <= longest && !name.includes('\0')) found.add(name);
  };
  const whole = word[0] !== '-';
  if (!whole) for (const value of valuesIn(word, program)) add(value);
  let cut = -1;
  for (let at = 0; at < word.length && found.size <= most; at++) {
    if (at > 0 && !marks.has(word[at - 1]!)) continue;
    const end = endOfUrl(word, at);
    if (end > at) {
      at = end;
      continue;
    }
    const mark = word[at - 1];
    const begins = mark === undefined ? whole : !loose.has(mark) || '/~.'.includes(word[at]!);
    if (!begins) continue;
    if (cut < at) cut = next(word, at);
    add(word.slice(at));
    add(word.slice(at, cut));
  }
  const url = word.search(/file:/i);
  if (url !== -1) for (const name of namesOfUrl(word.slice(url))) add(name);
  return [...found];
}

/** A name may begin behind each; behind a loose one only what looks like a path: `a:b` and `a,b` are seldom two names. */
const marks: ReadonlySet<string> = new Set('=@<,:;');
const loose: ReadonlySet<string> = new Set(',:;');

function next(word: string, from: number): number {
  let at = from;
  while (at < word.length && !loose.has(word[at]!)) at++;
  return at;
}

/** Values that are glued to letters: `-fx/y`, `-xf/etc/x`. */
function valuesIn(word: string, program: string): readonly string[] {
  const long = /^-(?:include|i(?:system|quote|dirafter|macros|sysroot|prefix)|[A-Za-z])/;
  if (compilers.test(program)) return looksLikeFile(word) ? [word.slice(long.exec(word)?.[0].length ?? 2)] : [];
  const letters = /^-[A-Za-z0-9]*/.exec(word)![0].length;
  if (letters < 2 || !looksLikeFile(word)) return [];
  if (word[1] === 'I' && program !== 'curl' && program !== 'tar') return [word.slice(2)];
  const most = Math.min(letters, mostLetters + 1);
  const values: string[] = [];
  for (let at = 2; at <= most; at++) values.push(word.slice(at));
  // What begins behind all letters may be a path of its own, however many they are.
  if (letters > most && '/~.'.includes(word[letters] ?? ' ')) values.push(word.slice(letters));
  return values;
}

const looksLikeFile = (word: string): boolean => /[/.~]/.test(word) && !/^-[\w-]*=/.test(word.slice(0, 64));

/** Where a URL that begins at a place ends; the place itself when none begins there. Its parts are no files. */
function endOfUrl(word: string, from: number): number {
  let at = from;
  while (at - from < 32 && /[A-Za-z0-9+.-]/.test(word[at] ?? '')) at++;
  if (at === from || !word.startsWith('://', at)) return from;
  while (at < word.length && !/[\s'"<>,;|]/.test(word[at]!)) at++;
  return at;
}

/** Programs disagree on a host of it that is this machine. */
function namesOfUrl(url: string): readonly string[] {
  const end = url.search(/[\s'"<>;|]/);
  const text = (end === -1 ? url : url.slice(0, end)).slice(0, longest);
  const path = text.startsWith('//', 5) ? text.indexOf('/', 7) : -1;
  return path === -1 ? [text] : [text, text.slice(path)];
}
