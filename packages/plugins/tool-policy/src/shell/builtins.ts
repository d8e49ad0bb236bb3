/** Builtins of a shell that run a text, or that give a name or a variable another meaning. */
import { clip } from './clip.js';
import { optionTable, readOptions, tail } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { joined } from './shells.js';
import { partly, type ShellWord } from './shell-word.js';
import { runRest } from './wrappers.js';

const rules: Readonly<Record<string, (use: Use) => void>> = {
  eval: (use) => code(use, joined(use.words[0]?.text === '--' ? use.words.slice(1) : use.words), 'eval'),
  source: sourced,
  '.': sourced,
  trap,
  alias,
  let: ({ reader, words }) => words.forEach(({ text, guess }) => reader.names.computes(text ?? guess)),
  declare,
  typeset: declare,
  local: declare,
  export: declare,
  readonly: declare,
  integer: declare,
  read: named(optionTable('e r s a: d: i: n: N: p: t: u: E')),
  unset: named(optionTable('f v n')),
  getopts: named(optionTable('-')),
  mapfile: callback,
  readarray: callback,
  printf: ({ reader, words, place }) => {
    if (words[0]?.text === '-v') reader.names.named(words[1] ?? partly(''), place);
    else if (words[0]?.text?.startsWith('-v') === true) reader.names.named(tail(words[0], 2), place);
    else if (words[0]?.solid === false) doubtful({ reader, words, name: 'printf' });
    if (words[0]?.start.startsWith('-v') === true) for (const word of words) reader.names.holds('printf', word);
  },
  test: tested,
  '[': tested,
  wait: ({ reader, words }) => {
    if (words.some(({ text }) => text === '-p')) reader.doubt("'wait -p' sets a variable");
  },
  compgen: completed,
  complete: completed,
  jobs: (use) => {
    if (use.words[0]?.text === '-x') runRest(use, use.words.slice(1), 'jobs -x');
  },
  hash: (use) => {
    if (use.words.some(({ text }) => text === undefined || /^-\w*p/.test(text))) meaning(use);
  },
  enable: meaning,
  bind: meaning,
  fc: meaning,
  autoload: meaning,
  zmodload: meaning,
  emulate: meaning,
  unalias: () => {},
};

export const builtins: Room = {
  names: Object.keys(rules),
  ruleOf: (name) => (Object.hasOwn(rules, name) ? rules[name] : undefined),
};

function code({ reader, place }: Use, word: ShellWord, label: string): void {
  reader.code(word, reader.inside(place, label, label === 'eval' ? undefined : { again: 'call' }));
}

function meaning({ reader, name }: Use): void {
  reader.doubt(`'${name}' changes what the names of programs mean`);
}

function sourced({ reader, words }: Use): void {
  reader.doubt(`the file is not read: ${clip(words[0]?.guess ?? '')}`);
}

function doubtful({ reader, words, name }: Pick<Use, 'reader' | 'words' | 'name'>): void {
  reader.doubt(
    `'${name}' has a word that is not written out: ${clip(words.find(({ text }) => text === undefined)?.guess ?? '')}`,
  );
}

function trap(use: Use): void {
  const [first, ...more] = use.words[0]?.text === '--' ? use.words.slice(1) : use.words;
  if (first === undefined || (first.text !== undefined && /^-[lpP]?$/.test(first.text))) return;
  // One word alone is the name of a signal that is set back.
  if (more.length === 0 && first.text !== undefined && /^[A-Z\d+]+$/.test(first.text)) return;
  code(use, first, 'trap');
}

/** An alias changes the words of later lines, so what it says is read, and what it changes is not. */
function alias(use: Use): void {
  for (const word of use.words) {
    const { start, guess } = word;
    const equal = guess.indexOf('=');
    if (equal === -1 && word.text !== undefined) continue;
    use.reader.doubt(`an alias changes what later words mean: ${clip(guess)}`);
    if (equal !== -1 && start.length > equal) code(use, tail(word, equal + 1), 'alias');
  }
}

function declare(use: Use): void {
  const { reader, words, place, name } = use;
  let integers = name === 'integer';
  for (const word of words) {
    const { text, start } = word;
    if (text !== undefined && /^[-+]\w+$/.test(text)) {
      if (/^-\w*i/.test(text)) integers = true;
      if (/^-\w*n/.test(text) && name !== 'export') reader.doubt(`a variable names another: ${name} ${clip(text)}`);
      continue;
    }
    const found = /^([^=[+]+)(\[[^=]*)?\+?=/.exec(start);
    if (found === null) {
      if (text === undefined) reader.names.named(word, place);
      // Whatever an integer is given later is computed.
      else if (integers || text.includes('[')) reader.names.computes(text);
      continue;
    }
    if (found[2] !== undefined) reader.names.computes(found[2]);
    const value = tail(word, found[0].length);
    reader.names.assigned(found[1]!, value, place);
    if (integers) reader.names.computes(value.guess);
  }
}

function named(options: ReturnType<typeof optionTable>): (use: Use) => void {
  return (use) => {
    const { at, values } = readOptions(use, options);
    const array = values.get('a');
    if (array !== undefined) use.reader.names.named(array, use.place);
    if (use.place.stdin !== undefined) use.reader.names.holds(use.name, use.place.stdin);
    for (const word of use.words.slice(at)) use.reader.names.named(word, use.place);
  };
}

/** `mapfile -C 'code'` runs its code for lines that it reads. */
function callback(use: Use): void {
  const { at, values } = readOptions(use, optionTable('d: n: O: s: t u: C: c:'));
  const run = values.get('C');
  if (run !== undefined) code({ ...use, place: { ...use.place, stdin: undefined } }, run, use.name);
  if (use.place.stdin !== undefined) use.reader.names.holds(use.name, use.place.stdin);
  for (const word of use.words.slice(at)) use.reader.names.named(word, use.place);
}

/** `compgen -C 'code'` runs it at once, `-F` a function; `-W` undoes what stands in its text. */
function completed(use: Use): void {
  for (const [at, { text, guess }] of use.words.entries()) {
    const found = /^-\w*([CFW])(.*)$/s.exec(text ?? guess);
    if (text === undefined) return doubtful(use);
    if (found === null) continue;
    const word = found[2] === '' ? use.words[at + 1] : tail(use.words[at]!, text.length - found[2]!.length);
    if (word === undefined) continue;
    if (found[1] !== 'W') code(use, word, use.name);
    else if (/[$`]/.test(word.guess)) use.reader.doubt(`'${use.name} -W' expands its text: ${clip(word.guess)}`);
  }
}

/** Bash computes the index in the name behind `-v`. */
function tested({ reader, words, place, name }: Use): void {
  for (const [at, { text }] of words.entries()) {
    const next = words[at + 1];
    if (next === undefined) return;
    if (text === '-v' || text === '-R') reader.names.named(next, place);
    else if (text === undefined && next.text === undefined) doubtful({ reader, words, name });
  }
}
