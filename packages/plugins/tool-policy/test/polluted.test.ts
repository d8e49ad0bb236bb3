// Owns what a decision is worth while names and indices hang on the shared prototypes, and that what is explained is what
// is decided.
import { describe, expect, it } from 'vitest';
import { compilePolicy, type PolicedCall, type Policy, type Predicate, type Rule } from '../src/index.js';

const rules: readonly Rule[] = [
  { tools: 'glob', when: { '/path': { glob: 'sec*' } }, decision: 'deny', reason: 'glob' },
  { tools: 'file', paths: { within: '/etc' }, decision: 'deny', reason: 'within' },
  { tools: 'file', paths: { path: ['/**/*.{key,pem}', '~/.ssh/**'] }, decision: 'deny', reason: 'path' },
  { tools: 'url', hosts: { host: ['private', '*.evil.example'] }, decision: 'deny', reason: 'host' },
  { tools: 'run', commands: { program: 'rm' }, decision: 'deny', reason: 'program' },
  { tools: 'run', commands: { writes: { within: '/etc' } }, decision: 'ask', reason: 'writes' },
  { tools: 'hint', annotations: { destructiveHint: true }, decision: 'deny', halt: true, reason: 'hint' },
];
const call = (name: string, args: PolicedCall['args'], more: object = {}): PolicedCall => ({
  tool: { source: 'host', name, paths: ['path'], urls: ['url'], commands: ['command'], ...more },
  args,
});
const denied: readonly PolicedCall[] = [
  call('glob', { path: 'secret' }),
  call('file', { path: '/etc/passwd' }),
  call('file', { path: '/var/a.pem' }),
  call('file', { path: '~/.ssh/id' }),
  call('url', { url: 'http://127.1/' }),
  call('url', { url: 'http://a.evil.example/' }),
  call('run', { command: 'true && rm x' }),
  call('run', { command: ['sh', '-c', 'rm x'] }),
  call('hint', {}),
];

const names = [
  'then', 'deny', 'ask', 'rule', 'halt', 'decision', 'label', 'reason', 'tests', 'globs', 'rules', 'unlisted', 'layer',
  'source', 'name', 'paths', 'urls', 'commands', 'annotations', 'destructiveHint', 'personality', 'why', 'not', 'some',
  'value', 'get', 'set', 'length', 'shell', 'unknown', 'words', 'redirects', 'program', 'target', 'throwIfNoEntry', 'bigint',
  'encoding', 'windows', 'path', 'cwd', 'constructor2', 'next', 'done', 'dash', 'own', 'from', 'to', 'head', 'rest',
]; // prettier-ignore
const values: readonly unknown[] = [undefined, false, true, '', 'x', [], {}, () => undefined];

describe('a decision while a name hangs on a shared prototype', () => {
  const { decide } = compilePolicy({ rules });
  const pollute = <T>(proto: object, key: string, how: PropertyDescriptor, then: () => T): T => {
    const before = Object.getOwnPropertyDescriptor(proto, key);
    if (before !== undefined) return then();
    Object.defineProperty(proto, key, { ...how, configurable: true });
    try {
      return then();
    } finally {
      delete (proto as Record<string, unknown>)[key];
    }
  };
  /** A denial, or a throw, which the kernel takes for one. */
  const verdictOf = (one: PolicedCall): string => {
    try {
      return decide(one)?.['deny' as never] === undefined ? 'let through' : 'denied';
    } catch {
      return 'denied';
    }
  };
  it.each([...names, '0', '1', '2', '7'])('%s', (key) => {
    for (const proto of [Object.prototype, Array.prototype, Function.prototype, String.prototype]) {
      for (const one of denied) {
        for (const value of values) {
          expect(
            pollute(proto, key, { value, writable: true }, () => verdictOf(one)),
            JSON.stringify(one),
          ).toBe('denied');
        }
        const swallowing = { get: () => undefined, set: () => {} };
        expect(
          pollute(proto, key, swallowing, () => verdictOf(one)),
          JSON.stringify(one),
        ).toBe('denied');
      }
    }
  });
});

describe('what is explained', () => {
  const predicates: readonly Predicate[] = [
    { glob: 'a*' }, { equals: 'ab' }, { in: ['b', 'c'] }, { not: { glob: '*b' } }, { within: '/etc' }, { path: '/**/a' },
    { host: 'private' }, { command: { program: 'rm' } }, { command: { not: { program: 'ls' } } },
  ]; // prettier-ignore
  const texts = [
    'a',
    'ab',
    'b',
    '/etc/a',
    '~x/a',
    'http://127.0.0.1/',
    'u@h',
    'rm x',
    '$x',
    'ls',
    '',
    'a\0',
    "'",
    'ls $(rm)',
  ];

  it('is what is decided, for any set of rules and any call', () => {
    let state = 7;
    const below = (limit: number): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % limit;
    const of = <T>(items: readonly T[]): T => items[(below(65_536) >> 4) % items.length]!;
    for (let round = 0; round < 400; round++) {
      const policy: Policy = {
        unlisted: of(['silent', 'deny', 'ask']),
        unknown: of(['deny', 'ask']),
        rules: Array.from({ length: below(6) }, (_, at): Rule => {
          const decision = of(['deny', 'ask'] as const);
          const halt = decision === 'deny' && below(4) === 0 ? { halt: true as const } : {};
          const tests: Partial<Rule> = of([
            { when: { '/path': of(predicates) } },
            { paths: of([{ within: '/etc' }, { path: '/**/a' }, { not: { within: '/' } }]) },
            { hosts: { host: 'private' } },
            { commands: of([{ program: 'rm' }, { not: { line: 'ls*' } }, { word: 'x' }]) },
          ]);
          return { id: `r${at}`, tools: of(['*', 't', 'u']), decision, reason: `because ${at}`, ...halt, ...tests };
        }),
      };
      const { decide, explain } = compilePolicy(policy);
      const one = call(of(['t', 'u']), { path: of(texts), url: of(texts), command: of(texts) });
      const { verdict, rules: reports } = explain(one);
      const where = JSON.stringify({ round, policy, one });
      expect(verdict, where).toEqual(decide(one));
      const matched = reports.filter(({ matches }) => matches);
      const strict = (decision: 'deny' | 'ask') =>
        matched.flatMap((report) => (report.decision === decision ? [report.rule] : []));
      const told = [...strict('deny'), ...strict('ask')];
      if (verdict === undefined) expect(told, where).toEqual([]);
      else if ('deny' in verdict)
        expect(
          verdict.rule.split(', ').filter((rule) => rule !== 'unlisted'),
          where,
        ).toEqual(strict('deny'));
      else
        expect(
          verdict.rule.split(', ').filter((rule) => rule !== 'unlisted'),
          where,
        ).toEqual(strict('ask'));
      for (const report of reports) {
        expect(report.matches, where).toBe(report.tests.every(({ holds }) => holds));
      }
    }
  });
});
