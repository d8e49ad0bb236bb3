// Owns the laws of layers, of tools that no rule names, of personalities, hints and rehearsals: each of them only tightens.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type SealedToolCall } from '@treblehook/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compilePolicy,
  install,
  namedBy,
  unmatchedKeys,
  readCommandsOf,
  type PolicedCall,
  type Policy,
  type PolicyLayer,
  type Rule,
} from '../src/index.js';

const call = (name: string, source = 'host', more: Partial<PolicedCall> = {}): PolicedCall => ({
  tool: { source, name },
  args: {},
  ...more,
});
const rule = (tools: string, decision: 'deny' | 'ask' = 'deny', more: Partial<Rule> = {}): Rule => ({
  tools,
  decision,
  reason: `${tools} ${decision}`,
  ...more,
});
const said = (given: Policy | readonly PolicyLayer[], of: PolicedCall): string => {
  const verdict = compilePolicy(given).decide(of);
  return verdict === undefined ? 'silent' : 'deny' in verdict ? 'deny' : 'ask';
};

describe('tools that no rule names', () => {
  it("are asked about when they are a plugin's or a server's, and passed when they are the host's", () => {
    expect(said({ rules: [] }, call('x'))).toBe('silent');
    expect(said({ rules: [] }, call('x', 'mcp:files'))).toBe('ask');
    expect(said({ rules: [] }, call('x', 'plugin:acme'))).toBe('ask');
    expect(compilePolicy({ rules: [] }).decide(call('x', 'mcp:files'))).toEqual({
      ask: "may 'mcp:files/x' run? No rule names it (policy rule unlisted)",
      rule: 'unlisted',
      version: 'unlisted',
    });
  });

  it.each([
    ['deny', 'host', 'deny'],
    ['silent', 'mcp:files', 'silent'],
    [{ mcp: 'deny' }, 'mcp:files', 'deny'],
    [{ mcp: 'deny', 'mcp:files': 'silent' }, 'mcp:files', 'silent'],
    [{ mcp: 'silent', 'mcp:files': 'deny' }, 'mcp:files', 'deny'],
    [{ mcp: 'deny' }, 'host', 'silent'],
    [{ mcp: 'deny' }, 'plugin:a', 'ask'],
    [{ host: 'ask' }, 'host', 'ask'],
  ] as const)('%j for %s: %s', (unlisted, source, expected) => {
    expect(said({ rules: [], unlisted }, call('x', source))).toBe(expected);
  });

  it('a rule that names a tool takes it out of them, whether or not the rule matches; a rule for every tool does not', () => {
    const never = { when: { '/x': { equals: 1 } } } as const;
    expect(said({ rules: [rule('mcp:files/*', 'deny', never)] }, call('x', 'mcp:files'))).toBe('silent');
    expect(said({ rules: [rule('x', 'deny', never)] }, call('x'))).toBe('silent');
    // of a namesake on a server the rule says nothing
    expect(said({ rules: [rule('x', 'deny', never)], unlisted: { host: 'deny' } }, call('x', 'mcp:files'))).toBe('ask');
    for (const all of ['*', '**']) {
      expect(said({ rules: [rule(all, 'deny', never)] }, call('x', 'mcp:files'))).toBe('ask');
    }
    expect(
      said({ rules: [rule('x', 'deny', { personalities: 'other' })] }, call('x', 'mcp:a', { personality: 'me' })),
    ).toBe('ask');
  });
});

