/** Programs with sub-commands that run words in a container. */
import { clip } from './clip.js';
import { optionTable, readOptions } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { runSub, sub, type Sub } from './sub-commands.js';
import { runRest } from './wrappers.js';

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
const engines = new Set(['docker', 'podman', 'nerdctl', 'docker-compose', 'podman-compose']);

export const containers: Room = {
  names: [...engines, 'kubectl', 'oc'],
  ruleOf: (name) => (engines.has(name) ? engine : name === 'kubectl' || name === 'oc' ? kubectl : undefined),
};

/** Sub-commands that run none of their words. */
const ownOfEngine = new Set(
  `attach auto-update build builder buildx checkpoint commit config context cp create diff down events exec export history image
  images import info init inspect kill load login logout logs ls manifest mount network node pause pod port ps pull push
  rename restart rm rmi run save scale search secret start stats stop swarm system tag top trust umount unpause untag up
  update version volume wait watch`.split(/\s+/),
);
const ownOfKubectl = new Set(
  `annotate api-resources api-versions apply auth autoscale certificate cluster-info completion config cordon cp create
  delete describe diff drain events explain expose get kustomize label logs options patch port-forward proxy replace
  rollout scale set taint top uncordon version wait`.split(/\s+/),
);

function engine(use: Use): void {
  const { words, name } = use;
  let { at } = readOptions(use, docker);
  if (words[at]?.text === 'compose')
    at = readOptions(use, optionTable('f: p: --file= --project-name= --profile='), at + 1).at;
  else if (words[at]?.text === 'container') at++;
  const text = words[at]?.text;
  if (text === 'unshare') runSub(use, sub(), at, `${name} ${text}`);
  else if (text === undefined || !ownOfEngine.has(text)) use.reader.heed(use.command, words.slice(at + 1));
  if (text === 'exec' || text === 'run' || text === 'create')
    runSub(use, text === 'exec' ? exec : run, at, `${name} ${text}`);
}

/** Its command stands behind `--`; without that it is not told apart from what is in front. */
function kubectl(use: Use): void {
  const { words, reader, name } = use;
  const at = words.findIndex(({ text }) => text === 'exec' || text === 'run' || text === 'debug');
  if (at === -1) {
    const sub = words.find(({ start }) => start[0] !== '-')?.text;
    const dashes = words.findIndex(({ text }) => text === '--');
    if (sub === undefined || !ownOfKubectl.has(sub)) reader.heed(use.command, words);
    else if (dashes !== -1) reader.heed(use.command, words.slice(dashes + 1));
    const hidden = words.find(({ text }) => text === undefined);
    if (hidden !== undefined && words[0] === hidden) {
      reader.doubt(`'${name}' has a word that is not written out: ${clip(hidden.guess)}`);
    }
    return;
  }
  const end = words.findIndex(({ text }) => text === '--');
  if (end !== -1) return runRest(use, words.slice(end + 1), `${name} ${words[at]!.guess}`);
  reader.doubt(`what '${name} ${words[at]!.guess}' runs does not stand behind '--'`);
}
