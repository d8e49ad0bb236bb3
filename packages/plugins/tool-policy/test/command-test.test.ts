// Owns the laws of what a rule says of a command: its program, its words, its files, and what of it is not known.
import { describe, expect, it } from 'vitest';
import { compileCommandTest, type CommandTest } from '../src/commands/command-test.js';
import { readReach } from '../src/shell/read-command.js';
import { policyWorld } from '../src/world.js';

/** 'yes', 'no', or why it cannot be told. */
function truth(test: CommandTest, line: string | readonly string[], platform: NodeJS.Platform = 'linux'): string {
  const cwd = platform === 'win32' ? 'C:\\nowhere' : '/nowhere';
  const found = compileCommandTest(test, policyWorld({ cwd, platform }))(readReach(line), () => [cwd]);
  return typeof found === 'string' ? found : found ? 'yes' : 'no';
}

describe('a program', () => {
  it.each<[NodeJS.Platform, CommandTest, string, string]>([
    ['win32', { program: 'rm' }, 'rm.exe x', 'yes'],
    ['win32', { program: 'rm' }, 'RM.EXE x', 'yes'],
    ['win32', { program: 'rm' }, 'rm.com x', 'yes'],
    ['win32', { program: 'rm' }, 'rm.bat x', 'yes'],
    ['win32', { program: 'rm' }, 'rm.cmd x', 'yes'],
    ['win32', { program: 'rm' }, 'rm.exe.sh x', 'no'],
    ['win32', { program: 'rm' }, 'rm-exe x', 'no'],
    ['win32', { program: ['rm', 'rms'] }, 'rm.exes x', 'no'],
    ['win32', { line: 'rm x' }, 'rm.exe x', 'yes'],
    ['win32', { line: 'rm x' }, 'rm x.exe', 'no'],
    ['linux', { program: 'rm' }, 'rm.exe x', 'no'],
    ['linux', { line: 'rm x' }, 'rm.exe x', 'no'],
    ['darwin', { program: 'rm' }, 'rm.exe x', 'no'],
    ['darwin', { program: 'rm' }, 'RM x', 'yes'],
    ['darwin', { program: 'RM' }, 'rm x', 'yes'],
    ['win32', { program: 'Rm' }, 'rM x', 'yes'],
    ['linux', { program: 'rm' }, 'RM x', 'no'],
    ['linux', { program: 'RM' }, 'rm x', 'no'],
    ['linux', { program: ['ls', 'mk*'] }, 'mkfs.ext4 x', 'yes'],
    ['linux', { program: ['ls', 'mk*'] }, 'rmk x', 'no'],
  ])('on %s %j of `%s`: %s', (platform, test, line, expected) => {
    expect(truth(test, line, platform)).toBe(expected);
  });
});

describe('a file', () => {
  const folder = { within: '/nowhere/s' };
  it.each<[string, string, string]>([
    ['cat < s/x', 'no', 'yes'],
    ['ls > s/x', 'yes', 'no'],
    ['ls >> s/x', 'yes', 'no'],
    ['ls <> s/x', 'yes', 'yes'],
    ['cat < s/x > y', 'no', 'yes'],
    ['cat < y > s/x', 'yes', 'no'],
    ['ls > y > s/x', 'yes', 'no'],
    ['cat s/x', 'no', 'no'],
    ['ls > y', 'no', 'no'],
    ['ls > $X', 'a file of the command is not known', 'no'],
    ['cat < $X', 'no', 'a file of the command is not known'],
    ['ls > $X > s/x', 'yes', 'no'],
    ['cd s; ls > x', "the path may lead to '/nowhere/x' or to '/nowhere/s/x'", 'no'],
  ])('in `%s` is written: %s, is read: %s', (line, writes, reads) => {
    expect(truth({ writes: folder }, line)).toBe(writes);
    expect(truth({ reads: folder }, line)).toBe(reads);
  });

  it('is no file of a command beside it', () => {
    expect(truth({ program: 'ls', writes: folder }, 'ls; cat > s/x')).toBe('no');
    expect(truth({ program: 'cat', writes: folder }, 'ls; cat > s/x')).toBe('yes');
  });

  it('is outside of a folder only where there is one', () => {
    expect(truth({ writes: { not: folder } }, 'ls')).toBe('no');
    expect(truth({ writes: { not: folder } }, 'ls < y')).toBe('no');
    expect(truth({ writes: { not: folder } }, 'ls > y')).toBe('yes');
  });
});

