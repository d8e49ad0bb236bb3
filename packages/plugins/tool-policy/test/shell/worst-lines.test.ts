// Owns the law that no line takes long to judge: a guard is synchronous, so while it reads nobody else gets a turn.
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../src/decide.js';
import { readReach } from '../../src/shell/read-command.js';
import { mostWork } from '../../src/shell/reader.js';
import type { Rule } from '../../src/policy.js';

const times = 16_000;
/** No line takes a second; one that takes this long takes the square of its length, or more. */
const mostMs = 4000;

const rule = (more: Partial<Rule>): Rule => ({ tools: '*', decision: 'deny', reason: 'no', ...more });
const { decide } = compilePolicy(
  {
    rules: [
      rule({ paths: { within: '/nowhere/secret' } }),
      rule({ hosts: { host: 'nowhere.example' } }),
      rule({ commands: { writes: { within: '/nowhere/secret' } } }),
      rule({ commands: { reads: { path: '/nowhere/**/*.key' } } }),
      rule({ commands: { line: 'nowhere * --force *', word: '--*-*' } }),
    ],
  },
  { cwd: '/nowhere/work' },
);
const tool = { source: 'host', name: 'run', commands: ['command'], paths: ['cwd'] };

/** In ms of the processor. */
function costOf(line: string | readonly string[]): number {
  const before = process.cpuUsage();
  decide({ tool, args: { command: typeof line === 'string' ? line : [...line], cwd: '/nowhere/work' } });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Each sign, and of letters and digits one of a kind. */
const characters = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
  (one) => !/[b-zB-Z2-9]/.test(one),
);
const pairs = [
  '\n', '\t', 'a ', 'a/', '../', '~/', 'a=', '=@', 'a:', 'a,', 'a;', '::', '//', '{a', '{,', '$x', '$(', '`a', '\\\\', "\\'", '-C',
  '-a ', '@/', '<a', '>a', 'a[', '[a', ']]', '/a;', 's/a', '1,', 'f(', '&&', '||', '<<', '((', '%s', '~+', './', '-x', '1:',
]; // prettier-ignore

const positions: Readonly<Record<string, (text: string) => string | readonly string[]>> = {
  'a program': (text) => `${text}x y`,
  'a program that nobody expands': (text) => [`${text}x`, 'y'],
  'a word': (text) => ['curl', `${text}x`],
  'a word behind a letter': (text) => ['cp', `-r${text}x`],
  'a word that is a URL': (text) => ['curl', `http://${text}x`],
  'a word of npx': (text) => ['npx', `a${text}/x`],
  'a word of declare': (text) => ['declare', `a${text}x`],
  'a script of sed': (text) => ['sed', `1${text}w f`],
  'a replacement of sed': (text) => ['sed', `s/a/${text}`],
  'a script of awk': (text) => ['awk', `{ print ${text} }`],
  'a text of bash': (text) => `echo $'${text}x'`,
  'an assignment': (text) => `a=${text}x ls`,
  'a redirection': (text) => `ls > ${text}x`,
  'a line': (text) => text,
  'a quoted line': (text) => ['sh', '-c', `ls "${text}"`],
  'a here-document': (text) => `cat <<E\n${text}\nE\n`,
};

describe.each(Object.entries(positions))('%s of one thing, often, is judged soon', (_, lineOf) => {
  it('whatever the thing is', () => {
    const slow = [...characters, ...pairs].flatMap((text) => {
      const ms = costOf(lineOf(text.repeat(times)));
      return ms < mostMs ? [] : [`${JSON.stringify(text)}: ${ms} ms`];
    });
    expect(slow).toEqual([]);
  }, 600_000);
});

