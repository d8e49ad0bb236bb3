/** Programs that run the words behind their options and operands. */
import { clip } from './clip.js';
import { optionTable, readOptions, tail, type Options, type OptionTable } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { readsInput } from './shells.js';
import type { ShellWord } from './shell-word.js';

interface Wrapper {
  readonly options: OptionTable;
  /** Words between the options and the command. */
  readonly operands: number;
  /** `A=b` in front of the command is an assignment. */
  readonly assigns: boolean;
  /** With one of these options no command is run. */
  readonly idle: readonly string[];
  /** Without a command a shell is run. */
  readonly shell: boolean;
}

const wrapper = (options: string, other: Partial<Wrapper> = {}): Wrapper => ({
  options: optionTable(options),
  operands: 0,
  assigns: false,
  idle: [],
  shell: false,
  ...other,
});
const namespaces = `r f w: R: S: G: --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --time? --fork
  --map-root-user --map-current-user --mount-proc? --kill-child? --root= --wd= --setuid= --setgid=`;
const odd = wrapper('--help --version');

const table: Readonly<Record<string, Wrapper>> = {
  sudo: wrapper(
    `A b B E e H i K k l n N P S s V v a: C: c: D: g: h: p: R: r: T: t: U: u: --askpass --background --bell
    --preserve-env? --edit --set-home --login --remove-timestamp --reset-timestamp --list --non-interactive
    --preserve-groups --stdin --shell --validate --close-from= --chdir= --group= --host= --prompt= --chroot= --role=
    --command-timeout= --type= --other-user= --user=`,
    { assigns: true, shell: true, idle: ['e', '--edit', 'v', 'K', 'l', '--list', 'V'] },
  ),
  doas: wrapper('L n s a: C: u:', { shell: true, idle: ['L', 'C'] }),
  nohup: wrapper('--help'),
  nice: wrapper('n: --adjustment= 0 1 2 3 4 5 6 7 8 9'),
  ionice: wrapper('c: n: t p: P: u: --class= --classdata= --ignore --pid=', { idle: ['p', 'P', 'u', '--pid'] }),
  timeout: wrapper('k: s: v f p --kill-after= --signal= --foreground --preserve-status --verbose', { operands: 1 }),
  stdbuf: wrapper('i: o: e: --input= --output= --error='),
  setsid: wrapper('c f w --ctty --fork --wait'),
  time: wrapper('a p v q o: f: l h --append --output= --format= --portability --verbose --quiet'),
  command: wrapper('p v V', { idle: ['v', 'V'] }),
  builtin: wrapper('-'),
  exec: wrapper('c l a:'),
  noglob: wrapper('-'),
  nocorrect: wrapper('-'),
  repeat: wrapper('-', { operands: 1 }),
  chroot: wrapper('--groups= --userspec= --skip-chdir', { operands: 1, shell: true }),
  unshare: wrapper(`${namespaces} m u i n p U C T c l:`, { shell: true }),
  nsenter: wrapper(`${namespaces} m? u? i? n? p? U? C? T? a t: F Z e W: --all --target= --no-fork --env --wdns=`, {
    shell: true,
  }),
  strace: wrapper(
    `c C d f F h i k n q r t T v V w x X y Y z Z a: b: e: E: I: o: O: p: P: s: S: u: U: --follow-forks --output=
    --trace= --string-limit= --summary-only --summary --attach=`,
    { idle: ['V', 'h'] },
  ),
  ltrace: wrapper('c C f h i L n: r S t T V a: A: D: e: F: l: o: p: s: u: w: x: X:', { idle: ['V', 'h'] }),
  setarch: wrapper('R v B F I L S T X Z 3 --addr-no-randomize --verbose', { shell: true }),
  taskset: wrapper('a c p --all-tasks --cpu-list --pid', { operands: 1, idle: ['p', '--pid'] }),
  chrt: wrapper('a b d f i o r m p v R T: P: D:', { operands: 1, idle: ['p', 'm'] }),
  faketime: wrapper('f m p: --exclude-monotonic', { operands: 1 }),
  'cross-env': wrapper('-', { assigns: true }),
  gosu: wrapper('--', { operands: 1 }),
  'su-exec': wrapper('--', { operands: 1 }),
  setuidgid: wrapper('s g: --', { operands: 1 }),
  envuidgid: wrapper('i D', { operands: 1 }),
  envdir: wrapper('i', { operands: 1 }),
  setlock: wrapper('n N x X', { operands: 1 }),
  logsave: wrapper('a s v', { operands: 1 }),
  gdbserver: wrapper('--once --debug --disable-randomization --no-disable-randomization --wrapper=', { operands: 1 }),
  envchain: wrapper('--', { operands: 1 }),
  lima: wrapper('--shell= --workdir= --instance=', { shell: true }),
  caffeinate: wrapper('d i m s u t: w:'),
  arch: wrapper('e: d: c'),
  unbuffer: wrapper('p'),
  choom: wrapper('n: p: --adjust= --pid=', { idle: ['p', '--pid'] }),
  sshpass: wrapper('p: f: d: P: e? v h V', { idle: ['h', 'V'] }),
  shx: wrapper('s --silent'),
  fakeroot: wrapper('l: s: i: u b: --lib= --faked= --unknown-is-real --fd-base='),
};
/** Wrappers that are rare enough to have each of their options doubted. */
const rare = new Set(
  `bwrap catchsegv cgexec chpst chronic cpulimit daemonize dbus-launch dbus-run-session dumb-init eatmydata env-cmd
  fakechroot firejail flatpak-spawn heaptrack i386 ifne linux32 linux64 numactl pkexec prlimit proot proxychains proxychains4
  rlwrap run0 runcon schroot setpriv softlimit ssh-agent start-stop-daemon
  systemd-inhibit systemd-nspawn systemd-run tini torify torsocks tsocks tsp valgrind watchexec with-contenv x86_64 xvfb-run`.split(
    /\s+/,
  ),
);

