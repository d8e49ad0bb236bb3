// Owns the laws of what a rule says of a place: whole names, a rule that cannot be followed itself, and letter case.
import { describe, expect, it } from 'vitest';
import { compilePathTest, type PathTest } from '../src/paths/path-test.js';
import type { Truth } from '../src/truth.js';
import { policyWorld } from '../src/world.js';

const holds = (test: PathTest, place: string, platform: NodeJS.Platform = 'linux'): Truth =>
  compilePathTest(test, policyWorld({ cwd: '/a', home: '/home/me', platform }))([place]);

describe('a glob is of a whole place', () => {
  it.each([
    ['/a/b*', '/a/bc', true],
    ['/a/b*', '/a/bc/d', false],
    ['/a/b*', '/a/b/d', false],
    ['/a/b*', '/a/b', true],
    ['/a/b*', '/a', false],
    ['/a/b*', '/x/a/b', false],
    ['/a/b?', '/a/b/', false],
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/c', false],
    ['/a/b', '/a/bc', false],
    ['/a/b/**', '/a/b', true],
    ['/a/b/**', '/a/b/c/d', true],
    ['/a/b/**', '/a/bc', false],
    ['/a/b/**', '/a/b-too/c', false],
    ['/a/b/*', '/a/b-too', false],
    ['/a/*/c', '/a/b/c', true],
    ['/a/*/c', '/a/b/b/c', false],
    ['b/**', '/a/b/c', true],
    ['b/**', '/b/c', false],
    ['/*', '/x', true],
    ['/*', '/x/y', false],
    ['/**', '/x/y', true],
    ['/**/.env', '/.env', true],
  ])('%s of %s: %s', (path, place, expected) => expect(holds({ path }, place)).toBe(expected));
});

describe('a folder is itself and what is in it', () => {
  it.each([
    ['/', '/', true],
    ['/', '/x', true],
    ['/', '/x/y', true],
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a/', '/a/b', true],
    ['/a', '/ab', false],
    ['/a', '/ab/c', false],
    ['/a', '/', false],
    ['/a/b', '/a', false],
    ['.', '/a/x', true],
    ['..', '/x', true],
  ])('%s has %s: %s', (within, place, expected) => {
    expect(holds({ within }, place)).toBe(expected);
    expect(holds({ not: { within } }, place)).toBe(!expected);
  });
});

describe('a rule that cannot be followed itself', () => {
  const why = "'~other' is the home of a user, which is not known";
  it.each<[PathTest, string]>([
    [{ within: '~other/x' }, why],
    [{ not: { within: '~other/x' } }, why],
    [{ path: '~other/*' }, why],
    [{ not: { path: '~other/*' } }, why],
    [{ within: ['/no', '~other/x'] }, why],
    [{ path: ['/no/*', '~other/*', '~more/*'] }, why],
    [{ within: 'a\0' }, 'the path contains a NUL'],
  ])('%j is neither fulfilled nor not', (test, expected) => expect(holds(test, '/x/y')).toBe(expected));

  it('does not hide the one beside it that is fulfilled', () => {
    expect(holds({ within: ['~other/x', '/x'] }, '/x/y')).toBe(true);
    expect(holds({ path: ['~other/*', '/x/*'] }, '/x/y')).toBe(true);
    expect(holds({ not: { within: ['~other/x', '/x'] } }, '/x/y')).toBe(false);
  });
});

describe('of several places', () => {
  const world = policyWorld({ cwd: '/a', platform: 'linux' });
  it.each<[readonly string[], Truth]>([
    [['/x/1', '/x/2', '/x/3'], true],
    [['/y', '/z'], false],
    [['/x/1', '/y'], "the path may lead to '/x/1' or to '/y'"],
    [['/x/1', '/x/2', '/y'], "the path may lead to '/x/1' or to '/y'"],
    [['/y', '/z', '/x'], "the path may lead to '/y' or to '/x'"],
  ])('%j only what is so of each is sure', (places, expected) => {
    expect(compilePathTest({ within: '/x' }, world)(places)).toBe(expected);
    expect(compilePathTest({ not: { path: '/x/**' } }, world)(places)).toBe(
      typeof expected === 'string' ? expected : !expected,
    );
  });
});

describe('letter case', () => {
  it.each<[PathTest, string]>([
    [{ within: '/X/Keys' }, '/x/kEYS/a'],
    [{ path: '/X/*.KEY' }, '/x/a.key'],
    [{ path: '/X/[a-c]' }, '/x/B'],
    [{ path: '/x/\u00E9' }, '/x/e\u0301'],
    [{ within: '/x/e\u0301' }, '/x/\u00E9/a'],
  ])('%j does not tell places apart where it does not on the disk', (test, place) => {
    expect(holds(test, place, 'darwin')).toBe(true);
    expect(holds(test, place, 'linux')).toBe(false);
  });
});
