// Owns the laws of whose a verdict is: of this caller, of this layer, of a rule that is known to match, of a rehearsal.
import { describe, expect, it } from 'vitest';
import { compilePolicy, type PolicedCall, type Policy, type PolicyLayer, type Rule } from '../src/index.js';

const call = (source: string, more: Partial<PolicedCall> = {}): PolicedCall => ({
  tool: { source, name: 'x' },
  args: {},
  ...more,
});
const deny = (more: Partial<Rule> = {}): Rule => ({ tools: 'x', decision: 'deny', reason: 'no', ...more });
const ask = (more: Partial<Rule> = {}): Rule => ({ tools: 'x', decision: 'ask', reason: 'may it?', ...more });

/** The prototype of nearly everything. */
const everyone: Record<string, unknown> = Object.prototype as never;

describe('one compiled policy', () => {
  const policy: Policy = {
    rules: [deny({ personalities: 'guest' }), ask({ personalities: 'reader' }), deny({ tools: 'y' })],
  };
  type Caller = Pick<PolicedCall, 'personality' | 'above'>;
  const callers: readonly (readonly [Caller, string])[] = [
    [{ personality: 'guest' }, 'deny'],
    [{ personality: 'reader' }, 'ask'],
    [{ personality: 'writer' }, 'silent'],
    [{}, 'silent'],
    [{ personality: 'writer', above: ['guest'] }, 'deny'],
    [{ personality: 'writer', above: ['reader'] }, 'ask'],
    [{ above: ['guest'] }, 'deny'],
  ];
  const wordOf = (verdict: object | undefined): string => Object.keys(verdict ?? { silent: '' })[0]!;

  it.each([
    ['in this order', callers],
    ['in the other one', callers.toReversed()],
  ])('tells each caller what is said of that one, asked %s', (_, asked) => {
    const { decide, explain } = compilePolicy(policy);
    for (const [caller, word] of [...asked, ...asked]) {
      expect(wordOf(decide(call('host', caller))), JSON.stringify(caller)).toBe(word);
      expect(wordOf(explain(call('host', caller)).verdict), JSON.stringify(caller)).toBe(word);
    }
  });

  it('tells tools of one name, and names of one source, apart', () => {
    const { decide } = compilePolicy({ rules: [deny({ tools: 'mcp:a/x' })], unlisted: 'silent' });
    expect(decide(call('mcp:b'))).toBeUndefined();
    expect(decide(call('mcp:a'))).toBeDefined();
    expect(decide(call('mcp:a', { tool: { source: 'mcp:a', name: 'y' } }))).toBeUndefined();
  });
});

describe('tools of one name that declare other arguments', () => {
  const rules = [deny({ tools: '*', paths: { within: '/nowhere' } })];
  const declares = call('mcp:a', { tool: { source: 'mcp:a', name: 'mcp:a/x', paths: ['p'] }, args: { p: '/else' } });
  const silent = call('mcp:a', { tool: { source: 'mcp:a', name: 'mcp:a/x' }, args: { p: '/else' } });
  const named: Policy = { rules: [deny({ tools: 'mcp:a/*', paths: { within: '/nowhere' } })] };

  it.each([
    ['in this order', [declares, silent]],
    ['in the other one', [silent, declares]],
  ])('are each judged by what they declare, asked %s', (_, asked) => {
    const { decide } = compilePolicy(named);
    for (const one of [...asked, ...asked]) {
      // A rule that can never match a tool has not thought of it, so that it is asked about.
      expect(decide(one) === undefined).toBe(one === declares);
    }
    expect(compilePolicy({ rules }).decide(declares)).toHaveProperty('ask');
  });
});

describe('a tool as a server has it', () => {
  const tool = { source: 'mcp:fs', name: 'mcp:fs/delete_x' };
  const said = (tools: string, more: Partial<Policy> = {}): string =>
    Object.keys(compilePolicy({ rules: [deny({ tools })], ...more }).decide({ tool, args: {} }) ?? { silent: '' })[0]!;

  it.each(['delete_*', 'delete_x', '*_x', 'mcp:fs/delete_*', 'mcp:fs/*', 'mcp:*', '*'])(
    'is named by %s, with or without its source',
    (tools) => expect(said(tools, { unlisted: 'silent' })).toBe('deny'),
  );

  it.each(['mcp:other/delete_*', 'fs/delete_x', 'delete', 'x'])('is not named by %s', (tools) =>
    expect(said(tools, { unlisted: 'silent' })).toBe('silent'),
  );

  /** Whether the policy has thought of it: a rule that never matches, and what nobody named is asked about. */
  const thoughtOf = (tools: string, name = tool): boolean =>
    compilePolicy({ rules: [deny({ tools, when: { '/no': { equals: 1 } } })] }).decide({ tool: name, args: {} }) ===
    undefined;

  it.each<[tools: string, about: boolean]>([
    ['mcp:fs/delete_x', true],
    ['mcp:fs/*', true],
    ['mcp:*', true],
    ['delete_*', false],
    ['*/delete_x', false],
    ['*:fs/delete_x', false],
    ['*fs/*', false],
    ['mcp:other/*', false],
  ])('%s has thought of it: %s', (tools, about) => expect(thoughtOf(tools)).toBe(about));

  it('what its name poses as is not what it is', () => {
    expect(thoughtOf('read_file', { source: 'mcp:fs', name: 'mcp:fs/read_file' })).toBe(false);
    expect(thoughtOf('plugin:a/b/x', { source: 'plugin:a/b', name: 'plugin:a/b/x' })).toBe(true);
  });
});

