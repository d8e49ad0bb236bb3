// Owns the laws of file globs: what they match, what they refuse, and that no path keeps one busy.
import { expect, it } from 'vitest';
import { compileGlob, globFault } from '../src/paths/file-glob.js';

it.each([
  ['/a/*.env', ['/a/.env', '/a/x.env'], ['/a/b/x.env', '/a/x.envy', '/x.env']],
  ['/**/*.env', ['/.env', '/a/b/.env'], ['/a/.env/b']],
  ['/a/**', ['/a', '/a/b', '/a/b/c'], ['/ab', '/']],
  ['/a/**/z', ['/a/z', '/a/b/c/z'], ['/a/zz', '/a']],
  ['/a/{x,y{1,2}}.pem', ['/a/x.pem', '/a/y1.pem', '/a/y2.pem'], ['/a/y.pem', '/a/y3.pem']],
  ['/{a,b/c}/d', ['/a/d', '/b/c/d'], ['/b/d']],
  ['/a/?', ['/a/b', '/a/😀'], ['/a/', '/a/bc']],
  ['/a/[b-d!]x', ['/a/bx', '/a/cx', '/a/!x'], ['/a/ax', '/a/-x']],
  ['/a/[!b-d]x', ['/a/ax'], ['/a/cx', '/a/x']],
  ['/a/[]x]', ['/a/]', '/a/x'], ['/a/a']],
  ['/a/\\*\\{b,c\\}', ['/a/*{b,c}'], ['/a/x{b,c}', '/a/*b']],
  ['/a/{b}', ['/a/{b}'], ['/a/b']],
  ['/!a/b', ['/!a/b'], ['/a/b', '/x']],
])('%s', (glob, matched, others) => {
  expect(globFault(glob)).toBeUndefined();
  const matches = compileGlob(glob);
  for (const path of matched) expect(matches(path), path).toBe(true);
  for (const path of others) expect(matches(path), path).toBe(false);
});

it.each([
  ['/+(a|b)', /write '\{a,b\}'/],
  ['/!(a)', /write '\{a,b\}'/],
  ['/[a', /without its '\]'/],
  ['/[[:alpha:]]x', /write '\[a-zA-Z\]'/],
  ['/[z-a]', /runs backwards/],
  ['/{1..3}', /write '\{1,2,3\}'/],
  ['/{a,b}'.repeat(9), /more than 256/],
  ['/'.padEnd(2_000, 'a'), /at most 1000/],
])('%s is refused', (glob, why) => {
  expect(globFault(glob)).toMatch(why);
});

it.each([
  '/a/' + '*a'.repeat(200) + 'b',
  '/' + '**/*a'.repeat(100) + '/b',
  '/**'.repeat(200) + '/b',
  '/' + '?*'.repeat(200) + 'b',
])('no path keeps a glob busy (%#)', (glob) => {
  const matches = compileGlob(glob);
  const began = performance.now();
  for (const path of ['/a/' + 'a'.repeat(4_000), '/' + 'a/'.repeat(2_000), '/' + 'aa/'.repeat(1_000) + 'c']) {
    expect(matches(path)).toBe(false);
  }
  expect(performance.now() - began).toBeLessThan(1_000);
});
