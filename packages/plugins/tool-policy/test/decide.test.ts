// Owns the laws of a decision: the strictest rule wins whatever its position, and a predicate says only what it says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@treblehook/types';
import {
  compilePolicy,
  parsePolicy,
  unmatchedPointers,
  unmatchedTools,
  type Policy,
  type Predicate,
  type Rule,
} from '../src/index.js';

const call = (name: string, args: unknown = {}, source = 'host') => ({ tool: { source, name }, args: args as never });
const deny = (tools: Rule['tools'], more: Partial<Rule> = {}): Rule => ({
  tools,
  decision: 'deny',
  reason: 'no',
  ...more,
});
const ask = (tools: Rule['tools'], more: Partial<Rule> = {}): Rule => ({
  tools,
  decision: 'ask',
  reason: 'may it?',
  ...more,
});
const decide = (...rules: Rule[]) => compilePolicy({ rules }).decide;
const when = (pointer: string, predicate: Predicate) => decide(deny('*', { when: { [pointer]: predicate } }));
const matches = (pointer: string, predicate: Predicate, args: unknown) =>
  when(pointer, predicate)(call('t', args)) !== undefined;

describe('strictness', () => {
  it('a call that no rule names gets no answer', () => {
    expect(decide(deny('delete_*'), ask('write'))(call('read'))).toBeUndefined();
    expect(decide()(call('read'))).toBeUndefined();
  });

  // https://github.com/anthropics/claude-code/issues/39344
  it('a deny beats an ask in either order, and both are named', () => {
    const expected = { deny: 'no; soft would have asked', rule: 'hard' };
    expect(decide(ask('t', { id: 'soft' }), deny('t', { id: 'hard' }))(call('t'))).toEqual(expected);
    expect(decide(deny('t', { id: 'hard' }), ask('t', { id: 'soft' }))(call('t'))).toEqual(expected);
  });

  it('every rule that matched is named, by its id or its position', () => {
    expect(decide(deny('t'), deny('x'), deny('*', { id: 'all', reason: 'nothing' }))(call('t'))).toEqual({
      deny: 'no; nothing',
      rule: '#1, all',
    });
    expect(decide(ask('t'), ask('*', { id: 'all' }))(call('t'))).toEqual({
      ask: 'may it? (policy rule #1); may it? (policy rule all)',
      rule: '#1, all',
      version: expect.stringMatching(/^[0-9a-f]{12}\+[0-9a-f]{12}$/),
    });
  });

  it('a question is another one as soon as its rule says anything else, or it cannot be told whether it matches', () => {
    const pays = {
      id: 'pay',
      tools: 'pay',
      decision: 'ask',
      reason: 'may it pay?',
      commands: { program: 'pay' },
    } as const;
    const versionOf = (rule: Partial<Rule>, args: JsonValue = { run: 'pay 1' }) => {
      const { decide } = compilePolicy({ rules: [{ ...pays, ...rule }], unknown: 'ask' });
      return decide({ tool: { source: 'host', name: 'pay', commands: ['run'] }, args });
    };
    const first = versionOf({});
    expect(first).toMatchObject({ rule: 'pay', version: expect.any(String) });
    expect(versionOf({}, { run: 'pay 2' })).toEqual(first);
    for (const changed of [
      { reason: 'IS IT SURE?' },
      { commands: { program: 'p*' } },
      { tools: ['pay', 'x'] },
    ] as const) {
      expect(versionOf(changed)).toMatchObject({
        rule: 'pay',
        version: expect.not.stringMatching((first as any).version),
      });
    }
    expect(versionOf({}, { run: '"$x" 1' })).toMatchObject({ version: `${(first as any).version}?` });
  });

  it('one halt among the denials that matched halts, and one that did not match does not', () => {
    expect(decide(deny('t'), deny('t', { halt: true }))(call('t'))).toMatchObject({ halt: true });
    expect(decide(deny('t'), deny('x', { halt: true }))(call('t'))).not.toHaveProperty('halt');
  });

  it('for any set of rules, each order of them gives the same decision', () => {
    const rule = fc.record({
      tools: fc.constantFrom('t', '*', 'x', 't*', 'host/t'),
      decision: fc.constantFrom('deny' as const, 'ask' as const),
      reason: fc.constant('r'),
      when: fc.constantFrom({ '/a': { equals: 1 } } as const, { '/a': { in: [2] } } as const),
    });
    const kind = (rules: readonly Rule[]) => {
      const verdict = compilePolicy({ rules }).decide(call('t', { a: 1 }));
      return verdict === undefined ? 'pass' : 'deny' in verdict ? 'deny' : 'ask';
    };
    fc.assert(
      fc.property(
        fc
          .array(rule, { maxLength: 6 })
          .chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length }))),
        ([rules, shuffled]) => {
          expect(kind(shuffled)).toBe(kind(rules));
          const hit = rules.filter(({ tools, when }) => tools !== 'x' && 'equals' in when['/a']);
          const strictest = hit.some((one) => one.decision === 'deny') ? 'deny' : hit.length > 0 ? 'ask' : 'pass';
          expect(kind(rules)).toBe(strictest);
        },
      ),
    );
  });
});

