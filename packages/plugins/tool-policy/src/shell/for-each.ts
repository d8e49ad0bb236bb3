/** Programs that run a command for each thing that they find or read: find, xargs, parallel. */
import { baseName } from './base-name.js';
import { clip } from './clip.js';
import { isInert } from './inert.js';
import { optionTable, readOptions } from './options.js';
import type { Room, TakeApart } from './room.js';
import type { Use } from './run-words.js';
import { joined } from './shells.js';
import { anything, mayBeOption, partly, type ShellWord } from './shell-word.js';
import { runRest } from './wrappers.js';

const rules: Readonly<Record<string, TakeApart>> = {
  find,
  bfs: find,
  fd,
  fdfind: fd,
  xargs,
  parallel,
  sem: parallel,
  rush: parallel,
};

export const forEachRoom: Room = {
  names: Object.keys(rules),
  ruleOf: (name) => (Object.hasOwn(rules, name) ? rules[name] : undefined),
};

const runs = /^-(?:exec|ok)(?:dir)?$/;
const writes = /^-(?:fprint0?|fprintf|fls)$/;

function find(given: Use): void {
  // Of several commands each takes a part of the input.
  const use = { ...given, place: { ...given.place, stdin: undefined } };
  const { reader, words, place } = use;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const { text } = word;
    if (text === undefined) {
      // `-delete` and `-exec` may stand in a variable.
      if (mayBeOption(word)) reader.doubt(`'find' has a word that is not written out: ${clip(word.guess)}`);
    } else if (runs.test(text)) {
      const end = words.findIndex((one, behind) => behind > at && endsCommand(one, words[behind - 1]!));
      if (end === -1) reader.doubt(`'find ${text}' has no end`);
      const command = words.slice(at + 1, end === -1 ? words.length : end);
      runRest(
        use,
        command.map((one) => replaced(one, '{}')),
        `find ${text}`,
      );
      at = end === -1 ? words.length : end;
    } else if (writes.test(text)) {
      const inside = reader.inside(place, 'find');
      const target = words[at + 1]?.text;
      if (inside !== undefined) reader.run([], { assigns: [], redirects: [{ kind: 'write', target }] }, inside);
    } else if (text === '-files0-from') reader.doubt("'find' reads from a file where it looks");
  }
}

const endsCommand = ({ text }: ShellWord, before: ShellWord): boolean =>
  text === ';' || (text === '+' && before.guess === '{}');

/** A word in which a name that is found takes the place of a mark. */
function replaced(word: ShellWord, mark: string): ShellWord {
  const at = word.guess.indexOf(mark);
  if (mark === '' || at === -1) return word;
  return { ...partly(word.guess, word.start.slice(0, at)) };
}

function fd(use: Use): void {
  for (let at = 0; at < use.words.length; at++) {
    const { text } = use.words[at]!;
    if (text === undefined && mayBeOption(use.words[at]!)) {
      return use.reader.doubt(`'fd' has a word that is not written out: ${clip(use.words[at]!.guess)}`);
    }
    if (text === undefined) continue;
    const attached = /^(?:--exec(?:-batch)?=|-[xX](?=.))/.exec(text);
    if (attached !== null) use.reader.doubt(`'fd' runs a command that is not read: ${clip(text)}`);
    else if (/^(?:--exec(?:-batch)?|-[a-wyzA-WYZ]*[xX])$/.test(text)) {
      const end = use.words.findIndex((word, behind) => behind > at && word.text === ';');
      const words = use.words.slice(at + 1, end === -1 ? undefined : end);
      const marked = words.map((word) => (/\{[./]*\}/.test(word.guess) ? partly(word.guess) : word));
      runRest(use, [...marked, partly('{}')], 'fd -x');
      if (end === -1) return;
      at = end;
    }
  }
}

const xargsOptions = optionTable(
  `0 r t p x o a: d: E: I: J: L: n: P: R: S: s: e? i? l? --null --arg-file= --delimiter= --eof? --replace? --max-lines?
  --max-args= --max-procs= --max-chars= --no-run-if-empty --interactive --verbose --open-tty --exit --process-slot-var=`,
);

function xargs(use: Use): void {
  const { at, values } = readOptions(use, xargsOptions);
  use.reader.heed(use.command, use.words.slice(0, at + 1));
  const short = values.get('I') ?? values.get('J');
  const mark = short?.guess ?? (values.has('i') || values.has('--replace') ? markOf(values) : undefined);
  const words = use.words.slice(at);
  const input = { ...use, place: { ...use.place, stdin: undefined } };
  const { stdin } = use.place;
  if (stdin !== undefined && !isQuiet(words[0])) use.reader.heed(use.command, [stdin]);
  if (words.length === 0) return;
  if (mark !== undefined)
    runRest(
      input,
      words.map((word) => replaced(word, mark)),
      'xargs',
    );
  else runRest(input, [...words, anything('(words of its input)')], 'xargs');
}

function markOf(values: ReadonlyMap<string, ShellWord | undefined>): string {
  return (values.get('i') ?? values.get('--replace'))?.guess ?? '{}';
}

/** Whether what is put behind a program is run by none. */
const isQuiet = (program: ShellWord | undefined): boolean =>
  program?.text !== undefined && isInert(program.text, baseName(program.text));

const parallelOptions = optionTable(
  `0 k m n: N: X x q u v t j: P: I: d: a: L: l? S: C: s: --jobs= --keep-order --dry-run --bar --eta --progress --null
  --halt= --line-buffer --lb --ungroup --group --tag --no-notice --will-cite --verbose --colsep= --delimiter= --xargs
  --max-args= --max-procs= --delay= --timeout= --retries= --joblog= --results= --quote --no-run-if-empty --pipe`,
);

/** Its command is code for a shell, in which what it reads takes the place of marks. */
function parallel(use: Use): void {
  const { reader, words, place, name } = use;
  const { at } = readOptions(use, parallelOptions);
  reader.heed(use.command, words.slice(0, at));
  const rest = words.slice(at);
  const marker = rest.findIndex(({ text }) => text !== undefined && /^:::?:?\+?$/.test(text));
  const command = marker === -1 ? rest : rest.slice(0, marker);
  const inside = reader.inside(place, name, { stdin: undefined });
  if (inside === undefined) return;
  if (!isQuiet(command[0])) reader.heed(use.command, rest.slice(command.length));
  if (command.length > 0) {
    const code = joined(command);
    // Names that are put in are quoted, so a mark is a word of the command, whatever it holds.
    if (/^\s*\{/.test(code.guess) || code.text === undefined || /-c\b/.test(code.guess)) {
      reader.doubt(`'${name}' puts together a command: ${clip(code.guess)}`);
    }
    const marked = code.guess.replaceAll(/\{[^{},\s]*\}/g, '"$_"');
    return reader.script(marked === code.guess ? `${marked} "$_"` : marked, inside);
  }
  reader.doubt(`'${name}' runs what it reads`);
  if (marker !== -1) for (const { guess } of rest.slice(marker + 1)) reader.script(guess, inside);
}
