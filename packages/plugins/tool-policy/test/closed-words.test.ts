// Owns the law of closed vocabularies: a word that a policy does not have is refused with the nearest, and none is taken in silence.
import { toolHints, type HookError } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../src/index.js';

const rule = { tools: 'x', decision: 'deny', reason: 'no' };
const refusal = (value: unknown): HookError => {
  try {
    parsePolicy(value);
  } catch (error) {
    return error as HookError;
  }
  throw new Error('the policy was taken');
};

describe('a word that a policy does not have', () => {
  it.each<[string, unknown, string]>([
    ['a hint', { rules: [{ ...rule, annotations: { readonlyHint: true } }] }, "did you mean 'readOnlyHint'?"],
    [
      'a hint of nobody',
      { rules: [{ ...rule, annotations: { safe: true } }] },
      `use one of title, ${toolHints.join(', ')}`,
    ],
    ['a key of a rule', { rules: [{ ...rule, resaon: 'x' }] }, "did you mean 'reason'?"],
    ['a predicate', { rules: [{ ...rule, when: { '/a': { globs: 'x' } } }] }, "did you mean 'glob'?"],
    ['a bound', { rules: [{ ...rule, when: { '/a': { range: { mini: 1 } } } }] }, "did you mean 'min'?"],
    ['a test of paths', { rules: [{ ...rule, paths: { withn: '.' } }] }, "did you mean 'within'?"],
    ['a test of hosts', { rules: [{ ...rule, hosts: { hots: 'x' } }] }, "did you mean 'host'?"],
    ['a test of commands', { rules: [{ ...rule, commands: { progam: 'x' } }] }, "did you mean 'program'?"],
    ['a decision', { rules: [{ ...rule, decision: 'dney' }] }, "write 'deny' or 'ask'"],
    ['a word for what cannot be told', { rules: [], unknown: 'dney' }, "write 'deny' or 'ask'"],
    ['a mode', { rules: [], mode: 'dryrun' }, "write 'enforce' or 'dry-run'"],
    ['a source', { rules: [], unlisted: { mpc: 'ask' } }, 'use host, plugin, mcp'],
    ['a word for a source', { rules: [], unlisted: { mcp: 'aks' } }, "write 'deny' or 'ask' or 'silent'"],
  ])('%s is refused with the mend', (_, policy, mend) => {
    expect(refusal(policy)).toMatchObject({
      code: 'TH_CONFIG_INVALID',
      message: expect.stringContaining(mend) as string,
    });
  });

  it('a hint is true or false, and a title a text', () => {
    const of = (annotations: object) => ({ rules: [{ ...rule, annotations }] });
    expect(refusal(of({ readOnlyHint: 'true' })).message).toContain('write true or false, without quotes');
    expect(refusal(of({ title: true })).message).toContain('write a text');
    const hints = Object.fromEntries(toolHints.map((hint) => [hint, false]));
    expect(parsePolicy(of({ title: 'Files', ...hints })).rules[0]!.annotations).toEqual({ title: 'Files', ...hints });
  });
});

describe('what can never match for its spelling alone', () => {
  it.each<[string, object, string]>([
    ['a brace that is not closed', { paths: { path: '{a,b' } }, "a '{' without its '}': write '\\{'"],
    ['one in a glob of a predicate', { when: { '/p': { path: 'x/{a,{b,c}' } } }, "a '{' without its '}'"],
    ['a host with an empty step', { hosts: { host: 'example..org' } }, 'two dots'],
    ['a host with a dot in front', { hosts: { host: '.example.org' } }, "write '*.example.org'"],
    ['a path behind a host', { hosts: { host: 'docs_example.org/' } }, "write its host alone: 'docs_example.org'"],
    ['a line of another program', { commands: { program: 'ls', line: 'rm *' } }, "'rm *' is no line of 'ls'"],
    ['a line without words of another program', { commands: { program: ['ls', 'cat'], line: 'rm' } }, 'is no line of'],
    [
      'a blank behind a file',
      { paths: { path: '*.env ' } },
      "begins or ends with a blank: take it out, or write '[ ]' where it is meant",
    ],
    ['a blank in front of a folder', { paths: { within: ' src' } }, 'begins or ends with a blank: take it out'],
    ['a blank behind a tool', { tools: ['x', 'y '] }, 'begins or ends with a blank: take it out'],
    ['a blank behind a personality', { personalities: 'p ' }, 'begins or ends with a blank: take it out'],
  ])('%s is refused', (_, part, mend) => {
    expect(refusal({ rules: [{ ...rule, ...part }] }).message).toContain(mend);
  });

  it.each<[string, object]>([
    ['a brace for itself', { paths: { path: ['\\{a,b', 'a}', '[{]x', '{a}'] } }],
    ['a line of the program', { commands: { program: ['ls', 'git'], line: ['git push*', 'l*', '*'] } }],
    ['a line of programs by a glob', { commands: { program: 'python*', line: ['python3 -c*', 'py*'] } }],
    ['hosts', { hosts: { host: ['example.org.', '*.example.org', '*'] } }],
    ['a blank by its class', { paths: { path: 'x[ ]' } }],
  ])('%s is taken', (_, part) => {
    expect(() => parsePolicy({ rules: [{ ...rule, ...part }] })).not.toThrow();
  });
});

describe('several faults', () => {
  it('are told at once, whatever map they are in', () => {
    const { message, faults } = refusal({
      rules: [
        { tools: ' ', decision: 'dney', reason: '' },
        { ...rule, resaon: 1, when: { a: { equals: 1 }, '/b': { globs: 'x' } }, commands: { progam: 'x', line: 1 } },
        rule,
      ],
      unlisted: 'nobody',
      mode: 'off',
    });
    expect(message).toMatch(/^policy at rules\[0\]\.tools: .* \(9 more faults are told with it\)$/);
    expect(faults!.map(({ details }) => String(details['at']))).toEqual([
      ' at rules[0].tools',
      ' at rules[0].decision',
      ' at rules[0].reason',
      ' at rules[1].resaon',
      ' at rules[1].when.a',
      ' at rules[1].when./b.globs',
      ' at rules[1].commands.progam',
      ' at rules[1].commands.line',
      ' at unlisted',
      ' at mode',
    ]);
  });

  it('a key that is misspelt is not missing, too', () => {
    expect(refusal({ rules: [{ tools: 'x', decision: 'deny', reson: 'x' }] }).faults).toBeUndefined();
    expect(refusal({ rules: [{ id: 'a' }] }).faults).toHaveLength(3);
  });
});
