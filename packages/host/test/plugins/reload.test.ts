// Owns the law of a reload: old set or new, never neither, the seat kept, nothing lost, and a failure changes nothing.
import { deferred } from '@treblehook/agent/testing';
import { defineHooks, definePlugin, voidHook, type Plugin, type PluginApi } from '@treblehook/types';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, idsAt, kit, plugin, says } from './kit.js';

interface Edition {
  readonly n: number;
  readonly heard: string[];
  api?: PluginApi;
}
const edition = (of: Edition, more: (api: PluginApi) => unknown = () => {}): Plugin =>
  plugin('acme', (api) => {
    of.api = api;
    api.onDispose(() => void of.heard.push(`gone ${of.n}`));
    api.hooks.registerVoid('agentDone', () => void of.heard.push(`done ${of.n}`), { id: 'h' });
    api.tools.register(says('acme_say', `said by ${of.n}`));
    return more(api);
  });
const neighbour = plugin('zeta', ({ hooks }) => void hooks.registerVoid('agentDone', () => {}, { id: 'h' }));

describe('a reload', () => {
  it('puts the new edition on the old one’s seat, takes the old one back, and kills its registrar', async () => {
    const heard: string[] = [];
    const [one, two]: Edition[] = [
      { n: 1, heard },
      { n: 2, heard },
    ];
    const made = await kit([edition(one!), neighbour], { script: [call('acme_say'), 'a', call('acme_say'), 'b'] });
    const { host } = made;
    expect((await host.agent.run('go')).toolCalls[0]!.output).toBe('said by 1');
    await host.reload(edition(two!));
    expect(idsAt(made, 'agentDone')).toEqual(['acme/h', 'zeta/h']);
    await vi.waitFor(() => expect(heard).toContain('gone 1'));
    expect(() => one!.api!.hooks.registerVoid('agentDone', () => {})).toThrow(/disposed/);
    expect(() => one!.api!.log.info('x')).toThrow(/disposed/);
    expect((await host.agent.run('go')).toolCalls[0]!.output).toBe('said by 2');
    expect(heard).toEqual(['done 1', 'gone 1', 'done 2']);
    await host.close();
    expect(heard.at(-1)).toBe('gone 2');
  });

  it('during a parallel batch lets the bodies end that have begun, and the run has the tools that it began with', async () => {
    const heard: string[] = [];
    const inside = deferred<void>();
    const gate = deferred<void>();
    const slow = (name: string, text: string) => ({
      ...says(name, text),
      concurrency: 'safe' as const,
      execute: async () => {
        inside.resolve();
        await gate.promise;
        return text;
      },
    });
    const first = plugin('acme', ({ tools, onDispose }) => {
      tools.register(slow('one', 'one of 1'));
      tools.register(slow('two', 'two of 1'));
      onDispose(() => void heard.push('gone 1'));
    });
    const second = plugin('acme', ({ tools }) => tools.register(says('one', 'one of 2')));
    const { host, model } = await kit([first], {
      script: [call('one', 'two'), call('two'), 'a', call('one', 'two'), 'b'],
    });
    const run = host.agent.run('go');
    await inside.promise;
    await host.reload(second);
    expect(heard).toEqual([]);
    gate.resolve();
    const { toolCalls } = await run;
    expect(toolCalls.map(({ output }) => output)).toEqual(['one of 1', 'two of 1', 'two of 1']);
    await vi.waitFor(() => expect(heard).toEqual(['gone 1']));
    const next = await host.agent.run('again');
    expect(next.toolCalls.map(({ output }) => output)).toEqual(['one of 2', expect.stringContaining('no tool')]);
    expect(model.calls.at(-1)!.tools?.map(({ name }) => name)).toEqual(['one']);
  });

  it.each<[string, (api: PluginApi) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['hangs', () => new Promise(() => {})],
    ['gives something', () => 7],
    [
      'breaks the order',
      ({ hooks }) => {
        hooks.registerVoid('toolEnd', () => {}, { id: 'b', before: ['acme/b2'] });
        hooks.registerVoid('toolEnd', () => {}, { id: 'b2', before: ['acme/b'] });
      },
    ],
    ['takes a tool of another', ({ tools }) => tools.register(says('other', ''))],
    ['has a tool that is none', ({ tools }) => tools.register({ ...says('bad', ''), input: 7 as never })],
  ])('that %s rejects, and the old edition stands as it was', async (_, more) => {
    const heard: string[] = [];
    const other = plugin('other', ({ tools }) => tools.register(says('other', 'o')));
    const made = await kit([edition({ n: 1, heard }), other], {
      script: [call('acme_say'), 'a'],
      pluginTimes: { setupMs: 20 },
    });
    await expect(made.host.reload(edition({ n: 2, heard }, more))).rejects.toBeInstanceOf(Error);
    expect(heard).toEqual(['gone 2']);
    expect(idsAt(made, 'agentDone')).toEqual(['acme/h']);
    expect((await made.host.agent.run('go')).toolCalls[0]!.output).toBe('said by 1');
    expect(heard).toEqual(['gone 2', 'done 1']);
  });

  it('of what the host does not have is refused, and so are other hook points', async () => {
    const own = (summary: string) => defineHooks({ acmeTold: voidHook({ summary }) });
    const acme = (summary: string) => definePlugin({ id: 'acme', hooks: own(summary), setup: () => {} });
    const { host } = await kit([acme('a')]);
    await expect(host.reload(plugin('none'))).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    await expect(host.reload(acme('b'))).rejects.toMatchObject({ code: 'TH_PLUGIN_INVALID' });
    await expect(host.reload(plugin('acme'))).rejects.toMatchObject({ code: 'TH_PLUGIN_INVALID' });
    await host.reload(acme('a'));
  });

  it('brings back a plugin that had failed', async () => {
    const heard: string[] = [];
    const made = await kit(
      [
        plugin('acme', () => {
          throw new Error('boom');
        }),
        neighbour,
      ],
      { script: ['a'] },
    );
    expect(made.host.failed).toHaveLength(1);
    await made.host.reload(edition({ n: 2, heard }));
    expect(made.host.failed).toEqual([]);
    expect(made.host.plugins).toEqual(['zeta', 'acme']);
    expect(idsAt(made, 'agentDone')).toEqual(['acme/h', 'zeta/h']);
  });

  it('many at once come one after another, and behind the end of the host there is none', async () => {
    const heard: string[] = [];
    const { host } = await kit([edition({ n: 0, heard })]);
    await Promise.all([1, 2, 3].map((n) => host.reload(edition({ n, heard }))));
    await host.close();
    expect(heard).toEqual(['gone 0', 'gone 1', 'gone 2', 'gone 3']);
    await expect(host.reload(edition({ n: 4, heard }))).rejects.toMatchObject({ code: 'TH_DISPOSED' });
  });
});