it.each([
  'cd a;',
  'cd ..;',
  'cd .;',
  'cd /a;',
  'cd a/../..;',
  'pushd a;',
  'env -C a ',
  'git -C a x;',
  'ls>a;',
  'cd a;ls>b;',
])(
  'a line of %s is judged soon',
  (step) => {
    for (const count of [40, 400, 60_000 / step.length]) {
      expect(costOf(`${step.repeat(count)} echo x > y`)).toBeLessThan(mostMs);
      expect(costOf(`while a; do ${step.repeat(count)} echo x > y; done`)).toBeLessThan(mostMs);
    }
  },
  60_000,
);

it('a line that stands in many folders and names long paths is judged soon', () => {
  const moves = Array.from({ length: 6 }, (_, at) => `cd ${`${at}/`.repeat(500)};`).join('');
  expect(costOf(`${moves} cat ${`${'a/'.repeat(1000)} `.repeat(20)}`)).toBeLessThan(mostMs);
  expect(costOf(`cd a; cd b; cd c; cd d; cd e; ls ${'> a/b/c '.repeat(5000)}`)).toBeLessThan(mostMs);
}, 60_000);

/** What was over the budget may end the step that it is in: as many words as the line has. */
const mostSteps = mostWork + 600_000;

it.each<[name: string, line: string]>([
  ['options that may take each sub-command', `pnpm ${'-x m '.repeat(24)}y`],
  ['more of them', `pnpm ${'-x m '.repeat(9000)}y`],
  ['workspaces of workspaces', `yarn ${'-x workspaces '.repeat(3000)}y`],
  ['environments of environments', `hatch ${'-x env '.repeat(5000)}y`],
  ['name spaces', `ip ${'-x netns '.repeat(5000)}y`],
  ['tools of tools', `uv ${'-x tool '.repeat(60)}y`],
  ['commands that may begin anywhere', `npm ${'-x exec '.repeat(250)}`],
  ['more of these', `npm ${'-x exec '.repeat(8000)}`],
  ['runs', `uv ${'-x run '.repeat(9000)}`],
  ['backticks', '`a` '.repeat(9000)],
  ['open backticks', '`a'.repeat(9000)],
  ['wrappers', 'sudo '.repeat(12_000)],
  ['wrappers with many words', `${'sudo '.repeat(20)}${'a '.repeat(30_000)}`],
  ['codes', `concurrently ${'a '.repeat(30_000)}`],
  ['marks', `parallel ${'{} '.repeat(20_000)}`],
  ['lists', `parallel ::: ${'a '.repeat(30_000)}`],
  ['commands of find', `find ${'-exec a \\; '.repeat(5000)}`],
  ['commands of fd', `fd ${'-x a \\; '.repeat(6000)}`],
  ['assignments', `${'a=b '.repeat(15_000)}x`],
  ['variables of make', `make ${'CC=a '.repeat(12_000)}`],
  ['echoes', "echo 'echo a | sh' | sh;".repeat(2500)],
])('reading takes so many steps at most, or is given up: %s', (_, line) => {
  const { spent, unknown } = readReach(line);
  expect(spent).toBeLessThan(mostSteps);
  if (spent > mostWork) expect(unknown).toContain('it takes too much work to read');
});

it('everyday lines are far from the limit', () => {
  const line =
    'cd packages/core && npm test -- --run 2>&1 | tail -40; git add -A && git commit -m "fix: a" && git push';
  expect(readReach(line).spent).toBeLessThan(mostWork / 100);
});

it.each([
  ['words that a rule calls by name', `x ${'nowhere '.repeat(8000)}`],
  ['the same in one', `x '${'nowhere;'.repeat(8000)}'`],
  ['values', `x ${'a=nowhere '.repeat(6000)}`],
  ['globs', `ls ${'a*b*c*d* '.repeat(7000)}`],
  ['messages', `git commit ${'-m a '.repeat(12_000)}`],
  ['patterns', `grep ${'-e a '.repeat(12_000)}`],
  ['operands', `grep ${'a '.repeat(30_000)}`],
  ['headers', `curl ${"-H 'a: b' ".repeat(6000)}`],
])('many %s are judged soon', (_, line) => {
  expect(costOf(line)).toBeLessThan(mostMs);
});
