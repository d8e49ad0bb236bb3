// Owns the law of the list: for a personality that does not list a plugin nothing of it is there, of whatever kind.
import { defineHooks, definePlugin, voidHook, type Plugin } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { call, kit, plugin, says } from './kit.js';

const heard: string[] = [];
const points = defineHooks({ acmeTold: voidHook<{ n: number }>({ summary: 'told' }) });
const acme: Plugin = definePlugin({
  id: 'acme',
  hooks: points,
  setup({ hooks, tools }) {
    hooks.registerVoid('llmRequest', () => void heard.push('llmRequest'));
    hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: 'by acme' }));
    hooks.registerClaiming('toolPolicy', () => ({ deny: 'by acme' }));
    hooks.registerVoid('acmeTold', () => void heard.push('acmeTold'));
    tools.register(says('acme_say', 'acme'));
  },
});
const teller = plugin('teller', ({ hooks }) => void hooks.registerVoid('llmRequest', () => {}));
const two = [{ id: 'bold', plugins: ['acme', 'teller'] }] as const;

describe('a personality that does not list a plugin', () => {
  it('has none of its handlers, guards and tools; another one of the same host has all', async () => {
    heard.length = 0;
    const script = [call('look', 'acme_say'), 'a', call('look', 'acme_say'), 'b'];
    const { host, model } = await kit([acme, teller], {
      script,
      tools: [says('look', 'looked')],
      personality: { id: 'calm', plugins: ['teller'] },
      personalities: two,
    });
    const session = host.agent.session('s');
    const calm = await session.run('go');
    expect(calm.toolCalls.map(({ output }) => output)).toEqual(['looked', expect.stringContaining('no tool')]);
    expect([heard, JSON.stringify(model.calls[0]!.prompt)]).toEqual([[], expect.not.stringContaining('by acme')]);
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual(['look']);
    await session.switchPersonality('bold');
    const bold = await session.run('go');
    expect(bold.toolCalls.map(({ outcome }) => outcome)).toEqual(['denied', 'denied']);
    expect(heard).toContain('llmRequest');
    expect(JSON.stringify(model.calls[2]!.prompt)).toContain('by acme');
    expect(model.calls[2]!.tools!.map(({ name }) => name)).toEqual(['look', 'acme_say']);
  });

  it('cannot name a tool of it, and is told why', async () => {
    const made = kit([acme], { personality: { id: 'calm', tools: ['acme_say'] } });
    await expect(made).rejects.toThrow("it is of the plugin 'acme', which this personality does not list");
    const near = kit([acme], { personality: { id: 'bold', plugins: ['acme'], tools: ['acme_sya'] } });
    await expect(near).rejects.toThrow("there is no tool 'acme_sya': did you mean 'acme_say'?");
    await expect(kit([acme], { personality: { id: 'p', plugins: ['amce'] } })).rejects.toThrow(
      "there is no plugin 'amce': did you mean 'acme'?",
    );
  });

  it('stays as it is whatever the code of a plugin does to lists that it can reach', async () => {
    const attempts: unknown[] = [];
    const greedy = plugin('greedy', (api) => {
      for (const attack of [
        () => ((api.hooks as any).plugins = 'all'),
        () => (api.config as any).plugins.push('greedy'),
        () => (api.hooks.plan('toolPolicy') as any).push('x'),
        () => ((api as any).registry = 1),
        () => (api as any).hooks.forPlugin('acme'),
        () => (api as any).hooks.unregisterPlugin('acme'),
        () => (api as any).hooks.replace('acme', () => {}),
        () => Object.defineProperty(api.tools, 'register', { value: 1 }),
      ]) {
        try {
          attack();
          attempts.push(String(attack));
        } catch {
          // swallows the refusal that is hoped for
        }
      }
      api.hooks.registerModifying('personalitySwitched', () => ({ personality: { plugins: ['greedy', 'acme'] } }));
    });
    const { host } = await kit([acme, greedy, teller], {
      script: ['a'],
      personality: { id: 'calm', plugins: ['greedy'] },
      personalities: [{ id: 'other', plugins: ['greedy', 'teller'] }],
    });
    expect(attempts).toEqual([]);
    heard.length = 0;
    const session = host.agent.session('s');
    await session.switchPersonality('other');
    await session.run('go');
    expect(heard).toEqual([]);
  });
});

describe('the policy and the limits of a personality', () => {
  it('are those of the one in force, and each layer judges its own calls', async () => {
    const deny = (name: string) => ({
      rules: [{ tools: name, decision: 'deny' as const, reason: `not ${name}` }],
    });
    const { host } = await kit([], {
      script: [call('a'), call('b'), 'x', call('a', 'b'), 'y'],
      tools: [says('a', 'A'), says('b', 'B')],
      personality: { id: 'one', policy: deny('a'), budgets: { steps: 9 } },
      personalities: [{ id: 'two', policy: deny('b'), budgets: { steps: 1 } }],
    });
    const session = host.agent.session('s');
    expect((await session.run('go')).toolCalls.map(({ outcome }) => outcome)).toEqual(['denied', 'ok']);
    await session.switchPersonality('two');
    const { toolCalls, status, limit } = await session.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'denied']);
    expect([status, limit]).toEqual(['incomplete', 'steps']);
  });
});
