/** Package managers and their like: they run commands with the tools of a project, behind a sub-command or by an option. */
import { clip } from './clip.js';
import { tail } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { mayBeOption, type ShellWord } from './shell-word.js';
import { runSub, sub, type Sub } from './sub-commands.js';
import { subsOf } from './subs-of.js';
import { runRest } from './wrappers.js';

interface Tool {
  /** Sub-commands that run what stands behind them. */
  readonly runs: Readonly<Record<string, Sub>>;
  /** Words with a sub-command behind them, and how many operands stand between. */
  readonly via?: Readonly<Record<string, number>>;
  /** Options that surely take the word behind them. */
  readonly valued?: RegExp;
  /** Options that run commands that are not read, or name a configuration that does. */
  readonly risky?: RegExp;
  /** Options whose value is code for a shell. */
  readonly code?: RegExp;
  /** It has settings that it keeps. */
  readonly keeps?: true;
  /** `yarn node …` is `node …`. */
  readonly node?: true;
  /** What is none of its sub-commands is a command of the project. */
  readonly falls?: true;
}

const run = sub();
const packages = sub(
  'y r p: c: F: C: w: --yes --package= --filter= --dir= --workspace= --parallel --recursive --shell-mode= --',
);
const conda: Tool = { runs: { run: sub('n: p: --name= --prefix= --no-capture-output --live-stream') } };
/** `mise exec node@20 -- rm x`. */
const toolsFirst = sub('--', { dashed: true });
const behindRun: Tool = { runs: { run } };
const inInstance: Tool = { runs: { exec: sub('--', { operands: 1 }) } };
const risky = /^--?(?:scr|nod|she|edi|vie|git(?:=|$)|bro|userc|globalc|pyt|init[-.]?m|config\.|use-yarnrc)/;

/** `uv run x`, `bundle exec x`, `npm --prefix y exec x`. */
const tools: Readonly<Record<string, Tool>> = {
  npm: {
    // It takes each beginning of a sub-command that is not one of two.
    runs: Object.fromEntries([
      ...['x', 'ex', 'exe', 'exec'].map((name) => [name, packages]),
      ...['exp', 'expl', 'explo', 'explor', 'explore'].map((name) => [name, sub('--', { operands: 1, code: true })]),
    ]),
    valued: /^(?:-C|-w|--prefix|--workspace)$/,
    risky,
    code: /^(?:-[A-Za-z]*c|--?call?)(?:=|$)/,
    keeps: true,
  },
  pnpm: {
    runs: { exec: packages, dlx: packages },
    via: { recursive: 0, multi: 0, m: 0 },
    node: true,
    falls: true,
    valued: /^(?:-C|-F|--dir|--filter|--prefix)$/,
    risky,
    keeps: true,
  },
  yarn: {
    runs: { exec: packages, dlx: packages },
    via: { workspace: 1, workspaces: 0, foreach: 0 },
    node: true,
    falls: true,
    valued: /^--cwd$/,
    risky,
    keeps: true,
  },
  uv: { runs: { run }, via: { tool: 0 } },
  poetry: behindRun,
  pipenv: behindRun,
  pdm: behindRun,
  rye: behindRun,
  hatch: { runs: { run }, via: { env: 0 } },
  pipx: behindRun,
  bundle: { runs: { exec: run } },
  conda,
  mise: { runs: { exec: toolsFirst, x: toolsFirst }, code: /^(?:-[a-z]*c|--command)(?:=|$)/ },
  asdf: { runs: { exec: sub('-') } },
  direnv: { runs: { exec: sub('-', { operands: 1 }) } },
  perf: {
    runs: { stat: run, record: run, trace: run },
    via: { mem: 0, c2c: 0, lock: 0, sched: 0, kmem: 0, kvm: 0, ftrace: 0 },
  },
  rbenv: { runs: { exec: run } },
  pyenv: { runs: { exec: run } },
  volta: behindRun,
  fnm: { runs: { exec: run } },
  mamba: conda,
  micromamba: conda,
  pixi: behindRun,
  devbox: behindRun,
  dotenvx: behindRun,
  op: behindRun,
  infisical: behindRun,
  zellij: { runs: { run, r: run } },
  lxc: inInstance,
  incus: inInstance,
  adb: {
    runs: {
      shell: sub('--', { code: true }),
      'exec-out': sub('--', { code: true }),
      'exec-in': sub('--', { code: true }),
    },
  },
  limactl: { runs: { shell: sub('--shell= --workdir=', { operands: 1 }) } },
  distrobox: { runs: { enter: sub('--', { operands: 1 }) } },
  toolbox: behindRun,
  ip: { runs: { exec: sub('--', { operands: 1 }) }, via: { netns: 0, vrf: 0 } },
  rustup: { runs: { run: sub('--install', { operands: 1 }) } },
};

