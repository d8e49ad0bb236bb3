/** Programs that run commands by a word of their own: an option (`tar --to-command`), or a script (`awk`, `sed`). */
import { clip } from './clip.js';
import { isShortFor, tail } from './options.js';
import type { Use } from './run-words.js';
import { isCalmSed } from './sed.js';
import { mayBeOption, type ShellWord } from './shell-word.js';

/** Options whose value is code for a shell, and those that run what is not read. */
interface Risk {
  readonly code?: RegExp;
  readonly other?: RegExp;
  /** Long options of the second kind that the program takes by any beginning of theirs. */
  readonly longs?: readonly string[];
}

const risks: Readonly<Record<string, Risk>> = {
  tar: {
    code: /^--(?:to-c|us|rs|inf)[\w-]*|^-[A-Za-z]*I/,
    other: /^--(?:checkpoint-|new-|rm)|^-[A-Za-z]*F/,
  },
  bsdtar: { code: /^--us[\w-]*/ },
  rsync: { code: /^--(?:rsh|rsync-path)|^-[A-Za-z]*e/, other: /^--(?:config|files-from=:)/ },
  scp: { other: /^-[A-Za-z0-9]*[SoFD]/ },
  sort: { code: /^--co[\w-]*/ },
  split: { code: /^--f[\w-]*/ },
  zip: { other: /^-[A-Za-z]*T|^--(?:unzip|test)/, longs: ['unzip-command', 'test'] },
  man: { code: /^--pa[\w-]*|^-[A-Za-z]*P/, other: /^-[A-Za-z]*[HC]/, longs: ['html', 'config-file'] },
  less: { other: /^\+|^-[A-Za-z]*[kKoO]|^--(?:lesskey|log)/, longs: ['lesskey', 'log-file', 'LOG-FILE', 'cmd'] },
  more: { other: /^\+/ },
  make: {
    other: /^--ev|^-[A-Za-z]*E|^\w+[:?+!]*=(?!(?:\d+|y|n|yes|no)?$)|^-[A-Za-z]*f(?:-|$|[/.])|^--(?:fi|ma)/,
    longs: ['eval', 'file', 'makefile'],
  },
  gmake: {
    other: /^--ev|^-[A-Za-z]*E|^\w+[:?+!]*=(?!(?:\d+|y|n|yes|no)?$)|^-[A-Za-z]*f(?:-|$|[/.])|^--(?:fi|ma)/,
    longs: ['eval', 'file', 'makefile'],
  },
  curl: { other: /^-[A-Za-z]*K|^--config/, longs: ['config'] },
  wget: { code: /^--use-a[\w-]*/, other: /^-[A-Za-z]*e|^--(?:exe|con)/, longs: ['execute', 'config'] },
  rg: { code: /^--pre(?:=|$)|^--hostname-bin/ },
  tcpdump: { other: /^-[A-Za-z]*z/ },
  iptables: { other: /^-M/, longs: ['modprobe'] },
  'ssh-keygen': { other: /^-[A-Za-z]*D/ },
  pip: {
    other: /^--(?:global|install|build|config)-/,
    longs: ['global-option', 'install-option', 'build-option', 'config-settings'],
  },
  go: { other: /^-{1,2}(?:exec|toolexec|vettool|w(?:=|$))/ },
  cargo: { other: /^--(?:config|shell)|^-s/ },
  install: { other: /^--strip-/ },
  nodemon: { code: /^(?:-x|--exec)/ },
  'nix-shell': { code: /^--(?:run|command)/ },
  apt: { other: /^-[A-Za-z]*[oc]|^--(?:opt|conf)/ },
  'apt-get': { other: /^-[A-Za-z]*[oc]|^--(?:opt|conf)/ },
  aptitude: { other: /^-[A-Za-z]*o/ },
  dpkg: { other: /^--(?:pre|post|status-l)/ },
  rake: {
    other: /^-[A-Za-z]*[eEpfrRI]|^--(?:exec|rakef|req|lib)/,
    longs: ['execute', 'rakefile', 'rakelibdir', 'require', 'libdir'],
  },
  nvm: { other: /^(?:exec|run)$/ },
  rpm: { other: /^-[A-Za-z]*[ED]|%/, longs: ['eval', 'define', 'pipe'] },
  fzf: { other: /^--(?:preview(?:=|$)|bind)/ },
  bat: { other: /^--pager/ },
  delta: { other: /^--pager/ },
  ag: { other: /^--pager/, longs: ['pager'] },
  gpg: { other: /^--?(?:photo-v|exec|agent-p|dirmngr-p|pinentry-p)/ },
  'yt-dlp': { other: /^--(?:exec|downloader|external-d|netrc-c|config-l|plugin-d)/ },
  chokidar: { code: /^(?:-c|--command)/ },
  gh: { other: /^(?:alias|extension|!.*)$/ },
  rails: { other: /^(?:runner|r|console|c|dbconsole|db)$/ },
};

const compilers = /^(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp)(?:-[\d.]+)?$/;
const compiler: Risk = { other: /^-(?:wrapper|B|fplugin|fpass-plugin|fuse-ld|specs|Xclang|load)|^--ld-path|^@/ };
const typesetter: Risk = { other: /^--?(?:enable-)?(?:shell-e|write18)|\\/ };

