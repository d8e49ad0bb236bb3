// Owns the laws of "did you mean".
import { didYouMean, nearestName } from '../src/index.js';
import { describe, expect, it } from 'vitest';

const names = ['reason', 'rules', 'tools', 'decision', 'when', 'delete_file', 'read_file'];

describe('the nearest name', () => {
  it.each([
    ['resaon', 'reason'],
    ['Reason', 'reason'],
    ['toosl', 'tools'],
    ['hwen', 'when'],
    ['rule', 'rules'],
    ['tool', 'tools'],
    ['desicion', 'decision'],
    ['delte_file', 'delete_file'],
    ['readfile', 'read_file'],
  ])("of '%s' is '%s'", (wrong, meant) => {
    expect(nearestName(wrong, names)).toBe(meant);
  });

  it.each(['priority', 'x', '', 'qq'])("there is none of '%s'", (wrong) => {
    expect(nearestName(wrong, names)).toBeUndefined();
  });

  it('among equals is the first, and among none is none', () => {
    expect(nearestName('ab', ['ac', 'ad'])).toBe('ac');
    expect(nearestName('ab', [])).toBeUndefined();
  });

  it('of one letter is that letter, and no other one', () => {
    expect(nearestName('b', ['a', 'c', 'd'])).toBeUndefined();
    expect(nearestName('', ['a'])).toBeUndefined();
    expect(nearestName('B', ['a', 'b'])).toBe('b');
    expect(nearestName('a', ['ab'])).toBe('ab');
  });
});

describe('the phrase of a refusal', () => {
  it('names the nearest, and is none when no name is near', () => {
    expect(didYouMean('resaon', names)).toBe("did you mean 'reason'?");
    expect(didYouMean('priority', names)).toBeUndefined();
  });
});