export const projectTools: Room = {
  names: Object.keys(tools),
  ruleOf: (name) => (Object.hasOwn(tools, name) ? inProject : undefined),
};

/** Sub-commands that run none of their words, whichever of these programs has them. What a script of a project does is its own. */
const own = new Set(
  `a access activate add adduser audit bin bugs build c cache check ci cit clean completion conf confi config dedupe delete
  deprecate deploy dist-tag docs doctor fetch find-dupes freeze fund g get global help hook i import in info init-db
  install install-test isntall la licenses link lint list listing ll ln local lock login logout ls new org outdated owner
  pack patch patch-commit ping pkg plugin plugins policies prefix profile prune publish python query r rb rebuild remove repo
  restart rm root run run-script s sbom se search self set set-version setup shims show shrinkwrap star stars start state
  status stop store sync t tag team test tree tst un uninstall unlink unplug unpublish unset up update upgrade
  upgrade-interactive use v venv verify version versions view where whence which whoami why`.split(/\s+/),
);

function inProject(use: Use): void {
  const tool = tools[use.name]!;
  checkOptions(use, tool);
  const subs = runFrom(use, tool, 0);
  const { reader, words, command, name } = use;
  // To npm a sub-command that is not its own is a mistake; to the others it may be a command of the project.
  for (const at of name === 'npm' ? subs.slice(-1) : subs) {
    const text = words[at]!.text ?? '';
    const isOwn = Object.hasOwn(tool.runs, text) || (own.has(text) && !(tool.falls === true && text === 'run'));
    if (!isOwn) reader.heed(command, words.slice(name === 'npm' ? at + 1 : at));
  }
}

/** Each word that may be the sub-command is taken for it. Gives their places. */
function runFrom(use: Use, tool: Tool, from: number): readonly number[] {
  if (!use.reader.goesOn(use.words.length - from)) return [];
  const subs = subsOf(use.words.slice(from), tool.valued).map((found) => from + found);
  const behind: number[] = [];
  for (const at of subs) {
    const { text, guess } = use.words[at]!;
    const node = at + (text === 'run' ? 1 : 0);
    if (text === undefined) use.reader.doubt(`'${use.name}' has a word that is not written out: ${clip(guess)}`);
    else if (tool.node === true && use.words[node]?.text === 'node')
      runRest(use, use.words.slice(node), `${use.name} node`);
    else if (Object.hasOwn(tool.runs, text)) {
      if (!use.reader.goesOn(use.words.length - at)) break;
      checkShell(use, text, at);
      const from = runSub(use, tool.runs[text]!, at, `${use.name} ${text}`);
      // A count of words in front that is not the program's own hides no command.
      use.reader.heed(use.command, use.words.slice(at + 1, from + 1));
    } else if (tool.via !== undefined && Object.hasOwn(tool.via, text))
      behind.push(...runFrom(use, tool, at + 1 + tool.via[text]!));
    else if (tool.keeps === true) checkSettings(use, text, use.words.slice(at + 1));
    if (use.name === 'npm' && npmRuns.test(text ?? '')) heedEnv(use, at);
  }
  return behind.length > 0 ? behind : subs;
}