export function runsScripted(name: string): ((use: Use) => void) | undefined {
  if (/^(?:[gmn]?awk|original-awk|bwk|goawk)$/.test(name)) return awk;
  if (name === 'sed' || name === 'ssed') return sed;
  if (compilers.test(name)) return (use) => checkRisks(use, compiler);
  if (/^(?:pdf|xe|lua|)(?:la)?tex$/.test(name)) return (use) => checkRisks(use, typesetter);
  return Object.hasOwn(risks, name) ? (use) => checkRisks(use, risks[name]!) : undefined;
}

function checkRisks(use: Use, { code, other, longs = [] }: Risk): void {
  const { reader, words, place, name } = use;
  for (const [at, word] of words.entries()) {
    const { text, guess } = word;
    if (text === undefined && mayBeOption(word)) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(guess)}`);
      if (word.start === '') continue;
    }
    // The first word of tar has no dash where people are used to that.
    const begin = name === 'tar' && at === 0 && /^[A-Za-z]+$/.test(word.start) ? `-${word.start}` : word.start;
    if (other?.test(begin) === true || isShortFor(begin, longs))
      reader.doubt(`an option of '${name}' can run commands: ${clip(guess)}`);
    const found = code?.exec(begin);
    if (begin !== word.start && found) {
      // Each of its letters takes a word behind, in their order.
      const value = words[1 + begin.slice(1, begin.indexOf('I')).replaceAll(/[^bfCFgHIKLNTVX]/g, '').length];
      if (value !== undefined) reader.code(value, reader.inside(place, name, { stdin: undefined }));
      continue;
    }
    if (found === null || found === undefined) continue;
    const attached = valueOf(word, begin, found[0]);
    const value = attached ?? words[at + 1];
    if (value !== undefined) reader.code(value, reader.inside(place, name, { stdin: undefined }));
  }
}

function valueOf(word: ShellWord, begin: string, option: string): ShellWord | undefined {
  const from = option.length - (begin.length - word.start.length);
  if (word.guess.length <= from) return undefined;
  return tail(word, word.guess[from] === '=' ? from + 1 : from);
}

/** The scripts in the words: behind an option, or else the first operand. `file` options name a file, which is not read. */
function scriptsOf(use: Use, script: RegExp, file: RegExp, valued: RegExp): readonly ShellWord[] {
  const { words, reader, name } = use;
  const scripts: ShellWord[] = [];
  let named = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const { text } = word;
    if (text === undefined && mayBeOption(word)) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(word.guess)}`);
      if (word.start === '') continue;
    }
    const begin = word.start;
    if (begin[0] !== '-' || begin === '-') {
      // What is an ending for backups to one sed is the script to another.
      return named || scripts.length > 0 ? scripts : words.slice(at, text === '' ? at + 2 : at + 1);
    }
    if (text === '--') return named || scripts.length > 0 ? scripts : words.slice(at + 1, at + 2);
    const found = script.exec(begin);
    if (found !== null)
      scripts.push(word.guess.length > found[0].length ? tail(word, found[0].length) : (words[++at] ?? word));
    else if (file.test(begin)) {
      named = true;
      reader.doubt(`a script of '${name}' is in a file`);
      if (!/^--\w+=|^-\w*f./.test(begin)) at++;
    } else if (valued.test(begin)) at++;
    else if (begin[1] === '-' && !harmless.test(begin)) {
      reader.doubt(`'${name}' has an option that is not known: ${clip(begin)}`);
    }
  }
  return scripts;
}

const harmless =
  /^--(?:quiet|silent|in-place|null-data|regexp-extended|separate|unbuffered|posix|sandbox|version|help|debug|zero-terminated|csv|line-length=\d+|field-separator=|assign=)/;

function awk(use: Use): void {
  const { reader, name } = use;
  for (const { text, guess } of scriptsOf(
    use,
    /^(?:-e|--source=?)/,
    /^(?:-[fEilW]|--(?:file|exec|include|load))/,
    /^-[vF]$/,
  )) {
    // Whoever prints to a pipe or a file does it behind the word; the rest is a call that says its name.
    if (text === undefined || /system|getline|@|\\[x0-7]/.test(text) || printsAway(text)) {
      reader.doubt(`this script of '${name}' can run commands: ${clip(guess)}`);
    }
  }
}

/** `print` in front of a pipe or a redirect. */
function printsAway(text: string): boolean {
  const print = text.search(/\bprintf?\b/);
  return print !== -1 && Math.max(text.lastIndexOf('|'), text.lastIndexOf('>')) > print;
}

function sed(use: Use): void {
  const { reader, name } = use;
  const scripts = scriptsOf(
    use,
    /^(?:-[nrEsuz]*e|--expression=?)/,
    /^(?:-[nrEsuz]*f|--file)/,
    /^(?:-l|--line-length)$/,
  );
  for (const { text: whole, guess } of scripts) {
    if (whole === undefined || !isCalmSed(whole))
      reader.doubt(`this script of '${name}' can run commands or write: ${clip(guess)}`);
  }
}
