/** Programs that run commands by an option of their own: `tar --to-command`, `sort --compress-program`. */
import { clip } from './clip.js';
import { isShortFor, tail } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { mayBeOption, type ShellWord } from './shell-word.js';

/** Options whose value is code for a shell, and those that run what is not read. */
export interface Risk {
  readonly code?: RegExp;
  readonly other?: RegExp;
  /** Long options of the second kind that the program takes by any beginning of theirs. */
  readonly longs?: readonly string[];
}

const pip: Risk = {
  other: /^--(?:global|install|build|config|editor|python)(?:-|=|$)/,
  longs: ['global-option', 'install-option', 'build-option', 'config-settings', 'editor', 'python'],
};
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
  curl: { other: /^-[A-Za-z]*K|^--config/, longs: ['config'] },
  wget: { code: /^--use-a[\w-]*/, other: /^-[A-Za-z]*e|^--(?:exe|con)/, longs: ['execute', 'config'] },
  rg: { code: /^--pre(?:=|$)|^--hostname-bin/ },
  tcpdump: { other: /^-[A-Za-z]*z/ },
  iptables: { other: /^-M/, longs: ['modprobe'] },
  'ssh-keygen': { other: /^-[A-Za-z]*D/ },
  pip,
  pip3: pip,
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
  'chokidar-cli': { code: /^(?:-c|--command)/ },
  rails: { other: /^(?:runner|r|console|c|dbconsole|db)$/ },
};

const compilers = /^(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp)(?:-[\d.]+)?$/;
const compiler: Risk = { other: /^-(?:wrapper|B|fplugin|fpass-plugin|fuse-ld|specs|Xclang|load)|^--ld-path|^@/ };
const typesetter: Risk = { other: /^--?(?:enable-)?(?:shell-e|write18)|\\/ };

/** Of these each word was accounted for; what the others do with theirs is not told by their options alone. */
const accounted = new Set(
  `tar bsdtar rsync scp sort split zip man less more curl wget rg tcpdump iptables ssh-keygen pip pip3 apt apt-get aptitude
  dpkg install rpm gpg ag`.split(/\s+/),
);

export const scripted: Room = {
  names: [...Object.keys(risks), 'gcc', 'g++-12', 'clang', 'x86_64-linux-gnu-gcc-12', 'pdflatex', 'xelatex'],
  ruleOf: (name) => {
    if (compilers.test(name)) return (use) => checkRisks(use, compiler);
    if (/^(?:pdf|xe|lua|)(?:la)?tex$/.test(name)) return (use) => checkRisks(use, typesetter);
    if (!Object.hasOwn(risks, name)) return undefined;
    return (use) => {
      if (!accounted.has(name)) use.reader.heed(use.command, use.words);
      checkRisks(use, risks[name]!);
    };
  },
};

export function checkRisks(use: Use, { code, other, longs = [] }: Risk): void {
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
