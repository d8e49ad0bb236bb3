// Owns the laws of what can never match: it is told of a rule that no tool can fulfil, and of no other.
import { describe, expect, it } from 'vitest';
import { parsePolicy, unmatchedKeys, unmatchedTools, unmatchedValues } from '../src/index.js';

const tools = [
  { source: 'host', name: 'read_file' },
  { source: 'mcp:every', name: 'mcp:every/echo' },
];

describe('a glob of a source', () => {
  it.each([
    ['mcp:evry/*', 'mcp:every/*'],
    ['mcp:evry/ecko', 'mcp:every/echo'],
    ['mcp:evry', 'mcp:every'],
    ['mcp:nothing-like-it/*', undefined],
  ])('%s is told with %s', (glob, near) => {
    const [found] = unmatchedTools(parsePolicy({ rules: [{ tools: glob, decision: 'deny', reason: 'x' }] }), tools);
    expect([found!.glob, found!.near]).toEqual([glob, near]);
  });
});

it('a rule for every tool looks at what comes: that none offered declares it is no fault', () => {
  const of = (glob: string) =>
    parsePolicy({ rules: [{ tools: glob, commands: { program: 'git' }, decision: 'ask', reason: 'x' }] });
  expect(unmatchedKeys(of('*'), tools)).toEqual([]);
  expect(unmatchedKeys(of('**'), tools)).toEqual([]);
  expect(unmatchedKeys(of('read_*'), tools)).toHaveLength(1);
});

describe('a predicate on an argument of another kind', () => {
  const argv = { type: 'array', items: { type: 'string' } };
  const inputSchema = {
    type: 'object',
    properties: {
      command: { anyOf: [argv, { type: 'object', properties: { shell: { type: 'string' } } }] },
      method: { type: 'string', enum: ['GET', 'HEAD'] },
      count: { type: ['integer', 'null'] },
      free: {},
      path: { type: 'string' },
      deep: { type: 'object', properties: { on: { type: 'boolean' } }, additionalProperties: false },
      kind: { const: 'a' },
    },
    additionalProperties: false,
  } as const;
  const run = { source: 'host', name: 'run', inputSchema, commands: ['command'] };
  const told = (when: object, glob = 'run', offered: readonly (typeof run)[] = [run]) =>
    unmatchedValues(
      parsePolicy({ rules: [{ tools: glob, when: when as never, decision: 'deny', reason: 'x' }] }),
      offered as never,
    ).map(({ why }) => why);

  it.each<[object, RegExp]>([
    [{ '/command': { glob: 'rm -rf*' } }, /^'glob' looks at a text, and it is a list or a map: use 'command'$/],
    [{ '/method': { equals: 'get' } }, /^it is "GET" or "HEAD": did you mean 'GET'\?$/],
    [{ '/method': { in: ['post', 'put'] } }, /^it is "GET" or "HEAD"/],
    [{ '/method': { glob: 'P*' } }, /^it is "GET" or "HEAD"/],
    [{ '/kind': { equals: 'b' } }, /^it is "a"/],
    [{ '/count': { glob: '1' } }, /^'glob' looks at a text, and it is a number or null: use 'equals'$/],
    [{ '/count': { equals: '1' } }, /^'equals' has a text, and it is a number or null$/],
    [{ '/path': { range: { min: 1 } } }, /^'range' looks at a number, and it is a text: use 'glob'$/],
    [{ '/path': { some: { equals: 1 } } }, /^'some' looks at a list or a map, and it is a text: use 'glob'$/],
    [{ '/deep/on': { equals: 'true' } }, /^'equals' has a text, and it is a boolean$/],
    [{ '/count': { within: '.' } }, /^'within' looks at a text/],
    [{ '/count': { command: { program: 'rm' } } }, /^'command' looks at a text, a list or a map, and/],
  ])('%j is told', (when, why) => {
    expect(told(when)).toEqual([expect.stringMatching(why)]);
  });

  it.each<[object]>([
    [{ '/command': { command: { program: 'rm' } } }],
    [{ '/command': { some: { glob: 'rm' } } }],
    [{ '/command/0': { glob: 'rm' } }],
    [{ '/method': { in: ['get', 'GET'] } }],
    [{ '/method': { glob: 'G*' } }],
    [{ '/count': { equals: null } }],
    [{ '/free': { glob: 'x' } }],
    [{ '/count': { not: { glob: 'x' } } }],
    [{ '': { equals: {} } }],
    [{ '/nobody': { glob: 'x' } }],
  ])('%j is not', (when) => {
    expect(told(when)).toEqual([]);
  });

  it('is told only when no tool of the rule takes it', () => {
    const other = { ...run, name: 'run_more', inputSchema: { type: 'object', properties: { command: {} } } };
    const when = { '/command': { glob: 'rm*' } };
    expect(told(when, 'run*')).toHaveLength(1);
    expect(told(when, 'run*', [run, other as never])).toEqual([]);
    expect(told(when, 'nobody')).toEqual([]);
  });

  it('has its place', () => {
    const policy = parsePolicy({
      rules: [{ id: 'a', tools: 'run', when: { '/method': { equals: 'get' } }, decision: 'deny', reason: 'x' }],
    });
    expect(unmatchedValues(policy, [run])).toMatchObject([
      { rule: 'a', path: ['rules', 0, 'when', '/method'], pointer: '/method', tool: 'run' },
    ]);
  });
});
