// Owns the laws of reading a policy: a fault is refused with its place and the mend, and nothing is guessed.
import { HookError, type Locate } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../src/index.js';

const rule = { tools: 'delete_file', decision: 'deny', reason: 'nothing is deleted here' };

const refusal = (value: unknown, at?: Locate): HookError => {
  try {
    parsePolicy(value, at);
  } catch (error) {
    if (error instanceof HookError) return error;
    throw error;
  }
  throw new Error('the policy was taken');
};

describe('a policy that is right', () => {
  it('is read into a frozen copy, with what was given and nothing else', () => {
    const given = {
      rules: [
        { ...rule, id: 'no-delete', halt: true },
        {
          tools: ['write_*', 'mcp:*'],
          when: { '/path': { glob: '*.env' }, '/mode': { in: ['w', 'a'] }, '': { equals: { a: [1, null] } } },
          decision: 'ask',
          reason: 'may it?',
        },
      ],
    };
    const policy = parsePolicy(given);
    expect(policy).toEqual({ rules: [{ ...given.rules[0], tools: ['delete_file'] }, given.rules[1]] });
    given.rules[0]!.decision = 'ask';
    expect(policy.rules[0]!.decision).toBe('deny');
    const deep = policy.rules[1]!.when!['']!;
    for (const part of [policy, policy.rules, policy.rules[0], policy.rules[0]!.tools, policy.rules[1]!.when, deep]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen((deep as { equals: object }).equals)).toBe(true);
  });

  it('may have no rules', () => {
    expect(parsePolicy({ rules: [] })).toEqual({ rules: [] });
  });
});

describe('a policy that is wrong is refused with the place and the mend', () => {
  const loop: Record<string, unknown> = {};
  loop['again'] = loop;
  const wrong: [fault: string, value: unknown, message: RegExp][] = [
    ['no map', [], /^policy: these are no rules yet: put 'rules:' above the list$/],
    ['nothing', null, /^policy: there is nothing in it: write 'rules:' and a list of rules below, or give no policy$/],
    ['no rules', {}, /^policy: 'rules' is missing: write a list/],
    ['a misspelt top key', { rulez: [] }, /^policy at rulez: .*did you mean 'rules'\?$/],
    ['rules that are a map', { rules: {} }, /^policy at rules: 'rules' is a map: write a list$/],
    [
      'a misspelt key',
      { rules: [{ ...rule, resaon: 'x' }] },
      /^policy at rules\[0\]\.resaon: .*did you mean 'reason'\?$/,
    ],
    ['a key of another product', { rules: [{ ...rule, priority: 1 }] }, /use one of id, tools, personalities, when/],
    ['no tools', { rules: [{ ...rule, tools: undefined }] }, /'tools' is missing in 'rules\[0\]': name a tool/],
    ['an empty list of tools', { rules: [{ ...rule, tools: [] }] }, /'rules\[0\]\.tools' is an empty list/],
    [
      'an empty tool name',
      { rules: [{ ...rule, tools: ['a', ' '] }] },
      /^policy at rules\[0\]\.tools\[1\]: .* is empty/,
    ],
    ['tools of another kind', { rules: [{ ...rule, tools: 7 }] }, /is a number: write a text/],
    ['no decision', { rules: [{ ...rule, decision: undefined }] }, /'decision' is missing .*'deny' or 'ask'/],
    ['allow', { rules: [{ ...rule, decision: 'allow' }] }, /there is no 'allow': a policy can only deny or ask/],
    ['another decision', { rules: [{ ...rule, decision: 'Deny' }] }, /'decision' is 'Deny': write 'deny' or 'ask'/],
    ['no reason', { rules: [{ ...rule, reason: undefined }] }, /'reason' is missing .*say why/],
    ['an empty reason', { rules: [{ ...rule, reason: '' }] }, /'rules\[0\]\.reason' is empty/],
    ['halt on an ask', { rules: [{ ...rule, decision: 'ask', halt: true }] }, /only a 'deny' can halt/],
    [
      'halt that is no yes',
      { rules: [{ ...rule, halt: 'no' }] },
      /'halt' is the text "no": write true, or leave it out$/,
    ],
    ['halt that is false', { rules: [{ ...rule, halt: false }] }, /'halt' is not true: write true, or leave it out$/],
    ['an id with a space', { rules: [{ ...rule, id: 'No delete' }] }, /is no rule id: use a-z/],
    [
      'an id twice',
      {
        rules: [
          { ...rule, id: 'a' },
          { ...rule, id: 'a' },
        ],
      },
      /^policy at rules\[1\]\.id: two rules/,
    ],
    ['when without a value', { rules: [{ ...rule, when: null }] }, /'rules\[0\]\.when' is empty: write a map/],
    ['when without a pointer', { rules: [{ ...rule, when: {} }] }, /'when' is empty: leave it out/],
    [
      'no pointer',
      { rules: [{ ...rule, when: { path: { equals: 1 } } }] },
      /'path' is no JSON pointer: .*write '\/path'/,
    ],
    ['a bad escape', { rules: [{ ...rule, when: { '/a~2': { equals: 1 } } }] }, /'~' is written '~0'/],
    ['a bare value for a predicate', { rules: [{ ...rule, when: { '/a': 1 } }] }, /is a number: write a map/],
    ['no test', { rules: [{ ...rule, when: { '/a': {} } }] }, /needs exactly one of/],
    ['two tests', { rules: [{ ...rule, when: { '/a': { equals: 1, in: [1] } } }] }, /needs exactly one of/],
    ['a misspelt test', { rules: [{ ...rule, when: { '/a': { equal: 1 } } }] }, /did you mean 'equals'\?$/],
    [
      'a program with its words',
      { rules: [{ ...rule, commands: { program: 'git  push' } }] },
      /'git {2}push' is none: write \{ line: 'git push\*' \}, or \{ program: git, word: push \}$/,
    ],
    [
      'a program with its options',
      { rules: [{ ...rule, commands: { program: 'rm -rf' } }] },
      /'rm -rf' is none: write \{ program: rm, word: '-\*r\*' \}, and beside it in a list what else the option is called/,
    ],
    ['in with nothing', { rules: [{ ...rule, when: { '/a': { in: [] } } }] }, /an empty list, which nothing is in/],
    ['glob on a number', { rules: [{ ...rule, when: { '/a': { glob: 1 } } }] }, /is a number: write a text/],
    ['equals with no JSON', { rules: [{ ...rule, when: { '/a': { equals: Number.NaN } } }] }, /write plain JSON/],
    ['equals with a class', { rules: [{ ...rule, when: { '/a': { equals: new Date(0) } } }] }, /an object of a class/],
    ['equals that contains itself', { rules: [{ ...rule, when: { '/a': { equals: loop } } }] }, /or contains itself/],
  ];
  it.each(wrong)('%s', (_, value, message) => {
    const error = refusal(value);
    expect(error.code).toBe('TH_CONFIG_INVALID');
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('\n');
  });

  it('points to the key when the key is wrong, to the value when the value is', () => {
    const asked: unknown[] = [];
    const at: Locate = (path, part) => {
      asked.push([path.join('.'), part]);
      return { file: 'p.yaml', at: ':3:5' };
    };
    expect(refusal({ rules: [{ ...rule, resaon: 1 }] }, at).message).toMatch(/^p\.yaml:3:5: /);
    refusal({ rules: [{ ...rule, reason: 1 }] }, at);
    expect(asked).toEqual([
      ['rules.0.resaon', 'key'],
      ['rules.0.reason', 'value'],
    ]);
  });
});
