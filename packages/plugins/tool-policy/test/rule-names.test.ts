// Owns the law of what a guard names: the names of rules and their versions are made and taken apart in one place.
import { describe, expect, it } from 'vitest';
import { compilePolicy, ruleName, rulesIn } from '../src/index.js';
import { asAsked } from '../src/rule-names.js';

const rule = (id: string, more: object = {}) => ({ id, tools: 't', decision: 'ask' as const, reason: 'x', ...more });

describe('what an ask names', () => {
  it.each([
    ['one rule', { rules: [rule('a')] }, 'a'],
    ['two rules', { rules: [rule('a'), rule('b')] }, 'a, b'],
    ['what no rule names', { rules: [], unlisted: 'ask' as const }, 'unlisted'],
    ['what cannot be told', { rules: [rule('a', { when: { '/p': { within: '.' } } })], unknown: 'ask' as const }, 'a'],
  ])('%s: is the rule, with a version that can be taken off', (_, policy, name) => {
    const verdict = compilePolicy(policy).decide({
      tool: { source: 'host', name: 't' },
      args: { p: '/proc/self/cwd' },
    });
    if (verdict === undefined || !('ask' in verdict)) throw new Error('nobody asks');
    const named = asAsked(verdict);
    expect(named).not.toBe(name);
    expect(ruleName(named)).toBe(name);
    expect(rulesIn(named)).toEqual(name.split(', '));
    expect(rulesIn(verdict.rule)).toEqual(name.split(', '));
  });

  it('a name without a version is itself', () => {
    expect(ruleName('project:no-push')).toBe('project:no-push');
    expect(rulesIn('project:#1, b')).toEqual(['project:#1', 'b']);
  });
});
