/** The names of files that a text may hold. */
import { isForm } from './more-files.js';

/** Longer than any system opens (PATH_MAX of Linux). */
const longest = 4096;
/** What is written there is gone, and nothing is read; or it is what was opened before, and was looked at then. */
const open: ReadonlySet<string> = new Set([
  '/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/fd/0', '/dev/fd/1', '/dev/fd/2',
]); // prettier-ignore
export const isOpenAlready = (name: string): boolean => open.has(name);
/** A program that takes words for letters with values, as compilers do, has one letter in an option. */
const compilers = /(?:^|-)(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|ld)(?:-[\d.]+)?$/;
/** Their options of several letters with a value behind them. */
const ofSeveral =
  /^-(?:M[FJQT]|include(?:-pch)?|i(?:system(?:-after)?|quote|dirafter|macros|sysroot|prefix|withprefix(?:before)?|withsysroot|framework(?:withsysroot)?|vfsoverlay)|cxx-isystem)/;
/** Letters that take a value behind them alone: with another one in front, the value begins behind all letters. */
const ofSeveralLetters = /^-(?![ABDFILORTUWYbefghlmouxz])[A-Za-z-]+/;
/** Programs that ask a network: to them a URL is no file. */
const askers: ReadonlySet<string> = new Set([
  'curl', 'wget', 'git', 'npm', 'npx', 'pnpm', 'yarn', 'bun', 'pip', 'pip3', 'cargo', 'go', 'ssh', 'scp', 'sftp', 'rsync',
  'docker', 'podman', 'gh', 'http', 'https', 'psql', 'redis-cli', 'svn', 'hg',
]); // prettier-ignore
/** Programs to which a version stands behind the `@`. */
const managers: ReadonlySet<string> = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx']);
const version = /^[~^]\d+(?:\.[\dx*]+)*(?:-[\w.]+)?$/;
/** So many letters may stand in front of a value: `-sSLo/x`. */
const mostLetters = 6;

/** The names in a word, each once; a word with more of them than `most` gives one more than that. */
export function namesInWord(word: string, program: string, most: number): readonly string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    // Behind the comma of a form a blank may stand.
    if (form && name.startsWith(' ')) add(name.trimStart());
    if (name !== '' && !open.has(name) && name.length <= longest && !name.includes('\0')) found.add(name);
  };
  const whole = word[0] !== '-';
  const form = isForm(word, program);
  if (!whole) for (const value of valuesIn(word, program)) add(value);
  const loose = form ? looseInForms : program === 'git' ? looseInGit : looseAnywhere;
  const ends = form ? endsInForms : looseAnywhere;
  let cut = -1;
  for (let at = 0; at < word.length && found.size <= most; at++) {
    if (at > 0 && !(form ? marksInForms : marks).has(word[at - 1]!)) continue;
    if (isInnerUrl(word, at)) continue;
    const end = endOfUrl(word, at);
    if (end > at) {
      const url = word.slice(at, end);
      if (!askers.has(program) || /\/\.\.(?:\/|$)/.test(url)) {
        add(url);
        add(word.slice(at));
      }
      at = end;
      continue;
    }
    const mark = word[at - 1];
    const begins = mark === undefined ? whole : !loose.has(mark) || '/~.'.includes(word[at]!);
    if (!begins || (mark === '@' && managers.has(program) && version.test(word.slice(at, at + 64)))) continue;
    if (cut < at) cut = next(word, at, ends);
    add(word.slice(at));
    add(word.slice(at, cut));
  }
  const url = word.search(/fileb?:/i);
  if (url !== -1) for (const name of namesOfUrl(word.slice(url))) add(name);
  return [...found];
}

/** A name may begin behind each; behind a loose one only what looks like a path: `a:b` and `a,b` are seldom two names. */
const marks: ReadonlySet<string> = new Set('=@<,:;');
const marksInForms: ReadonlySet<string> = new Set([...marks, '"']);
const looseAnywhere: ReadonlySet<string> = new Set(',:;');
/** `HEAD:key`, `:key`, `-L1,5:key`. */
const looseInGit: ReadonlySet<string> = new Set(',;');
const looseInForms: ReadonlySet<string> = new Set(':;');
const endsInForms: ReadonlySet<string> = new Set(',:;"');

