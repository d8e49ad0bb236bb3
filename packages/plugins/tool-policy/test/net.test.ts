// Owns the laws of the net: a word that a program may run is unknown to a rule that would match it, whoever the program is.
import { describe, expect, it } from 'vitest';
import { compileCommandTest, type CommandTest } from '../src/commands/command-test.js';
import { readReach } from '../src/shell/read-command.js';
import { rooms } from '../src/shell/rules.js';
import { policyWorld } from '../src/world.js';

const rm: CommandTest = { line: ['rm', 'rm *'] };

/** 'yes', 'no', or why it cannot be told. */
function truth(line: string | readonly string[], test = rm, platform: NodeJS.Platform = 'linux'): string {
  const cwd = platform === 'win32' ? 'C:\\nowhere' : '/nowhere';
  const found = compileCommandTest(test, policyWorld({ cwd, platform }))(readReach(line), () => [cwd]);
  return typeof found === 'string' ? found : found ? 'yes' : 'no';
}

describe('a program of no table may run each of its words', () => {
  it.each([
    ['mosh h -- rm x', '`mosh` may run `rm x`'],
    ['mosh h /bin/rm x', '`mosh` may run `/bin/rm x`'],
    ['lerna exec -- rm x', '`lerna` may run `rm x`'],
    ["sops exec-env f 'rm x'", '`sops` may run `rm x`'],
    ["gcloud compute ssh h --command 'rm x'", '`gcloud` may run `rm x`'],
    ["vagrant ssh -c 'sudo rm -rf /'", '`vagrant` may run `rm -rf /`'],
    ['x --run=rm', '`x` may run `rm`'],
    ["x --run='a; rm x'", '`x` may run `rm x`'],
    ['x -crm', '`x` may run `rm`'],
    ["x -c'rm x'", '`x` may run `rm x`'],
    [`x 'r"m" x'`, '`x` may run `rm x`'],
    [`x 'r\\m x'`, '`x` may run `rm x`'],
    [`x 'system("rm x")'`, '`x` may run `rm x`'],
    ["x 'true&&rm x'", '`x` may run `rm x`'],
    ["x '$(rm x)'", '`x` may run `rm x`'],
    ["x 'test:rm' y", '`x` may run `rm`'],
    ['x a,rm,b', '`x` may run `rm b`'],
    ['x "rm $y"', '`x` may run `rm $y`'],
    ['./x rm y', '`x` may run `rm y`'],
    ['./ls rm y', '`ls` may run `rm y`'],
    ['bash x.sh rm y', '`bash` may run `rm y`'],
    ['python x.py rm y', '`python` may run `rm y`'],
    [`sh -c 'mosh h $1' _ rm x`, '`sh` may run `rm x`'],
    ['set -- rm x; mosh h "$@"', '`set` may run `rm x`'],
    ['mosh h ${x:-rm} y', '`mosh` may run `rm`'],
    ['x <<E\nrm y\nE', '`x` may run `rm y`'],
    ["x <<< 'rm y'", '`x` may run `rm y`'],
    ["echo 'rm y' | x", '`x` may run `rm y`'],
    ["echo 'rm y' | xargs x", '`xargs` may run `rm y`'],
    ['parallel x ::: rm', '`parallel` may run `rm`'],
    ['f() { mosh h $1; }; f rm', '`f` may run `rm`'],
    ['git x rm y', '`git` may run `rm y`'],
    ['docker sandbox run rm x', '`docker` may run `rm x`'],
    ['cargo watch -- rm x', '`cargo` may run `rm x`'],
    ['pnpm rm-rf; pnpm -r x rm y', '`pnpm` may run `rm y`'],
    // a name of its own for a state, which nobody here can know
    ['terraform state rm x', '`terraform` may run `rm x`'],
    ['aws s3 rm s3://a/b', '`aws` may run `rm s3://a/b`'],
  ])('%s', (line, why) => expect(truth(line)).toBe(why));
});