/** What they run stands behind `--`, behind words and options of theirs. */
const dashed = new Set('aws-vault chamber doppler dotenv dotenv-cli rr'.split(' '));

export const wrappers: Room = {
  names: [...Object.keys(table), ...rare, ...dashed],
  ruleOf: (name) => (dashed.has(name) ? runDashed : runsWords(name)),
};

/** Without `--` it is not told what is a word of theirs and what is the command. */
function runDashed(use: Use): void {
  const { reader, words, name, command } = use;
  const end = words.findIndex(({ text }) => text === '--');
  reader.heed(command, end === -1 ? words : words.slice(0, end));
  if (end !== -1) return runRest(use, words.slice(end + 1), name);
  if (
    /^dotenv|^rr/.test(name)
      ? words.length > 0
      : words.some(({ text }) => text === undefined || /^(?:run|exec)$/.test(text))
  )
    reader.doubt(`what '${clip(name)}' runs does not stand behind '--'`);
}

function runsWords(name: string): ((use: Use) => void) | undefined {
  const found = Object.hasOwn(table, name) ? table[name]! : rare.has(name) ? odd : undefined;
  return found === undefined ? undefined : (use) => unwrap(use, found);
}

function unwrap(use: Use, { options, operands, assigns, idle, shell }: Wrapper): void {
  const { reader, place, name, words, command } = use;
  // `setarch x86_64 -R` and `setarch -R`: its operand may be left out.
  const first = name === 'setarch' && words[0]?.start[0] !== '-' ? 1 : 0;
  const read = readOptions(use, options, first);
  if (idle.some((option) => read.values.has(option))) return;
  const at = read.at + operands;
  const [names, from] = assigns ? assignments(use, at) : [[], at];
  // A count of operands that is not the program's own hides no command; and of those that are rare nobody counted them.
  reader.heed(command, rare.has(name) ? words : words.slice(0, from + 1));
  if (name === 'strace') pipesTo(use, read.values.get('o') ?? read.values.get('--output'));
  const inside = reader.inside(place, name, eats(name, read) ? { stdin: undefined } : undefined);
  if (inside === undefined) return;
  if (from < words.length) {
    reader.run(words.slice(from), { assigns: [...use.assigns, ...names], redirects: [] }, inside);
  } else if (shell) readsInput({ ...use, place: inside }, inside);
}

/** `strace -o '|command'` runs one. */
function pipesTo({ reader, place }: Use, output: ShellWord | undefined): void {
  if (output === undefined || (output.text !== undefined && !/^[|!]/.test(output.text))) return;
  reader.code(output.text === undefined ? output : tail(output, 1), reader.inside(place, 'strace -o'));
}

/** Wrappers that take some of the input themselves, or run their command more than once on it. */
const eats = (name: string, { values }: Options): boolean =>
  rare.has(name) || name === 'repeat' || values.has('S') || values.has('--stdin');

/** The names of `A=b` words, each noted, and where they end. */
export function assignments({ reader, place, words }: Use, from: number): [names: string[], at: number] {
  const names: string[] = [];
  let at = from;
  for (; at < words.length; at++) {
    const found = /^([^=-][^=]*)=/.exec(words[at]!.start);
    if (found === null) break;
    names.push(found[1]!);
    reader.names.assigned(found[1]!, tail(words[at]!, found[0].length), place);
  }
  return [names, at];
}

/** Runs what stands behind, as a command behind a label. */
export function runRest({ reader, place, assigns }: Use, words: readonly ShellWord[], label: string): void {
  const inside = reader.inside(place, label);
  if (inside !== undefined) reader.run(words, { assigns, redirects: [] }, inside);
}