it('a fire in hand runs the set that it began with, the next one the new', async () => {
  const heard: string[] = [];
  const gate = deferred<void>();
  const first = plugin('acme', ({ hooks }) => {
    hooks.registerVoid('agentDone', async () => {
      await gate.promise;
      heard.push('a of 1');
    });
    hooks.registerVoid('agentDone', () => void heard.push('b of 1'));
  });
  const second = plugin('acme', ({ hooks }) => void hooks.registerVoid('agentDone', () => void heard.push('a of 2')));
  const { host } = await kit([first], { script: ['x', 'y'] });
  const run = host.agent.run('go');
  await vi.waitFor(() => expect(heard).toEqual(['b of 1']));
  await host.reload(second);
  gate.resolve();
  await run;
  await host.agent.run('go');
  expect(heard).toEqual(['b of 1', 'a of 1', 'a of 2']);
});

it('an edition that comes alone keeps the settings and what is declared, unless others come with it', async () => {
  const seen: unknown[] = [];
  const settings = z.object({ word: z.string() });
  const acme = (more: (api: PluginApi) => void = () => {}): Plugin =>
    definePlugin({
      id: 'acme',
      config: settings,
      setup(api) {
        seen.push(api.config.word);
        api.hooks.registerVoid('agentDone', () => {});
        more(api as never);
      },
    });
  const { host } = await kit([{ plugin: acme(), config: { word: 'a' }, declared: { hooks: ['agentDone'] } }]);
  await host.reload(acme());
  await host.reload({ plugin: acme(), config: { word: 'b' } });
  await host.reload(acme());
  expect(seen).toEqual(['a', 'a', 'b', 'b']);
  const more = acme(({ hooks }) => void hooks.registerVoid('toolEnd', () => {}));
  await expect(host.reload(more)).rejects.toMatchObject({ code: 'TH_PLUGIN_UNDECLARED' });
});