describe('a wrapper whose words in front were counted wrong hides nothing', () => {
  it.each([
    ['timeout rm x', '`timeout` may run `rm x`'],
    ['sudo -u rm ls', '`sudo` may run `rm ls`'],
    ['firejail grep rm x', '`firejail` may run `rm x`'],
    ['hatch run test:rm x', '`hatch` may run `rm`'],
    ['ip -all netns exec rm x', '`ip` may run `rm x`'],
    ['su -s /bin/rm -c x bob', '`su` may run `/bin/rm -c x bob`'],
    ['cmake -E --silent env rm x', '`cmake` may run `rm x`'],
    ['xargs -I rm ls rm', '`xargs` may run `rm ls`'],
  ])('%s', (line, why) => expect(truth(line)).toContain(why));
});

describe('what variables say may be run', () => {
  it.each([
    ["X='rm x' mytool", '`X=` may run `rm x`'],
    ["export X='rm x'; mytool", '`X=` may run `rm x`'],
    ["env X='rm x' mytool", '`X=` may run `rm x`'],
    ["x='rm y'; mosh h $x", '`x=` may run `rm y`'],
    ['make X=rm', '`make` may run `rm …`'],
    ["read x <<< 'rm y'; mosh h $x", '`read=` may run `rm y`'],
    ["printf -v x 'rm y'; mosh h $x", '`printf=` may run `rm y`'],
    ['for x in rm; do mosh h $x; done', '`x=` may run `rm …`'],
    ['X=rm ls', 'no'],
    ["x='rm y'; echo $x", 'no'],
    ['PATH=/opt/rm mytool', 'no'],
  ])('%s: %s', (line, why) => expect(truth(line)).toContain(why));
});

describe('what npm itself runs is looked at', () => {
  it.each([
    'npm run env -- rm x',
    'npm run env rm x',
    'npm run-script env -- sh -c "rm x"',
    'npm -w a run env -- rm x',
  ])('%s', (line) => expect(typeof truth(line)).toBe('string'));
});

describe('what a program surely does not run is none', () => {
  it.each([
    'git rm x',
    'git commit -m "rm x"',
    'git log -- rm',
    'docker image rm x',
    'docker container rm x',
    'docker rm x',
    'docker run --rm rm ls',
    'docker compose rm web',
    'npm rm x',
    'npm run rm',
    'pnpm rm x',
    'yarn remove rm',
    'gh repo rm',
    'gh issue create --title "rm x"',
    'echo rm',
    'grep rm f',
    'rg "rm x" src',
    'sudo ls rm',
    'sudo -n grep rm f',
    'uv run grep rm f',
    'env A=b ls rm',
    'xargs grep rm',
    'find . -name rm',
    'make rm',
    'just rm',
    'man rm',
    'which rm',
    'cat > f <<E\nrm x\nE',
    'echo rm | xargs grep -l',
    'parallel grep x ::: rm',
    'set -euo pipefail; ls rm',
    'command -v rm',
    'type rm',
    'apt-get install rm',
    'pip install rm',
    'brew install rm',
    "sed -n '/rm/p' f",
    "awk '/rm/' f",
    'tar czf rm.tgz rm',
    'gcc -o rm rm.c',
    'curl -o rm https://x.example/rm',
    'mytool rm.txt',
    'mytool --rm',
    'mytool form',
    'mytool src/rm.ts',
    'kubectl get rm',
    'for f in rm mv; do which $f; done',
    'cat <<E\nrm x\nE',
  ])('%s', (line) => expect(truth(line)).toBe('no'));
});

