/** Programs with sub-commands that run words: in a container, or with the tools of a project. */
import { clip } from './clip.js';
import { optionTable, readOptions, type OptionTable } from './options.js';
import type { Use } from './run-words.js';
import { runRest } from './wrappers.js';

interface Sub {
  readonly options: OptionTable;
  /** Words between the options and the command: the container, the image. */
  readonly operands: number;
}

const docker = optionTable('D H: c: l: v --config= --context= --debug --host= --log-level= --tls --version');
const exec: Sub = {
  options: optionTable(
    `d i t u: w: e: T --detach --interactive --tty --user= --workdir= --env= --env-file= --privileged --detach-keys=
    --no-TTY --index= --no-tty`,
  ),
  operands: 1,
};
const run: Sub = {
  options: optionTable(
    `a: c: d e: h: i l: m: p: P q t u: v: w: --add-host= --attach= --cap-add= --cap-drop= --cpus= --detach --dns= --env=
    --env-file= --gpus= --group-add= --hostname= --init --interactive --ipc= --label= --link= --log-driver= --memory=
    --mount= --name= --net= --network= --no-deps --pid= --platform= --privileged --publish= --publish-all --pull= --quiet
    --read-only --restart= --rm --runtime= --security-opt= --service-ports --shm-size= --sysctl= --tmpfs= --tty --ulimit=
    --user= --userns= --volume= --volumes-from= --workdir= --build`,
  ),
  operands: 1,
};
const entry = (words: Use['words']): boolean => words.some(({ start }) => start.startsWith('--entry'));
const project: Sub = { options: optionTable('--'), operands: 0 };
const packages: Sub = {
  options: optionTable('y r p: c: --yes --package= --filter= --parallel --recursive --'),
  operands: 0,
};

const engines = new Set(['docker', 'podman', 'nerdctl', 'lima', 'docker-compose', 'podman-compose']);
/** `uv run x`, `bundle exec x`: program, then the sub-commands that run words. */
const projects: Readonly<Record<string, Readonly<Record<string, Sub>>>> = {
  uv: { run: project },
  poetry: { run: project },
  pipenv: { run: project },
  pdm: { run: project },
  rye: { run: project },
  hatch: { run: project },
  pipx: { run: project },
  bundle: { exec: project },
  conda: { run: { options: optionTable('n: p: --name= --prefix= --no-capture-output --live-stream'), operands: 0 } },
  mise: { exec: project, x: project },
  asdf: { exec: { options: optionTable('-'), operands: 0 } },
  direnv: { exec: { options: optionTable('-'), operands: 1 } },
  npm: { exec: packages, x: packages },
  pnpm: { exec: packages, dlx: packages },
  yarn: { exec: packages, dlx: packages },
  perf: { stat: project, record: project, trace: project },
  rustup: { run: { options: optionTable('--install'), operands: 1 } },
};

export function runsContainer(name: string): ((use: Use) => void) | undefined {
  if (engines.has(name)) return engine;
  if (name === 'kubectl' || name === 'oc') return kubectl;
  return Object.hasOwn(projects, name) ? inProject : undefined;
}

function engine(use: Use): void {
  const { words, name } = use;
  let { at } = readOptions(use, docker);
  if (words[at]?.text === 'compose')
    at = readOptions(use, optionTable('f: p: --file= --project-name= --profile='), at + 1).at;
  else if (words[at]?.text === 'container') at++;
  const sub = words[at]?.text;
  if (sub === 'unshare') runSub(use, project, at, `${name} ${sub}`);
  if (sub === 'exec' || sub === 'run' || sub === 'create')
    runSub(use, sub === 'exec' ? exec : run, at, `${name} ${sub}`);
}

function inProject(use: Use): void {
  const subs = projects[use.name]!;
  const at = use.words.findIndex(({ text }) => text === undefined || Object.hasOwn(subs, text));
  const sub = use.words[at]?.text;
  if (sub === undefined) {
    if (at !== -1 && at === 0)
      use.reader.doubt(`'${use.name}' has a word that is not written out: ${clip(use.words[at]!.guess)}`);
    return;
  }
  // What stands in front is options of the program alone, or it is an argument of another sub-command.
  if (use.words.slice(0, at).every(({ text }) => text!.startsWith('-')))
    runSub(use, subs[sub]!, at, `${use.name} ${sub}`);
}

function runSub(use: Use, { options, operands }: Sub, at: number, label: string): void {
  const read = readOptions(use, options, at + 1);
  const code = read.values.get('c');
  if (/^\w*npm |^yarn /.test(label) && code !== undefined) use.reader.code(code, use.reader.inside(use.place, label));
  if (entry(use.words.slice(at, read.at))) use.reader.doubt(`'${label}' has another program to start with`);
  // Options may stand behind the container; `--` ends them.
  const rest = use.words.slice(read.at + operands);
  runRest(use, rest[0]?.text === '--' ? rest.slice(1) : rest, label);
}

/** Its command stands behind `--`; without that it is not told apart from what is in front. */
function kubectl(use: Use): void {
  const { words, reader, name } = use;
  const sub = words.findIndex(({ text }) => text === 'exec' || text === 'run' || text === 'debug');
  if (sub === -1) {
    const hidden = words.find(({ text }) => text === undefined);
    if (hidden !== undefined && words[0] === hidden) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(hidden.guess)}`);
    }
    return;
  }
  const end = words.findIndex(({ text }) => text === '--');
  if (end !== -1) return runRest(use, words.slice(end + 1), `${name} ${words[sub]!.guess}`);
  reader.doubt(`what '${name} ${words[sub]!.guess}' runs does not stand behind '--'`);
}
