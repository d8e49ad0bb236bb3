// Owns the laws of where a path leads, on a real file system: every reading of it counts, and what cannot be told is said.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compilePolicy, type PathTest } from '../src/index.js';
import { leadsTo } from '../src/paths/leads-to.js';
import { policyWorld } from '../src/world.js';

let top: string;
let cwd: string;
let home: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'leads-')));
  cwd = join(top, 'work');
  home = join(top, 'home');
  mkdirSync(join(cwd, 'src', 'deep'), { recursive: true });
  mkdirSync(join(top, 'outside'));
  mkdirSync(home);
  writeFileSync(join(cwd, 'src', 'a.ts'), '');
  writeFileSync(join(cwd, '.env'), '');
  writeFileSync(join(top, 'outside', 'secret'), '');
  symlinkSync('../outside', join(cwd, 'out'));
  symlinkSync('src/deep', join(cwd, 'deep'));
  symlinkSync(join(top, 'outside', 'not-yet'), join(cwd, 'dangling'));
  symlinkSync('loop', join(cwd, 'loop'));
  symlinkSync('.env', join(cwd, 'plain.txt'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** 'yes', 'no', or why it cannot be told. */
function truth(test: PathTest, path: string): string {
  const policy = { rules: [{ tools: 't', paths: test, decision: 'ask' as const, reason: 'x' }] };
  const { explain } = compilePolicy(policy, { cwd, home });
  const [report] = explain({ tool: { source: 'host', name: 't', paths: ['path'] }, args: { path } }).rules;
  return report!.unknown ?? (report!.matches ? 'yes' : 'no');
}
const within = (path: string, folder = '.') => truth({ within: folder }, path);
const outside = (path: string) => truth({ not: { within: '.' } }, path);

describe('within a folder', () => {
  it.each([
    ['src/a.ts', 'yes'],
    ['.', 'yes'],
    ['', 'the path is empty'],
    ['src/../src/a.ts', 'yes'],
    ['not/there/yet', 'yes'],
    ['not/../there', 'yes'],
    ['..', 'no'],
    ['../work/src', 'yes'],
    ['../work-too/x', 'no'],
    ['../workspace', 'no'],
    ['not/../../outside/secret', 'no'],
    ['src/../../outside/secret', 'no'],
    ['/etc/passwd', 'no'],
    ['//etc//passwd', 'no'],
    ['out', 'no'],
    ['out/secret', 'no'],
    ['out/not-yet', 'no'],
    ['dangling', 'no'],
    ['dangling/below', 'no'],
    ['./././out/./secret', 'no'],
    ['deep/x', 'yes'],
  ])('%s: %s', (path, expected) => {
    expect(within(path)).toBe(expected);
    expect(outside(path)).toBe(expected === 'yes' ? 'no' : expected === 'no' ? 'yes' : expected);
  });

  it('what the system walks and what is taken off as text may be two places: then nothing is sure', () => {
    // The system goes through `deep` to src/deep and up to src; as text it is the folder itself.
    expect(within('deep/..', 'src')).toMatch(/may lead to/);
    // Through `out` and up is beside the folder; as text it is inside.
    expect(within('out/../work-less')).toMatch(/may lead to/);
    expect(outside('out/../secret')).toMatch(/may lead to/);
    expect(within('deep/../a.ts')).toBe('yes');
  });

  it('a home is one place to a tool that knows it, and a name to one that does not', () => {
    expect(within('~/x')).toMatch(/may lead to/);
    expect(within('~', home)).toMatch(/may lead to/);
    expect(within('~root/.ssh')).toMatch(/home of a user/);
    expect(within('a~b')).toBe('yes');
    expect(within(pathToFileURL('/etc/passwd').href)).toMatch(/may lead to/);
  });

  it.each([
    ['a\0b', /NUL/],
    ['x'.repeat(5000), /longer than 4096/],
    ['x'.repeat(300), /cannot be followed \(ENAMETOOLONG\)/],
    ['loop', /cannot be followed \(ELOOP\)|links stand behind/],
    ['loop/../x', /cannot be followed \(ELOOP\)|links stand behind/],
  ])('%# cannot be told', (path, expected) => {
    expect(within(path)).toMatch(expected);
    expect(outside(path)).toMatch(expected);
  });

  it('a folder that does not exist yet is followed when it does', () => {
    const { decide } = compilePolicy(
      { rules: [{ tools: 't', paths: { within: 'later' }, decision: 'deny', reason: 'x' }] },
      { cwd, home },
    );
    const call = (path: string) => decide({ tool: { source: 'host', name: 't', paths: ['path'] }, args: { path } });
    expect(call('later/x')).toBeDefined();
    expect(call('out/x')).toBeUndefined();
    symlinkSync('../outside', join(cwd, 'later'));
    expect(call('later/x')).toBeDefined();
    expect(call('out/x')).toBeDefined();
    rmSync(join(cwd, 'later'));
  });

  it('a folder that a link stands for is where the link leads at each call', () => {
    for (const name of ['one', 'two']) mkdirSync(join(cwd, name));
    symlinkSync('one', join(cwd, 'current'));
    const rules = [
      { tools: 't', paths: { within: 'current' }, decision: 'deny', reason: 'x' },
      { tools: 'u', paths: { path: 'current/*' }, decision: 'deny', reason: 'x' },
    ] as const;
    const { decide } = compilePolicy({ rules }, { cwd, home });
    const holds = (path: string) =>
      ['t', 'u'].map(
        (name) => decide({ tool: { source: 'host', name, paths: ['path'] }, args: { path } }) !== undefined,
      );
    expect([holds('one/x'), holds('two/x')]).toEqual([
      [true, true],
      [false, false],
    ]);
    rmSync(join(cwd, 'current'));
    symlinkSync('two', join(cwd, 'current'));
    expect([holds('one/x'), holds('two/x')]).toEqual([
      [false, false],
      [true, true],
    ]);
    for (const name of ['one', 'two', 'current']) rmSync(join(cwd, name), { recursive: true });
  });
});

describe('file globs', () => {
  const matches = (path: string, glob: string | string[]) => truth({ path: glob }, path);
  it.each([
    ['.env', '.env', 'yes'],
    ['src/.env', '.env', 'no'],
    ['src/.env', '**/.env', 'yes'],
    ['.env', '**/.env', 'yes'],
    ['plain.txt', '.env', 'yes'],
    ['src/a.ts', '*', 'no'],
    ['src/a.ts', 'src/*', 'yes'],
    ['src', 'src/**', 'yes'],
    ['src/deep/x', 'src/*', 'no'],
    ['src/deep/x', 'src/**', 'yes'],
    ['/etc/.env', '**/.env', 'no'],
    ['/etc/.env', '/**/.env', 'yes'],
    ['src/./a.ts', 'src/{a,b}.ts', 'yes'],
    // a rule is followed as a call is
    ['.env', './.env', 'yes'],
    ['.env', 'src/../.env', 'yes'],
    ['.env', 'plain.txt', 'yes'],
    ['.env', '././*', 'yes'],
    ['src/deep/x', 'deep/*', 'yes'],
    ['deep/x', 'deep/*', 'yes'],
    ['out/secret', 'out/sec*', 'yes'],
    ['~/.ssh/id', '~/.ssh/*', 'yes'],
    ['../home/.ssh/id', '~/.ssh/**', 'yes'],
    ['x', 'loop/*', "'LOOP' cannot be followed (ELOOP)"],
  ])('%s by %s: %s', (path, glob, expected) =>
    expect(matches(path, glob).replace(join(cwd, 'loop'), 'LOOP')).toBe(expected),
  );

  it('a link that a glob begins with is followed as soon as it is there', () => {
    const { decide } = compilePolicy(
      { rules: [{ tools: 't', paths: { path: 'comes/*' }, decision: 'deny', reason: 'x' }] },
      { cwd, home },
    );
    const call = (path: string) => decide({ tool: { source: 'host', name: 't', paths: ['p'] }, args: { p: path } });
    expect(call('../outside/secret')).toBeUndefined();
    symlinkSync('../outside', join(cwd, 'comes'));
    expect(call('../outside/secret')).toBeDefined();
    rmSync(join(cwd, 'comes'));
  });

  it('no path that a model may choose keeps one busy', () => {
    const { decide } = compilePolicy(
      {
        rules: [
          { tools: 't', paths: { path: ['*a*a*a*a*a*a*b', '**/*a/**/*a/**/*b'] }, decision: 'deny', reason: 'x' },
        ],
      },
      { cwd, home },
    );
    const began = performance.now();
    for (const path of ['a'.repeat(250), 'a/'.repeat(1_500)]) {
      expect(decide({ tool: { source: 'host', name: 't', paths: ['p'] }, args: { p: path } })).toBeUndefined();
    }
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('a folder whose name is a pattern is itself', () => {
    const odd = join(top, 'a[b] {c}(d)');
    mkdirSync(odd, { recursive: true });
    const { decide } = compilePolicy(
      { rules: [{ tools: 't', paths: { path: '*.key' }, decision: 'deny', reason: 'x' }] },
      { cwd: odd, home },
    );
    const call = (path: string) => decide({ tool: { source: 'host', name: 't', paths: ['p'] }, args: { p: path } });
    expect(call('x.key')).toBeDefined();
    expect(call(join(top, 'ab', 'x.key'))).toBeUndefined();
  });
});

describe('other platforms', () => {
  const missing = (): never => {
    throw Object.assign(new Error('no'), { code: 'ENOENT' });
  };
  const windows = {
    ...policyWorld({ cwd: 'C:\\work', home: 'C:\\Users\\me', platform: 'win32' }),
    realPath: missing,
    linkAt: missing,
  };
  it('letter case does not tell two files apart where it does not', () => {
    const mac = compilePolicy(
      { rules: [{ tools: 't', paths: { path: '.ENV' }, decision: 'deny', reason: 'x' }] },
      { cwd, home, platform: 'darwin' },
    );
    const call = { tool: { source: 'host', name: 't', paths: ['p'] }, args: { p: '.Env' } };
    expect(mac.decide(call)).toBeDefined();
  });
  it('drives and both slashes', () => {
    expect(leadsTo('a\\..\\b/c', [windows.cwd], windows)).toEqual(['C:\\work\\b\\c']);
    expect(leadsTo('D:/x', [windows.cwd], windows)).toEqual(['D:\\x']);
  });
  it.each([
    '\\\\server\\share',
    '//?/C:/x',
    'C:x',
    'a:b',
    'file.txt:stream',
    'x. ',
    'PROGRA~1/x',
    'nul',
    'con.txt',
    'a/COM1',
  ])('%s is not followed on Windows', (path) => expect(typeof leadsTo(path, [windows.cwd], windows)).toBe('string'));
});
