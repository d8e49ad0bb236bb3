import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readCommand } from '../../src/shell/read-command.js';
import { createStubShell } from './stub-shell.js';

const box = createStubShell();
afterAll(() => box.remove());

/** What really ran and was not listed, of a line of which everything is said to be known. */
function missed(line: string): readonly string[] {
  const { commands, unknown } = readCommand(line);
  if (unknown.length > 0) return [];
  const listed = new Set(commands.map(({ program }) => program));
  return box.shells.flatMap((shell) =>
    [...(box.run(shell, line) ?? [])]
      .filter((program) => !listed.has(program))
      .map((program) => `${shell}: ${program}`),
  );
}

/** Lines of which everything is known, and the programs that bash really runs. */
const lines: readonly (readonly [line: string, ran: string])[] = [
  ['rm x; ls', 'ls rm'],
  [`r""m 'x'`, 'rm'],
  ["$'\\x72m' x", 'rm'],
  ['{rm,-rf,/}', 'rm'],
  ['{,rm} x', 'rm'],
  ['r{m,n} x', 'rm'],
  ['{r..r}m x', 'rm'],
  ['\\rm x', 'rm'],
  ['r\\\nm x', 'rm'],
  ['ls $(rm x)', 'ls rm'],
  ['ls "`rm x`"', 'ls rm'],
  ['ls "`x1 \\`rm x\\``"', 'ls rm x1'],
  ['ls <(rm x)', 'ls rm'],
  ['ls $((rm x) )', 'ls rm'],
  ['cat <<E\n$(rm x)\nE', 'cat rm'],
  ["cat <<'E'\n$(rm x)\nE", 'cat'],
  ["bash <<'E'\nrm x\nE", 'bash rm'],
  ['sh <<< "rm x"', 'rm sh'],
  ['echo rm x | sh', 'rm sh'],
  ["printf '%s\\n' 'rm x' ls | sh", 'ls rm sh'],
  ["cat <<'E' | sh\nrm x\nE", 'cat rm sh'],
  ["sh -c 'rm x'", 'rm sh'],
  ["bash -o pipefail -ec 'rm x'", 'bash rm'],
  ["eval 'r''m' x", 'rm'],
  ["trap 'rm x' EXIT", 'rm'],
  ['env -u B A=1 nice -n 1 timeout -k 1 5 rm x', 'env nice rm timeout'],
  ["env -S 'rm -rf' x", 'env rm'],
  ['echo a | xargs -I{} rm {}', 'rm xargs'],
  ["echo a | xargs sh -c 'rm $0'", 'rm sh xargs'],
  ['find . -maxdepth 0 -exec rm {} \\;', 'find rm'],
  ['f() { rm x; }; f', 'rm'],
  ['if rm x; then ls; else mv; fi', 'ls rm'],
  ['for i in 1 2; do rm $i; done', 'rm'],
  ['case a in b) ls;; *) rm;; esac', 'rm'],
  ['[[ -n a && -n $(rm x) ]]', 'rm'],
  ['! (rm x)', 'rm'],
  ['!(rm x)', 'rm'],
  ['coproc rm x; wait', 'rm'],
  ['exec rm x', 'rm'],
  ['command rm x', 'rm'],
  ['ls # rm x', 'ls'],
  ['ls #\nrm x', 'ls rm'],
  ["mapfile -C 'rm x' -c 1 a <<< b", 'rm'],
  ["compgen -C 'rm x'; :", 'rm'],
  ['jobs -x rm y', 'rm'],
  ['a=$(rm x) ls', 'ls rm'],
  ['echo ${x:-$(rm x)}', 'rm'],
  ['nohup rm x > y 2>&1', 'nohup rm'],
];

describe.skipIf(!box.shells.includes('/bin/bash'))('beside a real shell', () => {
  it.each(lines)('%s', (line, ran) => {
    expect(readCommand(line).unknown).toEqual([]);
    expect([...(box.run('/bin/bash', line) ?? [])].toSorted().join(' ')).toBe(ran);
    expect(missed(line)).toEqual([]);
  });

  /** Each runs something in one shell and is harmless to the eye in another, so it must be listed or not known. */
  it.each([
    "ls $'a\\'; rm x #'",
    "cat <<$'E'\n$E\nrm x\nE\n",
    '((rm -rf /etc))',
    '[[ a || rm = x ]]',
    "x='a[$(rm y)]'; echo $((x))",
    "x='a[$(rm y)]'; [[ x -eq 0 ]]",
    'x=\'$(rm y)\'; echo "${x@P}"',
    "PS4='$(rm x)'; set -x; ls",
    "unset 'a[$(rm x)]'",
    "test -v 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' b",
    "bash <<'E'\nread x\n: '\nrm y\n: '\nE",
    "bash <<-'E'\n: <<'X'\n\tX\nrm y\nX\nE\n",
    "shopt -s expand_aliases\nalias ls='rm x'\nls",
    'hash -p "$(command -v rm)" ls; ls',
    "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
    'a=rm; $a x',
    'r?m() { :; }; x1 | rm',
    "echo 'rm\\x20x' | sh",
    "echo a | xargs -I{} sh -c 'rm {}'",
    'cat() { echo rm x; }; cat <<< ls | sh',
    "find . -maxdepth 0 -exec head -1 \\; -exec sh \\; <<'E'\n: '\nrm x\n: '\nE",
  ])('%j is not taken for less than it is', (line) => {
    expect(missed(line)).toEqual([]);
  });

  it('for any line of which all is known, nothing runs that is not listed', () => {
    const name = fc.constantFrom('rm', 'ls', 'x1', "r''m", '"ls"', '\\x1', "$'rm'", '{rm,a}');
    const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
    const { command } = fc.letrec<{ command: string }>((tie) => {
      const one = tie('command');
      const pair = fc.tuple(one, one);
      return {
        command: fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          name.map((program) => `${program} a`),
          pair.map(([a, b]) => `${a}; ${b}`),
          pair.map(([a, b]) => `${a} && ${b}`),
          pair.map(([a, b]) => `${a} | ${b}`),
          pair.map(([a, b]) => `if ${a}; then ${b}; fi`),
          pair.map(([a, b]) => `case a in b) ${a};; *) ${b};; esac`),
          one.map((a) => `(${a})`),
          one.map((a) => `{ ${a}\n}`),
          one.map((a) => `ls "$(${a})" 2>&1`),
          one.map((a) => `sh -c ${quoted(a)}`),
          one.map((a) => `env A=1 bash -c ${quoted(a)}`),
          one.map((a) => `eval ${quoted(a)}`),
          one.map((a) => `echo ${quoted(a)} | sh`),
          one.map((a) => `bash <<'E'\n${a}\nE\n`),
          one.map((a) => `cat <<E\n$(${a})\nE\n`),
          one.map((a) => `trap ${quoted(a)} EXIT`),
          one.map((a) => `((${a}))`),
          one.map((a) => `[[ a || ${a} ]]`),
          one.map((a) => `time ${a}`),
          one.map((a) => `nice ${a}`),
          one.map((a) => `${a} # ls\n`),
        ),
      };
    });
    const cut = fc.tuple(command, fc.nat(), fc.constantFrom('', "'", '"', '\\', '`', '\n', '#', ')', '; ', '$'));
    const broken = cut.map(
      ([line, at, put]) => line.slice(0, at % (line.length + 1)) + put + line.slice(at % (line.length + 1)),
    );
    fc.assert(
      fc.property(fc.oneof(command, broken), (line) => {
        expect(missed(line)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
