/** Programs with a language of their own. Their code is not read: on the command line or the input it is a doubt. */
import { clip } from './clip.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { mayBeOption, type ShellWord } from './shell-word.js';
import { subsOf } from './subs-of.js';

/** The letters and long options that carry code, or load what is no file in the line. */
const letters: Readonly<Record<string, string>> = {
  bun: 'epr',
  csh: 'cs',
  deno: '',
  elvish: 'c',
  fish: 'cC',
  groovy: 'e',
  guile: 'cel',
  irb: 'r',
  ipython: 'ci',
  jshell: '',
  julia: 'eEL',
  lua: 'el',
  luajit: 'el',
  node: 'epri',
  nodejs: 'epri',
  nu: 'ce',
  osascript: 'e',
  perl: 'eEMmdI',
  php: 'rBRFEa',
  pwsh: 'cCeE',
  powershell: 'cCeE',
  pypy: 'ci',
  python: 'ci',
  r: 'e',
  rscript: 'e',
  racket: 'e',
  raku: 'eM',
  ruby: 'er',
  runghc: 'e',
  scala: 'e',
  scheme: '',
  swipl: 'gt',
  tclsh: '',
  tcsh: 'cs',
  'ts-node': 'epr',
  tsx: 'epr',
  wish: '',
  xonsh: 'c',
  expect: 'c',
  emacs: '',
  ghci: 'e',
  ghc: 'e',
  elixir: 'er',
  iex: 'er',
  erl: 's',
  clojure: 'e',
  clj: 'e',
  babashka: 'e',
  bb: 'e',
  octave: '',
  gjs: 'c',
  rhino: 'e',
  qjs: 'e',
  hy: 'c',
  janet: 'e',
  ocaml: 'e',
};
const carries =
  /^--?(?:eval|evaluate|execute|exec|expression|code|command|commands|encodedcommand|enc|print|require|import|loader|experimental[-_]loader|init-command|interactive|run|load|batch|funcall|dofile|process-\w+|define)(?:=|$)/i;
/** Options of python that take nothing, in front of its `-m`. */
const module = /^-[bBdEhiIOPqsSuvVx?]*m(.*)$/s;
const hasModules = /^(?:i?python|pypy|hy|xonsh)/;
/** Modules of node, or files, to load in front of the script. */
const preloads = /^(?:-r|--(?:import|require))$/;
/** Modules of python that run code from the command line. */
const runsCode =
  /^(?:asyncio|sqlite3|timeit|pdb|code|cProfile|profile|trace|runpy|doctest|idlelib.*|[Ii][Pp]ython|ptpython|bpython|xonsh)$/;
/** `deno eval`, `ruby -` … */
const codeWords = new Set(['-', 'eval', 'repl']);
const asks = /^(?:--?version|--?help|-[vVh])$/;

/** Editors, debuggers, databases, calculators: each runs commands when its own input says so. */
const doors = new Set(
  `ansible ansible-console at batch capsh clisp cmd duckdb ecl machinectl mongo mongosh pdsh pssh salt sbcl zx cross-env-shell command.com crash crontab dc ed emacsclient ex ftp gdb gnome-terminal gnuplot konsole lftp lldb m4
  mail mailx mariadb mutt mysql nano nc ncat netcat nsjail nvim octave-cli pico psql rview rvim screen sftp socat sqlite
  sqlite3 telnet tmux vi view vim vimdiff wsl xterm`.split(/\s+/),
);

function isLanguage(name: string): boolean {
  return Object.hasOwn(letters, bare(name));
}

export const languages: Room = {
  names: [...Object.keys(letters), ...doors, 'python3', 'python3.13t'],
  ruleOf: (name) => (isLanguage(name) ? runLanguage : doors.has(name) ? openDoor : undefined),
};

function openDoor({ reader, name }: Use): void {
  reader.doubt(`'${name}' can run commands, and what it is told is not read`);
}

