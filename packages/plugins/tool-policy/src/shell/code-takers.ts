/** Programs that run words of theirs, or hand them to a shell, each in its own way: env, ssh, su, watch, script, flock, npx. */
import { clip } from './clip.js';
import { optionTable, readOptions, type Options, type OptionTable } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { joined, readsInput } from './shells.js';
import { known, type ShellWord } from './shell-word.js';
import { assignments, runRest } from './wrappers.js';

const rules: Readonly<Record<string, (use: Use) => void>> = {
  env,
  su,
  runuser: su,
  sg,
  watch,
  ssh,
  slogin: ssh,
  autossh: ssh,
  script,
  flock,
  entr: (use) => {
    const { at, values } = readOptions(use, optionTable('a c d n p r s x z'));
    if (values.has('s')) codeOf(use, joined(use.words.slice(at)));
    else runRest(use, use.words.slice(at), 'entr');
  },
  hyperfine,
  busybox: (use) => applet(use),
  toybox: (use) => applet(use),
  npx: packaged,
  bunx: packaged,
  pnpx: packaged,
};

export const codeTakers: Room = {
  names: [...Object.keys(rules), 'ld.so', 'ld-linux-x86-64.so.2', 'ld-musl-x86_64.so.1'],
  ruleOf: (name) => (Object.hasOwn(rules, name) ? rules[name] : loader.test(name) ? loads : undefined),
};

const codeOf = ({ reader, place, name }: Use, word: ShellWord, label = name): void =>
  reader.code(word, reader.inside(place, label));

const envOptions = optionTable(
  `i 0 v u: C: S: P: a: --ignore-environment --null --debug --unset= --chdir= --split-string= --argv0=
  --block-signal? --default-signal? --ignore-signal? --list-signal-handling`,
);

function env(use: Use): void {
  // `env - …` is `env -i …`.
  const words = use.words.map((word) => (word.text === '-' ? known('-i') : word));
  const options = readOptions({ ...use, words }, envOptions);
  const split = options.values.get('S') ?? options.values.get('--split-string');
  const rest = words.slice(options.at);
  use.reader.heed(use.command, words.slice(0, options.at));
  if (split !== undefined) return splitString(use, split, rest);
  const [names, at] = assignments({ ...use, words: rest }, 0);
  if (at < rest.length)
    runRest({ ...use, assigns: [...use.assigns, ...names] }, use.words.slice(options.at + at), 'env');
}