describe('names', () => {
  // https://github.com/anthropics/claude-code/issues/44446
  // https://github.com/anthropics/claude-plugins-official/issues/1268
  it('a glob matches the whole of a name, or of a source and a name, and never a part', () => {
    const hit = (glob: string, name: string, source: string) =>
      'deny' in (decide(deny(glob))(call(name, {}, source)) ?? {});
    expect(hit('send', 'send', 'mcp:mail')).toBe(true);
    expect(hit('mcp:mail/send', 'send', 'mcp:mail')).toBe(true);
    expect(hit('mcp:mail/send', 'mcp:mail/send', 'mcp:mail')).toBe(true);
    expect(hit('mcp:*', 'send', 'mcp:mail')).toBe(true);
    expect(hit('mcp:mail', 'send', 'mcp:mail')).toBe(false);
    expect(hit('sen', 'send', 'mcp:mail')).toBe(false);
    expect(hit('Send', 'send', 'host')).toBe(false);
    expect(hit('plugin:acme/*', 'send', 'plugin:acme')).toBe(true);
    expect(hit('plugin:acme/*', 'send', 'host')).toBe(false);
    expect(hit('s.nd', 'send', 'host')).toBe(false);
    expect(hit('*', 'mcp:a/b.c', 'mcp:a')).toBe(true);
  });

  it('a tool of one source is not taken for its namesake of another', () => {
    const one = decide(deny('mcp:a/send'));
    expect(one(call('send', {}, 'mcp:a'))).toHaveProperty('deny');
    expect(one(call('send', {}, 'mcp:b'))).not.toHaveProperty('deny');
    expect(one(call('send', {}, 'mcp:a'))).toHaveProperty('deny');
  });

  it('a matcher that matches no known tool is listed, with the name that was perhaps meant', () => {
    const policy = parsePolicy({ rules: [deny(['delete_file', 'delet_file']), ask('mcp:*', { id: 'remote' })] });
    const tools = ['read_file', 'delete_file'].map((name) => ({ source: 'host', name }));
    expect(unmatchedTools(policy, tools)).toEqual([
      { rule: '#1', path: ['rules', 0, 'tools', 1], glob: 'delet_file', near: 'delete_file' },
      { rule: 'remote', path: ['rules', 1, 'tools', 0], glob: 'mcp:*' },
    ]);
    expect(unmatchedTools(policy, [])).toHaveLength(3);
  });
});

