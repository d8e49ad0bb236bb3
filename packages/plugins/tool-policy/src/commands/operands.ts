/** Words that are certainly no files, whatever they say: messages, patterns, scripts, headers. What is not certain is left out. */
import type { ShellWord } from '../shell/shell-word.js';

type Words = readonly ShellWord[];

const none: ReadonlySet<number> = new Set();

/** The places of such words among those of a command. */
export function noFiles(program: string, words: Words): ReadonlySet<number> {
  return Object.hasOwn(kinds, program) ? new Set(kinds[program]!(words)) : none;
}

const kinds: Readonly<Record<string, (words: Words) => readonly number[]>> = {
  git: ofGit,
  curl: (words) =>
    valuesOf(words, /^(?:-H|--header)$/, /^-[sSfLkivIgGN]+$|^--(?:silent|fail|location|insecure|include)$/).filter(
      (at) => /^[\w-]+: /.test(words[at]!.start),
    ),
  grep: ofGrep,
  egrep: ofGrep,
  fgrep: ofGrep,
  rg: ofGrep,
  sed: (words) => scriptIn(words, /^-(?:[nErsuz]+|i[^/]*)$/, /^-[A-Za-z]*[ef]|^--[ef]/),
  awk: ofAwk,
  gawk: ofAwk,
  mawk: ofAwk,
  tr: (words) => [...words.keys()],
  cut: (words) => [...valuesOf(words, /^-[dfcb]$/), ...glued(words, /^-[dfcb]./)],
  find: (words) => valuesOf(words, /^-(?:i?path|i?wholename|i?name|i?regex)$/),
  test: ofTest,
  '[': ofTest,
};

/** The words behind an option, where nothing in front can have taken the option itself. */
function valuesOf(words: Words, option: RegExp, flags?: RegExp): readonly number[] {
  const end = words.findIndex(({ text }) => text === '--');
  return [...words.keys()].filter((at) => {
    const [before, front] = [words[at - 2]?.text, words[at - 1]?.text];
    if (front === undefined || !option.test(front) || !words[at]!.solid || (end !== -1 && at > end)) return false;
    return at === 1 || flags === undefined || (before !== undefined && (!before.startsWith('-') || flags.test(before)));
  });
}

const glued = (words: Words, option: RegExp): readonly number[] =>
  [...words.keys()].filter((at) => option.test(words[at]!.start) && words[at]!.solid);

const takesMessage = /^(?:commit|tag|stash|merge|notes)$/;
const message = /^(?:-[asvqnepoi]*m|--message)$/;
const flagsOfCommit = /^(?:-[asvqnepoi]+|--(?:amend|no-verify|no-edit|signoff|all|allow-empty|quiet|annotate))$/;

/** A message, and what `git grep` looks for. */
function ofGit(words: Words): readonly number[] {
  const at = words[0]?.text === '-C' ? 2 : words[0]?.text === '--no-pager' ? 1 : 0;
  const sub = words[at]?.text ?? '';
  const rest = words.slice(at + 1);
  const found = takesMessage.test(sub)
    ? [
        ...valuesOf(rest, message, flagsOfCommit),
        ...(rest.some(({ text }) => text === '--') ? [] : glued(rest, /^(?:-m.|--message=)/)),
      ]
    : sub === 'grep'
      ? ofGrep(rest)
      : [];
  return found.map((one) => one + at + 1);
}

/** Letters that take nothing, in front of those that take a number. */
const flagsOfGrep = /^-(?:[acEFGHhIiLlnoPqrRsTUuVvwxzy0-9]*|[acEFGHhIiLlnoPqrRsTUuVvwxzy]*[ABCm]\d+)$/;
const longsOfGrep =
  /^--(?:(?:include|exclude|exclude-dir|color|colour|glob|iglob|type|type-not|max-count|context|after-context|before-context)=.*|line-number|ignore-case|recursive|count|word-regexp|files-with-matches|only-matching|no-heading|hidden|no-ignore|fixed-strings|invert-match|null|quiet|extended-regexp|perl-regexp|no-filename|with-filename|multiline)$/;

/** The pattern is the first operand, where no option gives another one. */
function ofGrep(words: Words): readonly number[] {
  let first: number | undefined;
  for (const [at, { text, start, solid }] of words.entries()) {
    if (!solid || start === '') {
      if (text === undefined && first === undefined) return [];
      if (text === undefined) continue;
    }
    if (text === '--') return [first ?? at + 1].filter((one) => one < words.length);
    if (start[0] !== '-') first ??= at;
    else if (text === undefined || !(flagsOfGrep.test(text) || longsOfGrep.test(text))) return [];
  }
  return first === undefined ? [] : [first];
}

/** The first operand behind such options, as long as there is none of another kind anywhere. */
function scriptIn(words: Words, flags: RegExp, others: RegExp): readonly number[] {
  if (words.some(({ start, text }) => others.test(start) || text === '--')) return [];
  const at = words.findIndex(({ start, text }) => text === undefined || start[0] !== '-' || !flags.test(text));
  const word = words[at];
  return word === undefined || word.text === undefined || word.start[0] === '-' ? [] : [at];
}

function ofAwk(words: Words): readonly number[] {
  const fields = [...valuesOf(words.slice(0, 2), /^-F$/), ...glued(words.slice(0, 1), /^-F./)];
  const at = words[0]?.text === '-F' ? 2 : fields.length;
  return [...fields, ...scriptIn(words.slice(at), /^-$/, /^-/).map((one) => one + at)];
}

/** `-n x`, `-z x`, and two that are compared; each may be text of any kind. */
function ofTest(words: Words): readonly number[] {
  const rest = words.at(-1)?.text === ']' ? words.slice(0, -1) : words;
  const from = rest[0]?.text === '!' && rest.length > 2 ? 1 : 0;
  const [first, second, third, more] = rest.slice(from);
  if (more !== undefined || first === undefined || !rest.every(({ solid }) => solid)) return [];
  if (third === undefined) return second !== undefined && /^-[nz]$/.test(first.text ?? '') ? [from + 1] : [];
  return /^(?:[=!]?=|-(?:eq|ne|lt|le|gt|ge))$/.test(second?.text ?? '') ? [from, from + 2] : [];
}