describe('a rule', () => {
  it.each<[CommandTest, string, string]>([
    [{ program: 'rm' }, 'x rm y', '`x` may run `rm y`'],
    [{ program: 'rm' }, "watchexec 'rm x'", '`watchexec` may run `rm x`'],
    [{ program: 'rm', word: '-rf' }, 'x rm -rf y', '`x` may run `rm -rf y`'],
    [{ program: 'rm', word: '-rf' }, 'x rm y', 'no'],
    [{ program: 'mk*' }, 'x mkfs.ext4 y', '`x` may run `mkfs.ext4 y`'],
    [{ program: '*sh' }, 'x zsh y', '`x` may run `zsh y`'],
    [{ line: 'git push *' }, "x 'git push a'", '`x` may run `git push a`'],
    [{ line: 'git push *' }, 'x git pull a', 'no'],
    [{ line: 'git push *' }, "x 'git push' $y", '`x` may run `git push …`'],
    [{ line: 'git*push*' }, 'x git -C y push', '`x` may run `git -C y push`'],
    [{ line: '* --force*' }, 'x y', 'no'],
    [{ program: '*', word: '--force' }, 'x y', 'no'],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'x pay', '`x` may run `pay`'],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'x pay --dry-run', 'no'],
    // what alone may run stands in a list: there nothing is gained by looking further
    [{ not: { program: ['x', 'rm'] } }, 'x rm y', 'no'],
    [{ not: { program: ['x'] } }, 'x rm y', 'no'],
  ])('%j of `%s`: %s', (test, line, expected) => expect(truth(line, test)).toBe(expected));

  it('is asked in the letter case of the platform', () => {
    expect(truth('x RM.EXE y', { program: 'rm' }, 'win32')).toBe('`x` may run `RM.EXE y`');
    expect(truth('x RM y', { program: 'rm' }, 'darwin')).toBe('`x` may run `RM y`');
    expect(truth('x RM y', { program: 'rm' }, 'linux')).toBe('no');
  });

  it('that more words may match than are tried is unknown', () => {
    expect(truth(['x', ...Array<string>(500).fill('rm')], { line: 'rm -rf *' })).toMatch(/^more than \d+ words/);
    expect(truth(['x', ...Array<string>(500).fill('rm'), '-rf', 'y'], { line: 'rm *' })).toContain('may run');
  });
});

/** Programs that run none of their words but by an option or in a place that is read, and why. */
const harmless: readonly (readonly [why: string, names: string])[] = [
  [
    'a shell keeps its names, and what it runs for them is read',
    `alias hash let declare typeset local export readonly integer read unset getopts printf test [ wait mapfile readarray
    compgen complete jobs unalias trap`,
  ],
  ['they find', 'find bfs fd fdfind'],
  [
    'they run something by options, each of which is read',
    `tar bsdtar rsync scp sort split zip man less more curl wget rg tcpdump iptables ssh-keygen pip pip3 apt apt-get aptitude
    dpkg install rpm gpg ag`,
  ],
  ['their words are targets', 'make gmake just'],
  ['their words are scripts that are read, and files', 'awk gawk mawk nawk original-awk bwk goawk sed ssed'],
  ['their words are files', 'gcc g++-12 clang x86_64-linux-gnu-gcc-12 pdflatex xelatex'],
];
/** Programs to which the first word is a sub-command of their own, a file, a host, a group, an image. */
const named = `bash rbash sh dash ash hush ksh rksh mksh lksh oksh pdksh yash posh osh zsh rzsh bash5.2 ksh93 sg ssh slogin
  autossh git docker podman nerdctl docker-compose podman-compose npm pnpm yarn uv poetry pipenv pdm rye hatch pipx bundle
  conda mise asdf direnv perf rbenv pyenv volta fnm mamba micromamba pixi devbox dotenvx op infisical zellij lxc incus adb
  limactl distrobox toolbox ip rustup go cargo gh`;

it.each([
  [['foo rm x', 'foo bar rm x', 'exec foo -- rm x', 'foo --run=rm', "foo 'a; rm x'"], ''],
  [['rm x', '-- rm x', "'rm x'", 'run rm x'], named],
])('of words %j no program of a room hides one, unless it is said why', (shapes, more) => {
  const known = new Set([...harmless.map(([, names]) => names), more].flatMap((names) => names.split(/\s+/)));
  const silent = rooms.flatMap(({ names }) =>
    names.filter((name) => !known.has(name) && shapes.some((shape) => truth(`${name} ${shape}`) === 'no')),
  );
  expect(silent.join(' ')).toBe('');
});

it('each name stands in one room', () => {
  const names = new Set(rooms.flatMap((room) => room.names));
  const found = [...names].map((name) => [name, rooms.filter((room) => room.ruleOf(name) !== undefined).length]);
  expect(found.filter(([, count]) => count !== 1)).toEqual([]);
  expect(names.size).toBeGreaterThan(300);
});