/** `-S` has quotes and escapes of its own: a text that has any is taken as a guess. */
function splitString(use: Use, text: ShellWord, rest: readonly ShellWord[]): void {
  if (text.text === undefined || /["'\\$#]/.test(text.text)) {
    use.reader.doubt(`'env -S' splits a text that is not plain: ${clip(text.guess)}`);
  }
  const split = text.guess
    .replaceAll(/["'\\]/g, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const inside = use.reader.inside(use.place);
  if (inside !== undefined) env({ ...use, place: inside, words: [...split.map(known), ...rest] });
}

const suOptions = optionTable(
  `c: C: f g: G: l m p P s: u: w: h V T --command= --session-command= --fast --group= --supp-group= --login
  --preserve-environment --pty --no-pty --shell= --user= --whitelist-environment=`,
);

/** Options stand before and behind the name: `su - bob -c code`. */
function su(given: Use): void {
  // Without a terminal the password is read from the input.
  const use = { ...given, place: { ...given.place, stdin: undefined } };
  const { reader, name, place, words } = use;
  reader.heed(use.command, words);
  let operands = 0;
  let options: Options | undefined;
  for (let from = 0; from < words.length; from = options.at + 1) {
    options = readOptions(use, suOptions, from);
    const code = options.values.get('c') ?? options.values.get('--command') ?? options.values.get('--session-command');
    if (code !== undefined) return codeOf(use, code, `${name} -c`);
    // `runuser -u bob -- command` runs words.
    if (name === 'runuser' && (options.values.has('u') || options.values.has('--user'))) {
      return runRest(use, words.slice(options.at), name);
    }
    const operand = words[options.at]?.text;
    if (operand !== '-' && options.at < words.length && ++operands > 1) {
      return reader.doubt(`the arguments of the shell of '${name}' are not read`);
    }
  }
  const inside = reader.inside(place, name);
  if (inside !== undefined) readsInput(use, inside);
}

/** `sg group -c code`, and without `-c`. */
function sg(use: Use): void {
  const [, ...code] = use.words.filter(({ text }) => text !== '-' && text !== '-l' && text !== '-c');
  const inside = use.reader.inside(use.place, use.name);
  if (code.length > 0) use.reader.code(joined(code), inside);
  else if (inside !== undefined) readsInput(use, inside);
}

const watchOptions = optionTable(
  `b c C d? e f g n: p q: r s: t w x --beep --color --no-color --differences? --errexit --follow --chgexit --interval=
  --precise --equexit= --no-rerun --no-title --no-wrap --exec`,
);

function watch(use: Use): void {
  const { at, values } = readOptions(use, watchOptions);
  const words = use.words.slice(at);
  use.reader.heed(use.command, use.words.slice(0, at));
  if (words.length === 0) return;
  if (values.has('x') || values.has('--exec')) runRest(use, words, 'watch');
  else codeOf(use, joined(words));
}

const sshOptions = optionTable(
  '4 6 A a C f G g K k M N n q s T t V v X x Y y B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: P: p: Q: R: S: W: w:',
);
const runsHere =
  /^\s*(?:proxycommand|localcommand|knownhostscommand|permitlocalcommand|pkcs11provider|match|include|remotecommand)\b/i;

function ssh(use: Use): void {
  const { reader, words, place, name } = use;
  // Each `-o` counts, not the last alone.
  const front: ShellWord[] = [];
  let at = 0;
  for (let host = false; at < words.length;) {
    const read = readOptions(use, sshOptions, at);
    front.push(...words.slice(at, read.at));
    if (read.values.has('F')) reader.doubt(`the file of options for '${name}' is not read`);
    at = read.at;
    if (host || at >= words.length) break;
    host = true;
    at++;
  }
  reader.heed(use.command, front);
  if (front.some(({ guess }) => runsHere.test(guess.replace(/^-\w*?o/, '')))) {
    reader.doubt(`an option of '${name}' runs a command here`);
  }
  if (words.length === 0) return;
  if (at < words.length) return codeOf(use, joined(words.slice(at)));
  if (front.some(({ text }) => text !== undefined && /^-\w*[NGVQO]/.test(text))) return;
  const inside = reader.inside(place, name);
  if (inside !== undefined) readsInput(use, inside);
}

const scriptOptions = optionTable(
  `a e f q B: c: E: I: m: o: O: T: k r d p F --append --command= --return --flush --force --echo= --log-in= --log-out=
  --log-io= --log-timing= --logging-format= --output-limit= --quiet --timing?`,
);

/** `script -c code file`, and where it comes from BSD `script file command`. */
function script(use: Use): void {
  const { at, values } = readOptions(use, scriptOptions);
  const later = readOptions(use, scriptOptions, at + 1);
  const code = [values, later.values]
    .flatMap((one) => [one.get('c'), one.get('--command')])
    .find((one) => one !== undefined);
  use.reader.heed(use.command, use.words.slice(0, later.at + 1));
  if (code !== undefined) return codeOf(use, code, 'script -c');
  if (later.at < use.words.length) return runRest(use, use.words.slice(later.at), 'script');
  const inside = use.reader.inside(use.place, 'script');
  if (inside !== undefined) readsInput(use, inside);
}

const flockOptions = optionTable(
  `e x s u n w: E: o F c: --exclusive --shared --unlock --nonblock --nb --timeout= --wait= --conflict-exit-code= --close
  --no-fork --verbose --command=`,
);

function flock(use: Use): void {
  const first = readOptions(use, flockOptions);
  const { at, values } = readOptions(use, flockOptions, first.at + 1);
  const code = [first.values, values]
    .flatMap((one) => [one.get('c'), one.get('--command')])
    .find((one) => one !== undefined);
  use.reader.heed(use.command, use.words.slice(0, at));
  if (code !== undefined) codeOf(use, code, 'flock -c');
  else if (at < use.words.length) runRest(use, use.words.slice(at), 'flock');
}

/** Each operand is code, and so are the values of what runs before and behind. */
function hyperfine(use: Use): void {
  for (const word of use.words) {
    if (word.text?.startsWith('-') !== true) codeOf(use, word);
    else use.reader.doubt(`'hyperfine' has an option that is not known: ${clip(word.guess)}`);
  }
}

/** `busybox rm -rf /` is `rm -rf /`. */
function applet(use: Use): void {
  const first = use.words[0]?.text;
  if (first === undefined ? use.words.length > 0 : !first.startsWith('-')) runRest(use, use.words, use.name);
  else if (first !== undefined && !/^--(?:list(?:-full|-modules)?|help)$/.test(first)) {
    use.reader.doubt(`'${use.name}' has an option that is not known: ${clip(first)}`);
  }
}

const packageOptions: OptionTable = optionTable(
  'y q p: c: w: --yes --no --quiet --package= --call= --no-install --workspace= --workspaces --ignore-existing --bun',
);

function packaged(use: Use): void {
  const { at, values } = readOptions(use, packageOptions);
  const code = values.get('c') ?? values.get('--call');
  use.reader.heed(use.command, use.words.slice(0, at + 1));
  if (code !== undefined) codeOf(use, code, `${use.name} -c`);
  if (at < use.words.length) runRest(use, versionless(use.words.slice(at)), use.name);
}

/** `npx rimraf@5` runs rimraf. */
function versionless([first, ...more]: readonly ShellWord[]): readonly ShellWord[] {
  const text = first?.text ?? '';
  const at = text.lastIndexOf('@');
  return at < 1 || text.includes('/', at) ? [first!, ...more] : [known(text.slice(0, at)), ...more];
}

const loader = /^ld(?:-linux[\w-]*|-musl-[\w-]+)?\.so(?:\.\d+)*$/;
const loaderOptions = optionTable(
  '--library-path= --inhibit-cache --argv0= --preload= --audit= --list --verify --glibc-hwcaps-mask= --inhibit-rpath=',
);

/** The loader of the system runs any program that it is given. */
function loads(use: Use): void {
  const { at, values } = readOptions(use, loaderOptions);
  use.reader.heed(use.command, use.words.slice(0, at));
  if (values.has('--preload') || values.has('--audit')) use.reader.doubt(`'${use.name}' loads other code`);
  if (!values.has('--list') && !values.has('--verify')) runRest(use, use.words.slice(at), use.name);
}
