// Owns the laws of links: what leads elsewhere in each process, how many are followed, and that a fault on the way is told.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadsTo } from '../src/paths/leads-to.js';
import { policyWorld, type PolicyWorld } from '../src/world.js';

let cwd: string;
let world: PolicyWorld;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'links-')));
  mkdirSync(join(cwd, 'a'));
  writeFileSync(join(cwd, 'file'), '');
  symlinkSync('a', join(cwd, 'to1'));
  for (let n = 2; n <= 41; n++) symlinkSync(`to${n - 1}`, join(cwd, `to${n}`));
  symlinkSync('nowhere', join(cwd, 'no1'));
  for (let n = 2; n <= 41; n++) symlinkSync(`no${n - 1}`, join(cwd, `no${n}`));
  world = policyWorld({ cwd, home: cwd, platform: 'linux' });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const follow = (path: string, more: Partial<PolicyWorld> = {}) => leadsTo(path, [cwd], { ...world, ...more });
/** From the folder. */
const named = (path: string) => {
  const places = follow(path);
  return typeof places === 'string' ? places : places.map((place) => place.replace(cwd, '.'));
};

describe('below /proc', () => {
  const own = ['root', 'fd/3', 'task/1/environ', 'exe', 'map_files/1-2', 'cwd'];
  it.each([
    ...own.flatMap((name) => [`/proc/self/${name}`, `/proc/1/${name}`, `/proc/thread-self/${name}`]),
    '/proc/self/root/etc/passwd',
    '/proc/self/cwd/x',
    '/proc/self/fd',
    '/proc/self/task',
    '/proc/self/map_files',
    '/proc/1/task/1/root/etc',
    '/proc//self//root',
    '/proc/./self/./cwd',
    '/proc/self/root/../x',
    'file:///proc/self/root/etc',
  ])('%s leads to another place in each process', (path) => {
    expect(follow(path)).toBe(`'${path}' leads to another place in each process`);
  });

  it.each([
    '/proc/version',
    '/proc/nobody/rooted',
    '/proc/nobody/fdinfo',
    '/proc/nobody/exec',
    '/proc/nobody/tasks/1',
    '/process/root/x',
    '/myproc/root/x',
    '/x/cwd/y',
    'root',
    'cwd/exe',
  ])('%s is itself', (path) => {
    expect(follow(path)).toEqual([path.startsWith('/') ? path : join(cwd, path)]);
  });

  it('the way there counts however it is meant', () => {
    expect(leadsTo('self/root', ['/proc'], world)).toMatch(/in each process/);
    expect(leadsTo('root/etc', ['/proc/1'], world)).toMatch(/in each process/);
    expect(leadsTo('x', [cwd, '/proc/self/cwd'], world)).toMatch(/in each process/);
  });
});

it.each(['file:', 'FILE:', 'File:'])(
  '%s in front of two slashes is a file to who reads URLs, else a name',
  (scheme) => {
    const url = pathToFileURL('/nowhere/a b').href.replace('file:', scheme);
    expect(follow(url)).toEqual([join(cwd, url), '/nowhere/a b']);
    expect(follow(`${scheme}//elsewhere/x`)).toEqual([join(cwd, `${scheme}/elsewhere/x`)]);
  },
);

describe.runIf(process.platform === 'linux')('of links', () => {
  it.each([
    ['to40', ['./a']],
    ['to40/x', ['./a/x']],
    ['no40', ['./nowhere']],
    ['no40/x', ['./nowhere/x']],
    ['to40/../x', ['./x']],
  ])('forty are followed: %s', (path, places) => expect(named(path)).toEqual(places));

  it.each(['to41', 'to41/x', 'no41', 'to41/../x', 'to20/../to21/../x'])('more are not: %s', (path) => {
    expect(follow(path)).toMatch(/cannot be followed \(ELOOP\)|^more than 40 links stand behind/);
  });

  it('a walk counts those of the whole path', () => {
    expect(follow('to41/../x')).toBe(`more than 40 links stand behind '${cwd}/to41/../x'`);
    expect(follow('to20/../to21/../x')).toBe(`more than 40 links stand behind '${cwd}/to20/../to21/../x'`);
    expect(named('to20/../to20/../x')).toEqual(['./x']);
  });
});

describe('what is below a file', () => {
  it.each([
    ['file/x', ['./file/x']],
    ['file/x/y', ['./file/x/y']],
    ['file/x/../y', ['./file/y']],
    ['file/../a', ['./a']],
    ['nowhere/x/../../a', ['./a']],
  ])('is not there, and has its name: %s', (path, places) => expect(named(path)).toEqual(places));
});

describe('a fault on the way is told, with its code', () => {
  const failing = (code: string) => (): never => {
    throw Object.assign(new Error('no'), { code });
  };
  const linked: Partial<PolicyWorld> = { isThere: () => true, realPath: failing('ENOENT') };

  it.each<[string, string, Partial<PolicyWorld>, string]>([
    ['what stands there cannot be seen', 'x', { isThere: failing('EACCES') }, 'EACCES'],
    ['where it leads cannot be seen', 'a', { realPath: failing('EACCES') }, 'EACCES'],
    ['the disk fails', 'a', { realPath: failing('EIO') }, 'EIO'],
    ['a link cannot be read', 'a/../x', { linkAt: failing('EACCES') }, 'EACCES'],
    ['a link to nowhere cannot be read', 'a', { ...linked, linkAt: failing('EIO') }, 'EIO'],
  ])('%s', (_, path, more, code) => {
    expect(follow(path, more)).toBe(`'${cwd}/${path}' cannot be followed (${code})`);
  });

  it('comes only when what is missing is looked at once more', () => {
    let looks = 0;
    const realPath = (): never => failing(looks++ === 0 ? 'ENOENT' : 'EIO')();
    expect(follow('a', { realPath })).toBe(`'${cwd}/a' cannot be followed (EIO)`);
  });

  it('one without a code in its own words', () => {
    const realPath = (): never => {
      throw new Error('the disk is gone');
    };
    expect(follow('a', { realPath })).toBe(`'${cwd}/a' cannot be followed (Error: the disk is gone)`);
  });

  it('what is merely missing is none', () => {
    for (const code of ['ENOENT', 'ENOTDIR']) {
      expect(follow('a/../x', { linkAt: failing(code) })).toEqual([join(cwd, 'x')]);
      expect(follow('a', { ...linked, realPath: failing(code), linkAt: failing(code) })).toEqual([join(cwd, 'a')]);
    }
  });
});