function next(word: string, from: number, ends: ReadonlySet<string>): number {
  let at = from;
  while (at < word.length && !ends.has(word[at]!)) at++;
  return at;
}

/** Values that are glued to letters: `-fx/y`, `-xf/etc/x`. */
function valuesIn(word: string, program: string): readonly string[] {
  if (compilers.test(program)) {
    const parts = /^-W[lpa],/.test(word) ? word.slice(4).split(',') : [];
    return [...parts, ...(looksLikeFile(word) || /^-[oILTBF]/.test(word) ? valuesOfCompiler(word) : [])];
  }
  const glued = ofLetters[program];
  const named = glued === undefined ? null : new RegExp(`^-[A-Za-z0-9]{0,${mostLetters}}?[${glued}](?=.)`).exec(word);
  if (named !== null && !looksLikeFile(word)) return [word.slice(named[0].length)];
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

function valuesOfCompiler(word: string): readonly string[] {
  const several = ofSeveral.exec(word);
  if (several !== null) return [word.slice(several[0].length)];
  const behind = ofSeveralLetters.exec(word)?.[0].length ?? 0;
  return '/~.'.includes(word[behind] ?? ' ') ? [word.slice(2), word.slice(behind)] : [word.slice(2)];
}

/** Letters of options that take the name of a file, which may be glued to them. */
const ofLetters: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  cp: 't', mv: 't', ln: 't', install: 't', sort: 'oT', grep: 'f', egrep: 'f', fgrep: 'f', rg: 'f', unzip: 'd', zip: 'b',
  '7z': 'ow', tar: 'fCTXg', curl: 'oKTDbcE', wget: 'OPoai', make: 'CfIoW', sed: 'f', awk: 'f', gawk: 'fEi', git: 'CoF',
  cmake: 'SB', patch: 'iodr', rsync: 'Tf', go: 'o', openssl: 'k', xxd: 'o', diff: 'S', ssh: 'iFES', scp: 'iF', jq: 'fL',
}); // prettier-ignore

const looksLikeFile = (word: string): boolean => /[/.~]/.test(word) && !/^-[\w-]*=/.test(word.slice(0, 64));

/** Where a URL that begins at a place ends; the place itself when none begins there. What stands behind its scheme is no file of its own. */
function endOfUrl(word: string, from: number): number {
  let at = from;
  while (at - from < 32 && /[A-Za-z0-9+.-]/.test(word[at] ?? '')) at++;
  if (at === from || !word.startsWith('://', at)) return from;
  while (at < word.length && !/[\s'"<>,;|]/.test(word[at]!)) at++;
  return at;
}

/** Whether a place is the one behind the scheme of a URL that stands in a sentence. */
function isInnerUrl(word: string, at: number): boolean {
  return (
    word[at - 1] === ':' &&
    word.startsWith('//', at) &&
    /[\s"'`(<[{|>][A-Za-z][A-Za-z0-9+.-]{0,31}:$/.test(word.slice(Math.max(0, at - 34), at))
  );
}

/** Programs disagree on a host of it that is this machine. */
function namesOfUrl(url: string): readonly string[] {
  const end = url.search(/[\s'"<>;|]/);
  const text = (end === -1 ? url : url.slice(0, end)).slice(0, longest);
  // Some take what stands behind the scheme for a name of its own: `file:key`, `file://key`, `fileb://key`.
  const behind = text.indexOf(':') + 1;
  const path = text.startsWith('//', behind) ? text.indexOf('/', behind + 2) : -1;
  const own = text.slice(text.startsWith('//', behind) ? behind + 2 : behind);
  return path === -1 ? [text, own] : [text, text.slice(path), own];
}