describe('pointers', () => {
  // The examples of RFC 6901, section 5.
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  };
  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j names its value', (pointer, value) => {
    expect(matches(pointer, { equals: value as never }, document)).toBe(true);
  });

  it.each(['/no', '/foo/2', '/foo/-', '/foo/01', '/foo/+1', '/foo/1.0', '/foo/length', '/foo/0/0', '/a~1b/x'])(
    '%j names nothing, so no predicate holds',
    (pointer) => {
      expect(matches(pointer, { in: [null, document.foo.length] }, document)).toBe(false);
      expect(matches(pointer, { glob: '*' }, document)).toBe(false);
    },
  );

  it.each(['/constructor', '/__proto__', '/toString/name'])('%j reads nothing that is inherited', (pointer) => {
    expect(matches(pointer, { glob: '*' }, {})).toBe(false);
    expect(matches(pointer, { equals: {} }, {})).toBe(false);
    expect(matches(pointer, { glob: '*' }, [])).toBe(false);
    expect(matches('/constructor', { equals: 1 }, { constructor: 1 })).toBe(true);
  });

  it('arguments that are no object have a whole and nothing inside', () => {
    expect(matches('', { equals: 'ls' }, 'ls')).toBe(true);
    expect(matches('/0', { glob: '*' }, 'ls')).toBe(false);
    expect(matches('/a', { equals: null }, null)).toBe(false);
  });
});

describe('predicates', () => {
  it('equals is deep and does not mind the order of keys', () => {
    expect(matches('/a', { equals: { x: [1, { y: null }], z: 'q' } }, { a: { z: 'q', x: [1, { y: null }] } })).toBe(
      true,
    );
    expect(matches('/a', { equals: { x: 1 } }, { a: { x: 1, y: 2 } })).toBe(false);
    expect(matches('/a', { equals: { x: 1, y: 2 } }, { a: { x: 1 } })).toBe(false);
    expect(matches('/a', { equals: [1, 2] }, { a: [2, 1] })).toBe(false);
    expect(matches('/a', { equals: [1] }, { a: { 0: 1 } })).toBe(false);
    expect(matches('/a', { equals: { 0: 1 } }, { a: [1] })).toBe(false);
    expect(matches('/a', { equals: 1 }, { a: '1' })).toBe(false);
    expect(matches('/a', { equals: null }, { a: null })).toBe(true);
    expect(matches('/a', { equals: { toString: 1 } }, { a: { b: 1 } })).toBe(false);
  });

  it('in is equality with one of the list', () => {
    expect(matches('/a', { in: [1, { b: [2] }] }, { a: { b: [2] } })).toBe(true);
    expect(matches('/a', { in: [1, 'x'] }, { a: 2 })).toBe(false);
  });

  it('glob is for texts: no number, boolean or list is one', () => {
    expect(matches('/a', { glob: '*.env' }, { a: 'deep/down/.env' })).toBe(true);
    expect(matches('/a', { glob: '*.env' }, { a: '.env.sample' })).toBe(false);
    for (const a of [1, true, null, ['x'], { x: 1 }]) expect(matches('/a', { glob: '*' }, { a })).toBe(false);
  });

  it('all pointers of a rule must hold', () => {
    const both = decide(deny('*', { when: { '/a': { equals: 1 }, '/b': { equals: 2 } } }));
    expect(both(call('t', { a: 1, b: 2 }))).toBeDefined();
    expect(both(call('t', { a: 1 }))).toBeUndefined();
    expect(both(call('t', { b: 2 }))).toBeUndefined();
  });
});

describe('a compiled policy', () => {
  it('does not follow later changes of the object it was made from', () => {
    const rules = [deny('t')];
    const policy: Policy = { rules };
    const one = compilePolicy(policy).decide;
    rules.pop();
    expect(one(call('t'))).toBeDefined();
  });

  it('reads the policy first, so an untyped caller cannot bring an allow', () => {
    expect(() => compilePolicy({ rules: [{ ...deny('t'), decision: 'allow' as never }] })).toThrow(
      /there is no 'allow'/,
    );
  });
});

/** The prototype of nearly everything. */
const everyone: Record<string, unknown> = Object.prototype as never;

