// Owns the laws of what a call names: the folders its commands may start in, its paths and its URLs, and nothing inherited.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '@treblehook/types';
import { compilePolicy, type PolicedTool, type Rule } from '../src/index.js';

let top: string;
let cwd: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'look-')));
  cwd = join(top, 'host');
  for (const name of ['a', 'b', 'secrets']) mkdirSync(join(cwd, name), { recursive: true });
  mkdirSync(join(top, 'far/off'), { recursive: true });
  symlinkSync('../far/off', join(cwd, 'link'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** 'yes', 'no', or why it cannot be told. */
function truth(test: Partial<Rule>, tool: Partial<PolicedTool>, args: object): string {
  const { explain } = compilePolicy({ rules: [{ tools: 't', decision: 'deny', reason: 'x', ...test }] }, { cwd });
  const own = Object.assign(Object.create(Object.getPrototypeOf(tool)), { source: 'host', name: 't' }, tool);
  const [report] = explain({ tool: own, args: args as JsonValue }).rules;
  return report!.unknown ?? (report!.matches ? 'yes' : 'no');
}

describe('a command starts', () => {
  const writes = { commands: { writes: { within: 'secrets' } } } as const;
  const starts = (paths: readonly string[], args: object, to: string): string =>
    truth(writes, { commands: ['command'], paths }, { command: `ls > ${to}`, ...args });

  it.each<[string, readonly string[], object, string, string]>([
    ["in the host's folder where no path is declared", [], {}, 'secrets/x', 'yes'],
    ['there, when none is given', ['cwd'], {}, 'secrets/x', 'yes'],
    ['there, when null is given', ['cwd'], { cwd: null }, 'secrets/x', 'yes'],
    ['in the `cwd` that is given', ['cwd'], { cwd: 'a' }, '../secrets/x', 'yes'],
    ['and then nowhere else', ['cwd'], { cwd: 'a' }, 'secrets/x', 'no'],
    ['whatever other path stands beside it', ['cwd', 'file'], { cwd: 'a', file: 'b' }, '../secrets/x', 'yes'],
    ['in whatever order', ['file', 'cwd'], { cwd: 'a', file: '.' }, 'secrets/x', 'no'],
    ['not in another path, when no `cwd` is given', ['cwd', 'file'], { file: 'a' }, 'secrets/x', 'yes'],
    ['nor outside of the host then', ['cwd', 'file'], { file: 'a' }, '../secrets/x', 'no'],
    ['in a path that is no folder of its own, or not', ['dir'], { dir: 'a' }, '../secrets/x', 'MAYBE'],
    ['or in the folder of the host', ['dir'], { dir: 'a' }, 'secrets/x', 'MAYBE'],
    ['and from both the same is sure', ['dir'], { dir: 'a' }, '../host/b', 'no'],
    ['in each path of a list', ['dir'], { dir: ['.', 'a'] }, '../secrets/x', 'MAYBE'],
    ['in each of several paths', ['one', 'two'], { one: '.', two: 'a' }, '../secrets/x', 'MAYBE'],
  ])('%s', (_, paths, args, to, expected) => {
    expect(starts(paths, args, to).replace(/^the path may lead to .*/, 'MAYBE')).toBe(expected);
  });

  it('in each of the places that one folder may be', () => {
    // as text it is the folder itself; the system goes through the link, and up from where it led
    const from = (to: string): string => starts(['cwd'], { cwd: 'link/..' }, to);
    expect(from('secrets/x')).toMatch(/may lead to/);
    expect(from('../host/secrets/x')).toBe('yes');
    const far = { commands: { writes: { within: '../far' } } } as const;
    expect(truth(far, { commands: ['c'], paths: ['cwd'] }, { c: 'ls > x', cwd: 'link/..' })).toMatch(/may lead to/);
  });

  it.each([
    ['cwd', '~root/x', /home of a user/],
    ['cwd', '', /is empty/],
    ['cwd', 5, /a path is no text/],
    ['cwd', {}, /a path is no text/],
    ['dir', ['a', '~root/x'], /home of a user/],
    ['dir', ['a', 5], /a path is no text/],
  ])('nobody knows where when %s is %j', (name, value, why) => {
    expect(starts([name], { [name]: value }, 'b/x')).toMatch(why);
    const absolute = join(cwd, 'secrets/x');
    expect(starts([name], { [name]: value }, absolute)).toBe('yes');
  });
});

describe('what is no text', () => {
  it.each([5, true, {}, ['a', 5], [['a']]])('%j is no path and no URL, but nobody knows what', (value) => {
    expect(truth({ paths: { within: '/etc' } }, { paths: ['p'] }, { p: value })).toBe('a path is no text');
    const url = Array.isArray(value) ? value.map((one) => (one === 'a' ? 'http://a.example/' : one)) : value;
    expect(truth({ hosts: { host: 'private' } }, { urls: ['u'] }, { u: url })).toBe('a URL is no text');
  });

  it('does not hide the path beside it', () => {
    expect(truth({ paths: { within: '/etc' } }, { paths: ['p', 'q'] }, { p: 5, q: '/etc/x' })).toBe('yes');
    expect(truth({ hosts: { host: 'private' } }, { urls: ['u'] }, { u: [5, 'http://127.0.0.1/'] })).toBe('yes');
  });

  it('null and what is not there are nothing at all', () => {
    for (const args of [{}, { p: null }, [], null]) {
      expect(truth({ paths: { within: '/' } }, { paths: ['p'] }, args as object)).toBe('no');
    }
  });
});

describe('what is inherited', () => {
  const rules: readonly [kind: 'paths' | 'urls' | 'commands', test: Partial<Rule>, value: string][] = [
    ['paths', { paths: { within: '/etc' } }, '/etc/x'],
    ['urls', { hosts: { host: 'private' } }, 'http://127.0.0.1/'],
    ['commands', { commands: { program: 'rm' } }, 'rm x'],
  ];
  it.each(rules)('is none of the %s of a tool or of a call', (kind, test, value) => {
    expect(truth(test, { [kind]: ['arg'] }, { arg: value })).toBe('yes');
    expect(truth(test, Object.create({ [kind]: ['arg'] }) as object, { arg: value })).toBe('no');
    expect(truth(test, { [kind]: ['arg'] }, Object.create({ arg: value }) as object)).toBe('no');
  });

  it.each(rules)('is none of the %s, when a tool declares a name that everything has', (kind, test, value) => {
    for (const name of ['constructor', 'toString', 'valueOf', '__proto__']) {
      expect(truth(test, { [kind]: [name] }, {}), name).toBe('no');
      const args = Object.defineProperty({}, name, { value, enumerable: true });
      expect(truth(test, { [kind]: [name] }, args), name).toBe('yes');
    }
  });

  it('is no folder to start in', () => {
    const writes = { commands: { writes: { within: 'secrets' } } } as const;
    const tool = Object.assign(Object.create({ paths: ['cwd'] }), { commands: ['c'] }) as Partial<PolicedTool>;
    expect(truth(writes, tool, { c: 'ls > secrets/x', cwd: 'a' })).toBe('yes');
    const args = Object.assign(Object.create({ cwd: 'a' }), { c: 'ls > secrets/x' }) as object;
    expect(truth(writes, { commands: ['c'], paths: ['cwd'] }, args)).toBe('yes');
  });

  it('is no hint', () => {
    const annotations = Object.create({ readOnlyHint: true, destructiveHint: false }) as NonNullable<
      PolicedTool['annotations']
    >;
    expect(truth({ annotations: { readOnlyHint: true } }, { annotations }, {})).toBe('no');
    expect(truth({ annotations: { destructiveHint: true } }, { annotations }, {})).toBe('yes');
    const inherits = Object.create({ annotations: { readOnlyHint: true } }) as object;
    expect(truth({ annotations: { readOnlyHint: true } }, inherits, {})).toBe('no');
  });
});