describe('what is not known', () => {
  const word = "a part of '…' is not known";
  const program = 'the program is not written out: $X';
  it.each<[CommandTest, string, string]>([
    [{ word: '--force' }, 'pay out $X', word],
    [{ word: '--force' }, 'pay out $X --force', 'yes'],
    [{ word: '--force' }, 'pay out --f$X', word],
    [{ word: '--force' }, 'pay out x', 'no'],
    [{ word: '*' }, 'pay', 'no'],
    [{ word: '*' }, 'pay $X', 'yes'],
    [{ word: ['a', '--force'] }, 'pay --force', 'yes'],
    [{ word: ['a', '--force'] }, 'pay $X', word],
    [{ line: 'pay out *' }, 'pay out $X', 'yes'],
    [{ line: 'pay out --force' }, 'pay out $X', "a part of 'pay out …' is not known"],
    [{ line: 'pay out --force' }, 'pay in $X', 'no'],
    [{ line: 'pay *--force' }, 'pay $X --force', 'yes'],
    [{ line: 'pay out --force' }, 'pay $X --force', "a part of 'pay … --force' is not known"],
    [{ line: 'pay out --force' }, 'pay $X --dry', 'no'],
    [{ line: ['x', 'pay out *'] }, 'pay $X', "a part of 'pay …' is not known"],
    [{ assigns: 'T*' }, 'TZ=x ls', 'yes'],
    [{ assigns: 'T*' }, 'A=x ls TZ', 'no'],
    [{ word: 'T*' }, 'TZ=x ls', 'no'],
    [{ program: 'pay', word: '--force' }, 'ls $X', 'no'],
    [{ program: 'pay', word: '--force' }, 'pay $X', word],
    [{ program: 'pay', word: '--force' }, 'pay x; ls --force', 'no'],
    [{ program: 'rm' }, 'ls; "$X"', program],
    [{ program: 'rm' }, 'rm x; "$X"', 'yes'],
    [{ program: 'rm' }, '"$X"; rm x', 'yes'],
    [{ program: 'pay', word: '--force' }, 'pay $Y; "$X"', word],
  ])('%j of `%s`: %s', (test, line, expected) => expect(truth(test, line)).toBe(expected));
});

describe('not', () => {
  const other: CommandTest = { not: { program: ['ls', 'cat'] } };
  it.each<[CommandTest, string, string | RegExp]>([
    [other, 'ls', 'no'],
    [other, 'ls; cat x', 'no'],
    [other, 'ls; rm x', 'yes'],
    [other, 'ls | rm', 'yes'],
    [other, 'ls $(rm x)', 'yes'],
    [other, 'ls "$X"', 'no'],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'pay out', 'yes'],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'pay out --dry-run', 'no'],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'pay out $X', /is not known$/],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'ls $X', 'no'],
    [{ program: 'pay', not: { word: '--dry-run' } }, 'pay out; ls --dry-run', 'yes'],
    [{ not: { program: 'ls', word: '-l' } }, 'ls', 'yes'],
    [{ not: { program: 'ls', word: '-l' } }, 'ls -l', 'no'],
    [{ not: { not: { program: 'rm' } } }, 'rm x', 'yes'],
    [{ not: { not: { program: 'rm' } } }, 'ls', 'no'],
    [{ not: { writes: { within: '/nowhere' } } }, 'ls > $X', 'a file of the command is not known'],
    [{ not: { writes: { within: '/nowhere' } } }, 'ls > x', 'no'],
    [{ not: { writes: { within: '/nowhere' } } }, 'ls > /x', 'yes'],
    [{ not: { writes: { within: '/nowhere' } } }, 'ls', 'yes'],
  ])('%j of `%s`: %s', (test, line, expected) => {
    if (typeof expected === 'string') expect(truth(test, line)).toBe(expected);
    else expect(truth(test, line)).toMatch(expected);
  });
});