describe('a rule of which it cannot be told whether it matches', () => {
  const unsure = { tool: { source: 'host', name: 'x', paths: ['p'] }, args: { p: 'a\0b' } };
  const halting = deny({ paths: { within: '/etc' }, halt: true });

  it('does not halt the run, whatever it would do if it did match', () => {
    for (const unknown of ['deny', 'ask'] as const) {
      const verdict = compilePolicy({ rules: [halting], unknown }).decide(unsure);
      expect(verdict).toHaveProperty(unknown);
      expect(verdict).not.toHaveProperty('halt');
    }
    expect(compilePolicy({ rules: [halting] }).decide({ ...unsure, args: { p: '/etc/x' } })).toHaveProperty('halt');
    expect(compilePolicy({ rules: [halting, deny()] }).decide(unsure)).not.toHaveProperty('halt');
  });

  it("is for its own layer's word on that", () => {
    const gentle = { name: 'l', policy: { rules: [halting], unknown: 'ask' } } as const;
    expect(compilePolicy([{ policy: { rules: [] } }, gentle]).decide(unsure)).toMatchObject({ rule: 'l:#1', ask: /./ });
    expect(
      compilePolicy([{ policy: { rules: [], unknown: 'ask' } }, { policy: { rules: [halting] } }]).decide(unsure),
    ).toMatchObject({ deny: expect.stringContaining('cannot be told') });
  });
});

describe('what nobody has named', () => {
  const quiet: PolicyLayer = { policy: { rules: [], unlisted: 'silent' } };
  const layer = (unlisted?: Policy['unlisted']): PolicyLayer => ({
    name: 'l',
    policy: { rules: [], ...(unlisted !== undefined && { unlisted }) },
  });

  it.each<[string, Policy['unlisted'], string | undefined]>([
    ['mcp:a', undefined, undefined],
    ['plugin:a', undefined, undefined],
    ['host', undefined, undefined],
    ['plugin:a', { mcp: 'deny' }, undefined],
    ['mcp:a', { mcp: 'deny' }, 'l:unlisted'],
    ['mcp:a', 'ask', 'l:unlisted'],
  ])("of %s another layer than the operator's says, with %j, %s", (source, unlisted, rule) => {
    expect(compilePolicy([quiet, layer(unlisted)]).decide(call(source))?.rule).toBe(rule);
  });

  it.each(['mcp', 'mcp:a', 'host', 'plugin'])('is asked about although %s hangs on Object.prototype', (key) => {
    const { decide } = compilePolicy({ rules: [] });
    const named = compilePolicy({ rules: [], unlisted: { 'plugin:other': 'silent' } });
    Object.defineProperty(everyone, key, { value: 'silent', configurable: true });
    try {
      for (const one of [decide, named.decide, compilePolicy({ rules: [] }).decide]) {
        expect(one(call('mcp:a'))).toMatchObject({ rule: 'unlisted', ask: expect.any(String) });
      }
    } finally {
      delete everyone[key];
    }
  });

  it.each(['constructor', 'toString', '__proto__'])('is asked about when its source is called %s', (source) => {
    expect(compilePolicy({ rules: [], unlisted: { host: 'silent' } }).decide(call(source))).toHaveProperty('ask');
  });

  it('has no word that the object of a policy has inherited', () => {
    const unlisted = Object.create({ mcp: 'silent' }) as Record<string, 'silent'>;
    expect(compilePolicy({ rules: [], unlisted }).decide(call('mcp:a'))).toHaveProperty('ask');
  });
});

describe('a report of layers of which one is rehearsed', () => {
  const layers: readonly PolicyLayer[] = [
    { policy: { rules: [ask()] } },
    { name: 'l', policy: { rules: [deny()], mode: 'dry-run' } },
  ];

  it('tells both verdicts, each as it is decided, and which rules are but rehearsed', () => {
    const { decide, dryRun, explain } = compilePolicy(layers);
    const { verdict, dryRun: would, rules } = explain(call('host'));
    expect(would).toEqual({ deny: 'no', rule: 'l:#1' });
    expect(would).toEqual(dryRun!(call('host')));
    expect(verdict).toMatchObject({ ask: expect.any(String), rule: '#1' });
    expect(verdict).toEqual(decide(call('host')));
    expect(rules.map((one) => [one.rule, one.dryRun])).toEqual([
      ['#1', undefined],
      ['l:#1', true],
    ]);
    expect(rules[0]).not.toHaveProperty('dryRun');
  });

  it('tells of no rehearsal where there is none', () => {
    const { dryRun, explain } = compilePolicy(layers.slice(0, 1));
    expect(dryRun).toBeUndefined();
    expect(explain(call('host'))).toMatchObject({ dryRun: undefined, verdict: { rule: '#1' } });
  });
});