/** The names under which npm runs a script of the project. */
const npmRuns = /^(?:run(?:-script)?|rum|urn)$/;

/** A script `env` that the project does not have is npm's own: it runs the words behind it. */
function heedEnv({ reader, command, words }: Use, at: number): void {
  const env = words.findIndex(({ text }, place) => place > at && text === 'env');
  if (env !== -1) reader.heed(command, words.slice(env + 1));
}

/** What stands behind `--` is for the script or the command. */
function checkOptions(use: Use, { risky: runsMore, code }: Tool): void {
  if (runsMore === undefined && code === undefined) return;
  const { reader, words, name, place } = use;
  const end = words.findIndex(({ text }) => text === '--');
  for (const [at, word] of words.slice(0, end === -1 ? words.length : end).entries()) {
    const { text, start, guess } = word;
    if (runsMore !== undefined && text === undefined && start[0] === '-' && !/^--[\w-]+=/.test(start)) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(guess)}`);
    }
    if (runsMore?.test(start) === true) reader.doubt(`an option of '${name}' can run commands: ${clip(guess)}`);
    const option = code?.exec(start)?.[0];
    const value = option?.endsWith('=') === true ? tail(word, option.length) : words[at + 1];
    if (option !== undefined && value !== undefined) reader.code(value, reader.inside(place, `${name} -c`));
  }
}

/** A newer yarn hands the name of the command to a shell. */
function checkShell({ reader, name, place, words }: Use, text: string, at: number): void {
  const command = words.slice(at + 1).find((word) => !mayBeOption(word));
  if (name !== 'yarn' || text !== 'exec' || command?.text === undefined || /^[\w./@+-]*$/.test(command.text)) return;
  reader.code(command, reader.inside(place, 'yarn exec'));
}

/** Settings that run nothing. Of the others nobody here says so. */
const calm =
  /^(?:@[\w-]+:registry|\/\/[^=]*:_?(?:authtoken|auth|username|password|email|always-auth)|(?:npm)?registry(?:server)?|loglevel|fund|audit|progress|color|update-notifier|offline|prefer-offline|engine-strict|save-exact|save-prefix|package-lock|strict-ssl|(?:https?-)?proxy|noproxy|maxsockets|fetch-[\w-]+|init[-.](?:author[-.]\w+|license|version)|access|tag|legacy-peer-deps|nodelinker|enabletelemetry)$/i;

/** A setting that is written stays for later calls. */
function checkSettings({ reader, name }: Use, text: string, words: readonly ShellWord[]): void {
  const alone = text === 'set';
  if (text === 'pkg') {
    const script = words.find(({ start }) => start.startsWith('scripts'));
    if (script !== undefined && words.some(({ text: one }) => one === 'set'))
      reader.doubt(`a setting of '${name}' can run commands: ${clip(script.guess)}`);
  }
  if (!alone && !(text === 'c' || /^conf?i?g?$/.test(text))) return;
  // A word behind an option may be its value, or what is to be done.
  const isOperand = ({ start }: ShellWord): boolean => start[0] !== '-';
  const at = alone ? -1 : words.findIndex(({ text: one }) => one === undefined || /^(?:set|s|edit|fix)$/.test(one));
  if (at === -1 && !alone) return;
  const does = alone ? 'set' : words[at]!.text;
  const behind = words.slice(at + 1);
  const keys = behind.filter(isOperand);
  // The first of which no option in front may have taken is surely the key.
  const sure = behind.findIndex(
    (word, place) =>
      isOperand(word) && (place === 0 || isOperand(behind[place - 1]!) || behind[place - 1]!.start.includes('=')),
  );
  const written = keys.some(({ start }) => start.includes('='))
    ? keys
    : behind.slice(0, sure + 1 || undefined).filter(isOperand);
  const odd = written.find((key) => !calm.test((key.text ?? '').split('=')[0]!));
  if (odd !== undefined || does === 'edit' || does === undefined)
    reader.doubt(`a setting of '${name}' can run commands: ${clip(odd?.guess ?? text)}`);
}