describe('layers', () => {
  it('another layer neither lifts what the first says nor names a tool on its behalf', () => {
    const operator = { policy: { rules: [rule('rm')] } };
    const loose = {
      name: 'project',
      policy: { rules: [rule('mcp:files/x', 'ask', { when: { '/no': { equals: 1 } } })], unlisted: 'silent' as const },
    };
    expect(said([operator, loose], call('rm'))).toBe('deny');
    expect(said([operator, loose], call('x', 'mcp:files'))).toBe('ask');
    expect(said([operator, { name: 'project', policy: { rules: [], mode: 'dry-run' } }], call('rm'))).toBe('deny');
    expect(said([operator, { name: 'project', policy: { rules: [], unknown: 'ask' } }], call('rm'))).toBe('deny');
  });

  it('its rules are called by its name', () => {
    const layers = [
      { policy: { rules: [rule('x', 'ask')] } },
      { name: 'project', policy: { rules: [rule('x', 'ask', { id: 'mine' }), rule('x')], unlisted: 'ask' as const } },
    ];
    expect(compilePolicy(layers).decide(call('x'))).toEqual({
      deny: 'x deny; #1, project:mine would have asked',
      rule: 'project:#2',
    });
    expect(compilePolicy(layers).decide(call('y'))).toMatchObject({ rule: 'project:unlisted' });
  });

  it('adding a layer never makes a decision milder, for any layers', () => {
    const strictness = { silent: 0, ask: 1, deny: 2 };
    const word = fc.constantFrom('deny' as const, 'ask' as const, 'silent' as const);
    const policy = fc.record(
      {
        rules: fc.array(
          fc
            .record({
              tools: fc.constantFrom('a', 'b', '*', 'mcp:*'),
              decision: fc.constantFrom('deny' as const, 'ask' as const),
            })
            .map(({ tools, decision }) => rule(tools, decision)),
          { maxLength: 4 },
        ),
        unlisted: fc.oneof(word, fc.dictionary(fc.constantFrom('host', 'mcp', 'plugin', 'mcp:s'), word)),
        mode: fc.constantFrom('enforce' as const, 'dry-run' as const),
        unknown: fc.constantFrom('deny' as const, 'ask' as const),
      },
      { requiredKeys: ['rules'] },
    );
    const tool = fc.constantFrom(call('a'), call('b', 'mcp:s'), call('c', 'plugin:p'), call('d', 'mcp:s'));
    fc.assert(
      fc.property(policy, fc.array(policy, { minLength: 1, maxLength: 3 }), tool, (first, more, of) => {
        const one = said([{ policy: first }], of);
        const all = said([{ policy: first }, ...more.map((layer, n) => ({ name: `l${n}`, policy: layer }))], of);
        expect(strictness[all as 'ask']).toBeGreaterThanOrEqual(strictness[one as 'ask']);
      }),
    );
  });
});

describe('a rule that looks at what a tool does not declare', () => {
  const inside = rule('mcp:files/*', 'deny', { paths: { not: { within: '.' } } });
  it.each([
    ['paths', { paths: { within: '.' } }, ['paths', 'commands']],
    ['hosts', { hosts: { host: 'private' } }, ['urls', 'commands']],
    ['commands', { commands: { program: 'x' } }, ['commands']],
  ] as const)('%s: has not thought of the tool', (key, test, kinds) => {
    const policy = { rules: [rule('mcp:files/*', 'deny', test)] };
    const of = (kind: string) => ({ source: 'mcp:files', name: 'mcp:files/x', [kind]: ['a'] });
    for (const kind of ['paths', 'urls', 'commands']) {
      const known = kinds.some((one) => one === kind);
      expect(compilePolicy(policy).decide({ tool: of(kind), args: {} }) === undefined).toBe(known);
      expect(namedBy(policy, of(kind))).toBe(known ? '#1' : undefined);
      expect(unmatchedKeys(policy, [of(kind)]).map((one) => one.key)).toEqual(known ? [] : [key]);
    }
  });

  it('is told with its place and the mend, once no tool of the glob declares it', () => {
    const tools = [
      { source: 'mcp:files', name: 'mcp:files/x' },
      { source: 'host', name: 'read', paths: ['path'] },
    ];
    expect(unmatchedKeys({ rules: [inside] }, tools)).toEqual([
      {
        rule: '#1',
        path: ['rules', 0, 'paths'],
        key: 'paths',
        glob: 'mcp:files/*',
        why: "the tool declares no argument as paths or commands: look at it by 'when'",
      },
    ]);
    expect(unmatchedKeys({ rules: [{ ...inside, tools: '*' }] }, tools)).toEqual([]);
    const { rules } = compilePolicy({ rules: [inside] }).explain(call('x', 'mcp:files'));
    expect(rules[0]!.tests).toEqual([{ on: 'paths', holds: false, never: expect.stringContaining("by 'when'") }]);
  });
});

