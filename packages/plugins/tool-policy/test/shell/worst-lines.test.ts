// Owns the law that no line takes long to judge: a guard is synchronous, so while it reads nobody else gets a turn.
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../src/decide.js';
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