describe('what hangs on Object.prototype', () => {
  const hang = <T>(key: string, value: unknown, then: () => T): T => {
    Object.defineProperty(everyone, key, { value, configurable: true });
    try {
      return then();
    } finally {
      delete everyone[key];
    }
  };
  const policy: Policy = {
    rules: [deny('t', { when: { '/path': { equals: 'keep' } } }), deny('u', { when: { '/path': { in: ['keep'] } } })],
  };
  const inherited: [string, unknown][] = [
    ['glob', 'nope'],
    ['in', []],
    ['equals', 'nope'],
    ['when', { '/nope': { equals: 1 } }],
    ['decision', 'ask'],
    ['tools', 'nope'],
    ['rules', []],
    ['id', 'nope'],
    ['kind', 'glob'],
    ['value', 'nope'],
  ];
  it.each(inherited)('%s, switches no compiled rule off', (key, value) => {
    const judge = compilePolicy(policy).decide;
    for (const tool of ['t', 'u']) {
      expect(hang(key, value, () => judge(call(tool, { path: 'keep' })))).toMatchObject({ deny: 'no' });
      expect(hang(key, value, () => judge(call(tool, { path: 'else' })))).toBeUndefined();
    }
  });

  it.each(inherited)('%s, is in no policy that is read after it', (key, value) => {
    const [judge, whole] = hang(key, value, () => [
      compilePolicy(policy).decide,
      compilePolicy({ rules: [deny('*')] }).decide,
    ]);
    expect(judge(call('t', { path: 'keep' }))).toMatchObject({ deny: 'no', rule: '#1' });
    expect(judge(call('u', { path: 'keep' }))).toMatchObject({ deny: 'no', rule: '#2' });
    expect(whole(call('x'))).toMatchObject({ deny: 'no' });
  });

  it('an accessor of an index gives a decision no other rule', () => {
    const judge = compilePolicy({ rules: [deny('t')] }).decide;
    const gentle = { decision: 'ask', label: 'x', reason: 'x' };
    Object.defineProperty(everyone, '0', { configurable: true, get: () => gentle, set: () => {} });
    try {
      expect(judge(call('t'))).toMatchObject({ deny: 'no' });
    } finally {
      delete everyone['0'];
    }
  });
});

describe('a pointer to no argument', () => {
  const tool = (properties: object, more: object = {}) => ({
    source: 'host',
    name: 'read_file',
    inputSchema: { type: 'object', properties, ...more } as never,
  });
  const policy = parsePolicy({
    rules: [deny('read_*', { when: { '/pth': { equals: 'a' }, '/path/x': { equals: 1 } } })],
  });

  it('is found, with the nearest argument and its place', () => {
    expect(unmatchedPointers(policy, [tool({ path: {}, from: {} })])).toEqual([
      {
        rule: '#1',
        path: ['rules', 0, 'when', '/pth'],
        pointer: '/pth',
        tool: 'read_file',
        has: ['path', 'from'],
        near: 'path',
      },
    ]);
  });

  it('is not looked for in a tool that the rule is not about, or whose schema lets other arguments through', () => {
    expect(unmatchedPointers(policy, [{ ...tool({}), name: 'write_file' }])).toEqual([]);
    expect(unmatchedPointers(policy, [tool({}, { additionalProperties: {} })])).toEqual([]);
    expect(unmatchedPointers(policy, [{ ...tool({}), inputSchema: { anyOf: [] } }])).toEqual([]);
  });

  it('says nothing of a text that is no pointer, whatever the arguments are called', () => {
    const unread: Policy = { rules: [deny('read_*', { when: { path: { equals: 'a' } } })] };
    expect(unmatchedPointers(unread, [tool({ path: {} })])).toEqual([]);
    expect(unmatchedPointers({ unlisted: 'deny' }, [tool({ path: {} })])).toEqual([]);
  });
});

describe('a condition of a rule', () => {
  type Condition = Exclude<keyof Rule, 'id' | 'tools' | 'personalities' | 'decision' | 'reason' | 'halt'>;
  const conditions: Required<Pick<Rule, Condition>> = {
    when: { '/a': { equals: 1 } },
    paths: { within: '.' },
    hosts: { host: 'private' },
    commands: { program: 'rm' },
    annotations: { readOnlyHint: true },
  };
  it.each(Object.entries(conditions))('%s is looked at', (on, condition) => {
    const { explain } = compilePolicy({ rules: [deny('*', { [on]: condition })] });
    const [rule] = explain(call('t', {})).rules;
    expect(rule).toMatchObject({ matches: false, tests: [{ on: on === 'when' ? '/a' : on, holds: false }] });
  });
});
