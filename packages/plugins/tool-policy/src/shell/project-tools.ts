/** Package managers and their like: they run commands with the tools of a project, behind a sub-command or by an option. */
import { clip } from './clip.js';
import { tail } from './options.js';
import type { Use } from './run-words.js';
import { mayBeOption, type ShellWord } from './shell-word.js';
import { runSub, sub, type Sub } from './sub-commands.js';
import { subsOf } from './subs-of.js';

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
}

const run = sub();
const packages = sub(
  'y r p: c: F: C: w: --yes --package= --filter= --dir= --workspace= --parallel --recursive --shell-mode= --',
);
const conda: Tool = { runs: { run: sub('n: p: --name= --prefix= --no-capture-output --live-stream') } };
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
    valued: /^(?:-C|-F|--dir|--filter|--prefix)$/,
    risky,
    keeps: true,
  },
  yarn: {
    runs: { exec: packages, dlx: packages },
    via: { workspace: 1, workspaces: 0, foreach: 0 },
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
  mise: { runs: { exec: run, x: run } },
  asdf: { runs: { exec: sub('-') } },
  direnv: { runs: { exec: sub('-', { operands: 1 }) } },
  perf: { runs: { stat: run, record: run, trace: run } },
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
  adb: { runs: { shell: sub('--', { code: true }) } },
  distrobox: { runs: { enter: sub('--', { operands: 1 }) } },
  toolbox: behindRun,
  ip: { runs: { exec: sub('--', { operands: 1 }) }, via: { netns: 0, vrf: 0 } },
  rustup: { runs: { run: sub('--install', { operands: 1 }) } },
};

export function runsProject(name: string): ((use: Use) => void) | undefined {
  return Object.hasOwn(tools, name) ? inProject : undefined;
}

function inProject(use: Use): void {
  const tool = tools[use.name]!;
  checkOptions(use, tool);
  runFrom(use, tool, 0);
}

/** Each word that may be the sub-command is taken for it. */
function runFrom(use: Use, tool: Tool, from: number): void {
  for (const found of subsOf(use.words.slice(from), tool.valued)) {
    const at = from + found;
    const { text, guess } = use.words[at]!;
    if (text === undefined) use.reader.doubt(`'${use.name}' has a word that is not written out: ${clip(guess)}`);
    else if (Object.hasOwn(tool.runs, text)) {
      checkShell(use, text, at);
      runSub(use, tool.runs[text]!, at, `${use.name} ${text}`);
    } else if (tool.via !== undefined && Object.hasOwn(tool.via, text)) runFrom(use, tool, at + 1 + tool.via[text]!);
    else if (tool.keeps === true) checkSettings(use, text, use.words.slice(at + 1));
  }
}

/** What stands behind `--` is for the script or the command. */
function checkOptions(use: Use, { risky: runsMore, code }: Tool): void {
  if (runsMore === undefined) return;
  const { reader, words, name, place } = use;
  const end = words.findIndex(({ text }) => text === '--');
  for (const [at, word] of words.slice(0, end === -1 ? words.length : end).entries()) {
    const { text, start, guess } = word;
    if (text === undefined && start[0] === '-' && !/^--[\w-]+=/.test(start)) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(guess)}`);
    }
    if (runsMore.test(start)) reader.doubt(`an option of '${name}' can run commands: ${clip(guess)}`);
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
  /^(?:@[\w-]+:registry|\/\/[^=]*|(?:npm)?registry(?:server)?|loglevel|fund|audit|progress|color|update-notifier|offline|prefer-offline|engine-strict|save-exact|save-prefix|package-lock|strict-ssl|(?:https?-)?proxy|noproxy|maxsockets|fetch-[\w-]+|init[-.](?:author[-.]\w+|license|version)|access|tag|legacy-peer-deps|nodelinker|enabletelemetry)$/i;

/** A setting that is written stays for later calls. */
function checkSettings({ reader, name }: Use, text: string, words: readonly ShellWord[]): void {
  const alone = text === 'set';
  if (!alone && !(text === 'c' || /^conf?i?g?$/.test(text))) return;
  const operands = words.filter(({ start }) => start[0] !== '-');
  const does = alone ? 'set' : operands[0]?.text;
  if (does !== undefined && /^(?:get|g|list|ls|delete|del|rm|unset)$/.test(does)) return;
  if (does === undefined ? operands.length === 0 : !/^(?:set|s|edit|fix)$/.test(does)) return;
  const keys = alone ? operands : operands.slice(1);
  const written = keys[0]?.start.includes('=') === true ? keys : keys.slice(0, 1);
  const odd = written.find((key) => !calm.test((key.text ?? '').split('=')[0]!));
  if (odd !== undefined || does === 'edit' || does === undefined)
    reader.doubt(`a setting of '${name}' can run commands: ${clip(odd?.guess ?? text)}`);
}