describe('personalities and hints', () => {
  it('a rule for a personality is one for whom it gives tasks to, but lists no tool for them', () => {
    const policy = { rules: [rule('mcp:a/x', 'deny', { personalities: 'reader' })] };
    const above = ['boss', 'reader'];
    expect(said(policy, call('x', 'mcp:a', { personality: 'writer', above }))).toBe('deny');
    expect(said(policy, call('x', 'mcp:a', { personality: 'writer', above: ['boss'] }))).toBe('ask');
    const never = { rules: [rule('mcp:a/x', 'deny', { personalities: 'reader', when: { '/x': { equals: 1 } } })] };
    expect(said(never, call('x', 'mcp:a', { personality: 'writer', above }))).toBe('ask');
    expect(said(never, call('x', 'mcp:a', { personality: 'reader' }))).toBe('silent');
    const { decide } = compilePolicy(policy);
    const told = ['reader', 'boss'].map((one) => decide(call('x', 'mcp:a', { personality: 'writer', above: [one] })));
    expect(told.map((verdict) => verdict && 'deny' in verdict)).toEqual([true, false]);
  });

  it('a rule for a personality is silent for another one', () => {
    const policy = { rules: [rule('x', 'deny', { personalities: ['read*', 'guest'] })] };
    expect(said(policy, call('x', 'host', { personality: 'reader' }))).toBe('deny');
    expect(said(policy, call('x', 'host', { personality: 'guest' }))).toBe('deny');
    expect(said(policy, call('x', 'host', { personality: 'writer' }))).toBe('silent');
    expect(said(policy, call('x'))).toBe('silent');
  });

  it('a tool that says nothing of itself is taken for the worst', () => {
    const destructive = { rules: [rule('t', 'ask', { annotations: { destructiveHint: true } })] };
    const of = (annotations?: Record<string, boolean>) => ({
      tool: { source: 'host', name: 't', ...(annotations && { annotations }) },
      args: {},
    });
    expect(said(destructive, of())).toBe('ask');
    expect(said(destructive, of({ readOnlyHint: true }))).toBe('ask');
    expect(said(destructive, of({ destructiveHint: false }))).toBe('silent');
    const writes = { rules: [rule('t', 'deny', { annotations: { readOnlyHint: false, destructiveHint: true } })] };
    expect(said(writes, of())).toBe('deny');
    expect(said(writes, of({ readOnlyHint: true }))).toBe('silent');
  });
});