/** `python3.11` is python, and so is `python3.13t`, which has threads of its own. */
function bare(name: string): string {
  if (Object.hasOwn(letters, name)) return name;
  let end = /\dt$/.test(name) ? name.length - 1 : name.length;
  while (end > 0 && '-.0123456789'.includes(name[end - 1]!)) end--;
  return name.slice(0, end);
}

const subs = new Set(['bench', 'build', 'check', 'compile', 'install', 'run', 'serve', 'task', 'test', 'watch']);

/** Settings of php that load nothing. */
const isCalmPhp = ({ start }: ShellWord, next: ShellWord | undefined): boolean =>
  /^(?:memory_limit|max_execution_time|display_errors|error_reporting|date\.timezone|xdebug\.mode|assert\.\w+|zend\.assertions|log_errors|phar\.readonly)(?:=|$)/.test(
    start.replace(/^-[A-Za-z]*?d/, '') || (next?.start ?? ''),
  );

function runLanguage({ reader, name, words, place, command }: Use): void {
  // A script may run its words.
  reader.heed(command, words);
  const code = letters[bare(name)]!;
  const runner = name === 'bun' ? subsOf(words).find((at) => /^(?:x|exec)$/.test(words[at]!.text ?? '')) : undefined;
  if (runner !== undefined) return reader.doubt(`what 'bun ${words[runner]!.guess}' runs is not read`);
  // Behind a sub-command stands the file.
  const hasSub = (name === 'bun' || name === 'deno') && subs.has(words[0]?.text ?? '');
  const rest = hasSub ? words.slice(1) : words;
  const not = (): void => reader.doubt(`the code of '${name}' is not read`);
  if (words.length > 0 && words.every(({ text }) => text !== undefined && asks.test(text))) return;
  let preloaded = -1;
  for (const [at, word] of rest.entries()) {
    const { text } = word;
    if (text === undefined && mayBeOption(word)) {
      return reader.doubt(`'${name}' has a word that is not written out: ${clip(word.guess)}`);
    }
    if (isFileOfInput(word) || /^data:/i.test(word.start) || (text !== undefined && codeWords.has(text))) return not();
    const begin = text ?? word.start;
    if (begin[0] !== '-') {
      // Only a word that no option in front may have taken is surely the file, and what stands behind it is for that.
      if (at === 0 || rest[at - 1]!.text?.[0] !== '-') return;
      continue;
    }
    const loads = /^node(?:js)?$/.test(name) && preloads.test(begin) ? rest[at + 1]?.text : undefined;
    if (loads !== undefined && /^[\w@./-]+$/.test(loads) && !isFileOfInput(rest[at + 1]!)) {
      preloaded = at + 1;
      continue;
    }
    if (carries.test(begin)) return not();
    const named = hasModules.test(name) ? module.exec(begin) : null;
    const asked = named?.[1] === '' ? rest[at + 1]?.text : named?.[1];
    if (named !== null && (asked === undefined || runsCode.test(asked) || asked[0] === '-')) return not();
    // What stands behind a module is for that.
    if (named !== null && !/i/.test(begin.slice(0, begin.indexOf('m')))) return;
    if (name.startsWith('php') && /^-[A-Za-z]*d/.test(begin) && !isCalmPhp(word, rest[at + 1])) return not();
    if (
      begin[1] !== '-' &&
      begin
        .slice(1)
        .split('')
        .some((letter) => code.includes(letter))
    )
      return not();
  }
  if (hasSub) return;
  // It looks for its files by itself.
  if (/^node(?:js)?$/.test(name) && words.some(({ text }) => text === '--test') && place.stdin === undefined) return;
  const last = preloaded === rest.length - 1 ? undefined : words.at(-1)?.text;
  // `python -m pytest` has its module; what has options alone, or nothing, reads its code from the input.
  if (last === undefined || last[0] === '-' || place.stdin !== undefined) not();
}

/** True of a name that leads to what is open already, and may be a script that the line itself feeds. */
export function isFileOfInput({ text, start }: ShellWord): boolean {
  return /^\/+(?:dev|proc)\//.test((text ?? start).replaceAll(/\/(?:\.?\/)+/g, '/')) || text === '-';
}