describe('a rehearsal', () => {
  const sealed = (name: string): SealedToolCall => ({
    origin: { runId: 'r', sessionId: 's', agentPath: ['agent'], personality: 'p', turn: 0 },
    callId: 'c',
    attempt: 1,
    batch: { id: 'b', index: 0, size: 1, names: [name] },
    tool: { source: 'host', name, digest: '0' },
    args: {},
    digest: '0',
    supplied: false,
  });

  it("takes nothing away: other people's tools are asked about as without a policy, whatever it lists", () => {
    const rehearsed = {
      rules: [rule('mcp:files/*', 'deny', { when: { '/x': { equals: 1 } } })],
      mode: 'dry-run',
    } as const;
    for (const unlisted of [undefined, 'silent'] as const) {
      const policy = { ...rehearsed, ...(unlisted && { unlisted }) };
      expect(said(policy, call('x', 'mcp:files'))).toBe('ask');
      expect(said(policy, call('x', 'plugin:acme'))).toBe('ask');
      expect(said(policy, call('x'))).toBe('silent');
      expect(compilePolicy(policy).dryRun!(call('x', 'mcp:files'))).toBeUndefined();
    }
  });

  it('decides nothing and tells what it would have said, beside a layer that decides', async () => {
    const told: unknown[] = [];
    const registry = createHookRegistry(agentHooks, {});
    install(
      registry,
      [
        { policy: { rules: [rule('x', 'ask')] } },
        { name: 'project', policy: { rules: [rule('*', 'deny', { id: 'all' })], mode: 'dry-run' } },
      ],
      { onDryRun: (verdict, { callId }) => told.push([verdict, callId]) },
    );
    expect((await registry.fireClaiming('toolPolicy', sealed('x'))).decision).toBe('ask');
    expect((await registry.fireClaiming('toolPolicy', sealed('y'))).decision).toBe('clear');
    const would = { deny: '* deny', rule: 'project:all' };
    expect(told).toEqual([
      [would, 'c'],
      [would, 'c'],
    ]);
  });

  it('a listener of it that throws is a guard that has failed', async () => {
    const registry = createHookRegistry(agentHooks, {});
    const policy: Policy = { rules: [rule('*')], mode: 'dry-run' };
    install(registry, policy, {
      onDryRun: () => {
        throw new Error('full');
      },
    });
    registry.events.on('handlerFailed', () => {});
    expect((await registry.fireClaiming('toolPolicy', sealed('x'))).decision).toBe('deny');
  });
});

describe('a report', () => {
  it('shows each rule that names the tool, with each of its tests', () => {
    const { explain } = compilePolicy([
      {
        policy: {
          rules: [
            rule('x', 'deny', { id: 'one', when: { '/a': { equals: 1 }, '/b': { glob: 'z*' } } }),
            rule('x', 'ask', { id: 'two', paths: { within: '/etc' } }),
            rule('other', 'deny'),
          ],
        },
      },
    ]);
    const report = explain({ tool: { source: 'host', name: 'x', paths: ['p'] }, args: { a: 1, b: 'y', p: 'a\0b' } });
    expect(report).toEqual({
      verdict: {
        deny: 'x ask (it cannot be told whether this is such a call: the path contains a NUL)',
        rule: 'two',
      },
      dryRun: undefined,
      rules: [
        {
          rule: 'one',
          decision: 'deny',
          reason: 'x deny',
          tests: [
            { on: '/a', holds: true },
            { on: '/b', holds: false },
          ],
          matches: false,
        },
        {
          rule: 'two',
          decision: 'deny',
          reason: 'x ask',
          tests: [{ on: 'paths', holds: true, unknown: 'the path contains a NUL' }],
          matches: true,
          unknown: 'the path contains a NUL',
        },
      ],
    });
  });
});

describe('a command that a tool declares', () => {
  const rules = [rule('run_command', 'deny', { commands: { program: 'rm' } })];
  const run = (command: unknown) =>
    call('run_command', 'host', {
      tool: { source: 'host', name: 'run_command', commands: ['command'] },
      args: { command } as never,
    });

  it('is a list, a shell line, or a shell line under its name', () => {
    for (const command of [['rm', 'x'], 'ls; rm x', { shell: 'ls; rm x' }])
      expect(said({ rules }, run(command))).toBe('deny');
    for (const command of [['ls'], 'ls', { shell: 'ls' }]) expect(said({ rules }, run(command))).toBe('silent');
  });

  it('and in any other shape nobody knows what it runs', () => {
    for (const command of [{ shell: 'ls', cwd: '/' }, { line: 'ls' }, { shell: ['ls'] }, 5]) {
      expect(said({ rules }, run(command))).toBe('deny');
      expect(readCommandsOf(run(command))).toMatchObject([{ commands: [], unknown: [expect.any(String)] }]);
    }
  });

  it('is read for whoever shows it as its rules read it', () => {
    const read = readCommandsOf(run({ shell: 'sudo rm x > $Y' }));
    expect(read).toMatchObject([{ commands: [{ program: 'sudo' }, { program: 'rm', behind: ['sudo'] }] }]);
    expect(readCommandsOf(call('run_command', 'host', { args: { command: 'rm' } }))).toEqual([]);
  });

  it('may run in a folder that stands beside it: its files are looked at from there, too', () => {
    const within = (args: object): PolicedCall =>
      call('run_command', 'host', {
        tool: { source: 'host', name: 'run_command', commands: ['command'], paths: ['cwd'] },
        args: args as never,
      });
    const decide = (more: Partial<Rule>, args: object) =>
      compilePolicy({ rules: [rule('run_command', 'deny', more)] }, { cwd: '/nowhere/host' }).decide(within(args));
    const paths = { paths: { within: 'secrets' } };
    const writes = { commands: { writes: { within: 'secrets' } } };
    expect(decide(paths, { command: ['cat', '../secrets/key'], cwd: 'a' })).toBeDefined();
    expect(decide(writes, { command: 'ls > ../secrets/key', cwd: 'a' })).toBeDefined();
    expect(decide(writes, { command: 'cd ..; ls > secrets/key', cwd: 'a' })).toBeDefined();
    expect(decide(paths, { command: ['cat', 'b'], cwd: 'a' })).toBeUndefined();
    expect(decide(writes, { command: 'ls > b', cwd: 'a' })).toBeUndefined();
  });
});

describe('which part of a policy has thought of a tool', () => {
  const host = { source: 'host', name: 'read' };
  const remote = { source: 'mcp:files', name: 'mcp:files/read' };
  const rule = { decision: 'deny', reason: 'no' } as const;
  it.each<[string, Policy, { source: string; name: string }, string | undefined]>([
    ['the rule that names it, by its id', { rules: [{ ...rule, id: 'a', tools: ['x', 're*'] }] }, host, 'a'],
    [
      'or by its position',
      {
        rules: [
          { ...rule, tools: 'x' },
          { ...rule, tools: 'read' },
        ],
      },
      host,
      '#2',
    ],
    ['no rule for every tool', { rules: [{ ...rule, tools: '*' }] }, host, undefined],
    ['no rule for a namesake', { rules: [{ ...rule, tools: 'read' }] }, remote, undefined],
    ['a rule for its source', { rules: [{ ...rule, tools: 'mcp:*' }] }, remote, '#1'],
    ['and what it calls the tool', { rules: [{ ...rule, tools: 'mcp:*/re*' }] }, remote, '#1'],
    [
      'no rule for whom it poses as',
      { rules: [{ ...rule, tools: ['mcp:files/*', 'plugin:acme/*', 'mcp_*', 'plugin*'] }] },
      { source: 'mcp:evil', name: 'mcp:evil/mcp:files/read' },
      undefined,
    ],
    [
      'nor for the start of its name',
      { rules: [{ ...rule, tools: 'mcp_admin_*' }] },
      { source: 'plugin:acme', name: 'mcp_admin_read' },
      undefined,
    ],
    [
      'a plugin whose id has a slash',
      { rules: [{ ...rule, tools: 'plugin:@acme/tools/re*' }] },
      { source: 'plugin:@acme/tools', name: 'read' },
      '#1',
    ],
    ['no rule for another personality', { rules: [{ ...rule, tools: 'read', personalities: 'q' }] }, host, undefined],
    ['a rule for this one', { rules: [{ ...rule, tools: 'read', personalities: 'p*' }] }, host, '#1'],
    ['a word on all that no rule names', { unlisted: 'silent' }, remote, 'unlisted'],
    ['one on its source', { unlisted: { 'mcp:files': 'deny' } }, remote, 'unlisted'],
    ['one on its kind', { unlisted: { mcp: 'deny' } }, remote, 'unlisted'],
    ['none on another source', { unlisted: { mcp: 'deny' } }, host, undefined],
  ])('%s', (_, policy, tool, by) => {
    expect(namedBy(policy, tool, 'p')).toBe(by);
  });
});
