// Owns what a host survives of a plugin: whatever its setup does, it is whole or it is not there, and the others stand.
import { defineHooks, definePlugin, voidHook, type HookError, type Plugin, type PluginApi } from '@treblehook/types';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, idsAt, kit, plugin, says } from './kit.js';

/** Registers something of each kind, then does what the case does. */
const busy = (then: (api: PluginApi) => unknown, seen: { api?: PluginApi; disposed: string[] }): Plugin =>
  plugin('bad', (api) => {
    seen.api = api;
    api.onDispose(() => void seen.disposed.push('first'));
    api.onDispose(() => void seen.disposed.push('second'));
    api.hooks.registerVoid('agentDone', () => {}, { id: 'h' });
    api.tools.register(says('bad_tool', 'bad'));
    return then(api);
  });
const fine = plugin('fine', ({ hooks }) => void hooks.registerVoid('agentDone', () => {}, { id: 'h' }));

class Some {
  readonly some = 1;
}

describe('a setup', () => {
  it.each<[string, (api: PluginApi) => unknown, string, RegExp]>([
    [
      'that throws',
      () => {
        throw new Error('boom');
      },
      'Error',
      /boom/,
    ],
    [
      'that throws what is no error',
      () => {
        throw 'a text';
      },
      'string',
      /a text/,
    ],
    ['that rejects', async () => Promise.reject(new Error('later')), 'Error', /later/],
    ['that hangs', () => new Promise(() => {}), 'TH_PLUGIN_SETUP_TIMEOUT', /did not end within 30 ms/],
    ['that gives null', () => null, 'TH_PLUGIN_INVALID', /gave null/],
    ['that gives a class', () => Some, 'TH_PLUGIN_INVALID', /gave a class/],
    ['that gives a number', () => 7, 'TH_PLUGIN_INVALID', /gave a number/],
    ['that gives a function, later', async () => () => {}, 'TH_PLUGIN_INVALID', /gave a function.*api\.onDispose/],
    [
      'that registers on a point that is none',
      ({ hooks }) => hooks.registerVoid('agentDon' as never, () => {}),
      'TH_UNKNOWN_HOOK',
      /did you mean 'agentDone'/,
    ],
    [
      'that registers for somebody else',
      ({ hooks }) => hooks.registerVoid('agentDone', () => {}, { pluginId: 'fine' }),
      'TH_OPTION_INVALID',
      /cannot register for 'fine'/,
    ],
    [
      'that takes a tool of the host',
      ({ tools }) => tools.register(says('look', 'mine')),
      'TH_TOOL_INVALID',
      /the host has a tool of this name/,
    ],
    [
      'that takes a tool of another plugin',
      ({ tools }) => tools.register(says('first_tool', 'mine')),
      'TH_TOOL_INVALID',
      /the plugin 'first' has a tool/,
    ],
    [
      'that registers one tool twice',
      ({ tools }) => tools.register(says('bad_tool', 'again')),
      'TH_TOOL_INVALID',
      /two tools of this name/,
    ],
    [
      "whose tool says that it is a server's",
      ({ tools }) => tools.register({ ...says('x', ''), source: 'mcp:files' } as never),
      'TH_TOOL_INVALID',
      /leave it out/,
    ],
    [
      "whose tool is called as a server's",
      ({ tools }) => tools.register(says('mcp:files/read', '')),
      'TH_TOOL_INVALID',
      /kept for tools of others/,
    ],
    ['whose tool is null', ({ tools }) => tools.register(null as never), 'TH_TOOL_INVALID', /must give an object/],
  ])('%s leaves nothing behind, and stops nobody', async (_, then, code, words) => {
    const seen: { api?: PluginApi; disposed: string[] } = { disposed: [] };
    const first = plugin('first', ({ tools }) => tools.register(says('first_tool', '1')));
    const made = await kit([first, busy(then, seen), fine], {
      tools: [says('look', 'of the host')],
      pluginTimes: { setupMs: 30 },
      script: [call('bad_tool', 'look'), 'done'],
    });
    const { host, warnings } = made;
    expect(host.plugins).toEqual(['first', 'fine']);
    expect(idsAt(made, 'agentDone')).toEqual(['fine/h']);
    const error = host.failed[0]?.error as HookError;
    expect(host.failed.map(({ id }) => id)).toEqual(['bad']);
    expect(typeof error === 'string' ? 'string' : (error.code ?? error.name)).toBe(code);
    expect(typeof error === 'string' ? error : error.message).toMatch(words);
    expect(warnings.filter((one) => one.code === 'TH_PLUGIN_FAILED')).toHaveLength(1);
    expect(seen.disposed).toEqual(['second', 'first']);
    const { toolCalls } = await host.agent.run('go');
    expect(toolCalls.map(({ output }) => output)).toEqual([expect.stringContaining('no tool'), 'of the host']);
    await host.close();
    expect(seen.disposed).toEqual(['second', 'first']);
  });

  it('that has failed has an api whose every member throws', async () => {
    const seen: { api?: PluginApi; disposed: string[] } = { disposed: [] };
    await kit([
      busy(() => {
        throw new Error('boom');
      }, seen),
    ]);
    expect(throwsOf(seen.api!)).toEqual(allDead);
  });

  it('over its budget is told when it fails in the end, and what it does then is refused', async () => {
    let late: unknown;
    const slow = plugin('slow', async ({ hooks }) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      try {
        hooks.registerVoid('agentDone', () => {});
      } catch (error) {
        late = error;
        throw error;
      }
    });
    const { warnings } = await kit([slow], { pluginTimes: { setupMs: 5 } });
    await vi.waitFor(() => expect(late).toMatchObject({ code: 'TH_DISPOSED' }));
    await vi.waitFor(() => expect(warnings.map(({ code }) => code)).toContain('TH_PLUGIN_FAULT'));
  });

  it('may take its time, and what it registers is seen by nobody before it is done', async () => {
    const seen: unknown[] = [];
    const slow = plugin('slow', async ({ hooks }) => {
      hooks.registerVoid('agentDone', () => {}, { id: 'a' });
      await Promise.resolve();
      seen.push(hooks.plan('agentDone', 'all').length);
      hooks.registerVoid('agentDone', () => {}, { id: 'b' });
    });
    expect(idsAt(await kit([slow]), 'agentDone')).toEqual(['slow/a', 'slow/b']);
    expect(seen).toEqual([0]);
  });
});

/** What each member of the api throws. */
function throwsOf(api: PluginApi): readonly unknown[] {
  const members: (() => unknown)[] = [
    () => api.hooks.registerVoid('agentDone', () => {}),
    () => api.hooks.registerModifying('beforeLLM', () => undefined),
    () => api.hooks.registerClaiming('toolPolicy', () => undefined),
    () => api.hooks.plan('agentDone'),
    () => api.hooks.hasHandlers('agentDone'),
    () => api.tools.register(says('late', '')),
    () => api.config,
    () => api.log.info('late'),
    () => api.onDispose(() => {}),
  ];
  return members.map((member) => {
    try {
      return member();
    } catch (error) {
      return (error as HookError).code;
    }
  });
}
const allDead = Array.from({ length: 9 }, () => 'TH_DISPOSED');

describe('what is declared', () => {
  const declared = { hooks: ['agentDone', 'toolEnd'], tools: ['a'] };
  const both = (api: PluginApi): void => {
    api.hooks.registerVoid('agentDone', () => {});
    api.hooks.registerVoid('toolEnd', () => {});
    api.tools.register(says('a', ''));
  };

  it('and registered agrees, and its own points need not be declared', async () => {
    const own = defineHooks({ acmeTold: voidHook<{ n: number }>({ summary: 'told' }) });
    const acme = definePlugin({
      id: 'acme',
      hooks: own,
      setup(api) {
        both(api as never);
        api.hooks.registerVoid('acmeTold', () => {});
      },
    });
    expect((await kit([{ plugin: acme, declared }])).host.failed).toEqual([]);
  });

  it.each<[string, (api: PluginApi) => void, RegExp]>([
    [
      'less: a handler',
      (api) => {
        api.hooks.registerVoid('toolEnd', () => {});
        api.tools.register(says('a', ''));
      },
      /a handler of 'agentDone'/,
    ],
    ['nothing', () => {}, /a handler of 'agentDone', a handler of 'toolEnd', the tool 'a'/],
    [
      'more: a point',
      (api) => {
        both(api);
        api.hooks.registerModifying('beforeLLM', () => undefined);
      },
      /'beforeLLM', which its manifest does not declare/,
    ],
    [
      'more: a tool',
      (api) => {
        both(api);
        api.tools.register(says('b', ''));
      },
      /the tool 'b', which its manifest/,
    ],
  ])('and registered %s', async (_, setup, words) => {
    const { host } = await kit([{ plugin: plugin('acme', setup), declared }, fine]);
    expect(host.failed).toMatchObject([{ id: 'acme', error: { code: 'TH_PLUGIN_UNDECLARED' } }]);
    expect((host.failed[0]!.error as Error).message).toMatch(words);
    expect(host.plugins).toEqual(['fine']);
  });
});

describe('a plugin that would be of a point that it did not declare', () => {
  const declared = { hooks: ['agentDone'] };
  it.each<[string, (hooks: Record<string, unknown>) => void]>([
    ['by a hidden name among its own points', (own) => void Object.defineProperty(own, 'beforeLLM', { value: {} })],
    ['by a name that it adds later', (own) => void setTimeout(() => (own['beforeLLM'] = {}))],
  ])('%s is refused, early and late', async (_, prepare) => {
    const own: Record<string, unknown> = {};
    prepare(own);
    let api: PluginApi | undefined;
    const sly: Plugin = {
      id: 'sly',
      hooks: own as never,
      setup(given) {
        api = given;
        given.hooks.registerVoid('agentDone', () => {});
      },
    };
    const made = await kit([{ plugin: sly, declared }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => api!.hooks.registerModifying('beforeLLM', () => ({ veto: 'x' }))).toThrow(
        expect.objectContaining({ code: 'TH_PLUGIN_UNDECLARED' }),
      );
    }
    expect(idsAt(made, 'beforeLLM').filter((id) => id.startsWith('sly'))).toEqual([]);
  });

  it('or that takes a handler away that it declared is refused', async () => {
    const off = plugin('off', ({ hooks }) => hooks.registerVoid('agentDone', () => {})());
    const { host } = await kit([{ plugin: off, declared }]);
    expect(host.failed).toMatchObject([{ id: 'off', error: { code: 'TH_PLUGIN_UNDECLARED' } }]);
  });
});

describe('a plugin that fails where others are needed', () => {
  it('by a tool that no agent takes is left out, by its name', async () => {
    const bad = plugin('bad', ({ tools }) => tools.register({ name: 't' } as never));
    const { host } = await kit([bad, fine]);
    expect(host.plugins).toEqual(['fine']);
    expect(host.failed).toMatchObject([{ id: 'bad', error: { code: 'TH_TOOL_INVALID' } }]);
  });

  it('and whose tool a personality names is told as what it is, and the host stands', async () => {
    const broken = plugin('broken', () => {
      throw new Error('no config');
    });
    const { host, warnings } = await kit([broken], {
      personality: { id: 'p', plugins: ['broken'], tools: ['lookup'] },
    });
    expect(host.failed).toHaveLength(1);
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("'broken', which has failed"),
    );
  });

  it('by a schema that never answers runs over its time, at the start and in a reload, and the host closes', async () => {
    const never = { '~standard': { version: 1, vendor: 'x', validate: () => new Promise(() => {}) } } as never;
    const hung = (): Plugin => definePlugin({ id: 'hung', config: never, setup: () => {} });
    const { host } = await kit([hung()], { pluginTimes: { setupMs: 20 } });
    expect(host.failed).toMatchObject([{ error: { code: 'TH_PLUGIN_SETUP_TIMEOUT' } }]);
    await expect(host.reload(hung())).rejects.toMatchObject({ code: 'TH_PLUGIN_SETUP_TIMEOUT' });
    await host.close();
  });
});

describe('settings', () => {
  const config = z.object({
    limit: z.number(),
    apiToken: z.string().startsWith('tok_'),
    deep: z.object({ n: z.number() }).optional(),
  });
  const seen: unknown[] = [];
  const acme = definePlugin({ id: 'acme', config, setup: (api) => void seen.push(api.config) });
  const failure = async (given: unknown): Promise<HookError> =>
    (await kit([{ plugin: acme, config: given }])).host.failed[0]!.error as HookError;

  it('are given to setup as the schema makes them, frozen', async () => {
    await kit([{ plugin: acme, config: { limit: 1, apiToken: 'tok_1', more: 1 } }]);
    expect(seen.at(-1)).toEqual({ limit: 1, apiToken: 'tok_1' });
    expect(Object.isFrozen(seen.at(-1))).toBe(true);
  });

  it('that fail are refused with path and value', async () => {
    const error = await failure({ limit: 'many', apiToken: 'tok_1' });
    expect(error.code).toBe('TH_CONFIG_INVALID');
    expect(error.message).toContain(`the config of 'acme' at limit: 'limit' of the plugin 'acme' is "many"`);
    expect((await failure({ limit: 1, apiToken: 'tok_', deep: { n: 'x' } })).message).toContain('at deep.n');
    expect((await failure(undefined)).message).toContain("the config of the plugin 'acme' is nothing");
  });

  it('show no secret', async () => {
    const { message } = await failure({ limit: 1, apiToken: 'sk-very-secret' });
    expect(message).toContain('apiToken');
    expect(message).not.toContain('sk-very-secret');
    const whole = await failure(['sk-very-secret']);
    expect(whole.message).toContain("the config of the plugin 'acme' is a list");
    expect(whole.message).not.toContain('sk-very-secret');
    expect((await failure({ limit: { key: 'sk-very-secret' } })).message).not.toContain('sk-very-secret');
    for (const key of ['dsn', 'url', 'words', 'pin', 'webhookUrl']) {
      const any = definePlugin({ id: 'any', config: z.object({ [key]: z.number() }), setup: () => {} });
      const { host } = await kit([{ plugin: any, config: { [key]: 'hunter2' } }]);
      expect((host.failed[0]!.error as Error).message, key).not.toContain('hunter2');
    }
  });

  it('of a plugin that takes none are refused', async () => {
    const { host } = await kit([{ plugin: fine, config: { a: 1 } }]);
    expect((host.failed[0]!.error as Error).message).toContain("the plugin 'fine' takes no config");
  });

  it('of one plugin are in no other one’s api, and a schema that throws is told', async () => {
    const odd = definePlugin({
      id: 'odd',
      config: {
        '~standard': {
          version: 1,
          vendor: 'x',
          validate: () => {
            throw new Error('broken schema');
          },
        },
      },
      setup: () => {},
    });
    const { host } = await kit([
      { plugin: acme, config: { limit: 1, apiToken: 'tok_' } },
      odd,
      plugin('nosy', (api) => void seen.push(api.config)),
    ]);
    expect(seen.at(-1)).toBeUndefined();
    expect((host.failed[0]!.error as Error).message).toContain('broken schema');
  });
});

describe('names', () => {
  it('of points that two plugins declare leave the second out', async () => {
    const own = () => defineHooks({ told: voidHook({ summary: '' }) });
    const one = definePlugin({ id: 'one', hooks: own(), setup: () => {} });
    const two = definePlugin({ id: 'two', hooks: own(), setup: () => {} });
    const loop = definePlugin({
      id: 'loop-thief',
      hooks: defineHooks({ beforeLLM: voidHook({ summary: '' }) }),
      setup: () => {},
    });
    const { host } = await kit([one, two, loop]);
    expect(host.plugins).toEqual(['one']);
    expect(host.failed).toMatchObject([
      { id: 'two', error: { code: 'TH_DECLARED_TWICE' } },
      { id: 'loop-thief', error: { code: 'TH_DECLARED_TWICE' } },
    ]);
  });

  it('of two plugins in a cycle of constraints are both in the error', async () => {
    const round = (id: string, other: string): Plugin =>
      plugin(id, ({ hooks }) => void hooks.registerVoid('agentDone', () => {}, { id: 'h', before: [`${other}/h`] }));
    const { host } = await kit([round('one', 'two'), round('two', 'one'), fine]);
    expect(host.failed).toMatchObject([{ id: 'two', error: { code: 'TH_ORDER_CYCLE' } }]);
    expect((host.failed[0]!.error as Error).message).toMatch(/one\/h.*two\/h|two\/h.*one\/h/);
    expect(host.plugins).toEqual(['one', 'fine']);
  });
});

describe('a log line', () => {
  const talker = plugin('talker', ({ log }) => {
    log.debug('d');
    log.warn('w', { n: 1 });
    log.error('e');
  });

  it('goes to onLog', async () => {
    const heard: unknown[] = [];
    const { warnings } = await kit([talker], { onLog: (entry) => void heard.push(entry) });
    expect(heard).toEqual([
      { plugin: 'talker', level: 'debug', message: 'd' },
      { plugin: 'talker', level: 'warn', message: 'w', fields: { n: 1 } },
      { plugin: 'talker', level: 'error', message: 'e' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('that is a warning or an error is one of the host’s where nobody listens', async () => {
    const { warnings } = await kit([talker]);
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "TH_PLUGIN_SAID the plugin 'talker' says: w",
      "TH_PLUGIN_SAID the plugin 'talker' says: e",
    ]);
  });
});

describe('the end', () => {
  it('of a host disposes of the plugins, the last one first, kills their apis, and tells what fails', async () => {
    const order: string[] = [];
    const apis: PluginApi[] = [];
    const leaving = (id: string, how: () => unknown): Plugin =>
      plugin(id, (api) => {
        apis.push(api);
        api.onDispose(() => {
          order.push(id);
          return how() as never;
        });
      });
    const { host, warnings } = await kit(
      [
        leaving('a', () => {}),
        leaving('b', () => {
          throw new Error('no way');
        }),
        leaving('c', async () => Promise.reject(new Error('nor so'))),
        leaving('d', () => new Promise(() => {})),
      ],
      { pluginTimes: { disposeMs: 20 } },
    );
    await Promise.all([host.close(), host.close()]);
    expect(order).toEqual(['d', 'c', 'b', 'a']);
    for (const api of apis) expect(throwsOf(api)).toEqual(allDead);
    expect(warnings.map(({ message }) => message)).toEqual([
      "the plugin 'd': a function of its onDispose did not end within 20 ms",
      "the plugin 'c': a function of its onDispose failed: nor so",
      "the plugin 'b': a function of its onDispose failed: no way",
    ]);
    expect(host.registry.plan('agentDone', 'all')).toEqual([]);
  });

  it('of createHost by an error takes back the plugins that stood', async () => {
    const order: string[] = [];
    const leaving = plugin('a', (api) => api.onDispose(() => void order.push('a')));
    await expect(
      kit(
        [
          leaving,
          plugin('b', () => {
            throw new Error('boom');
          }),
        ],
        { strict: true },
      ),
    ).rejects.toThrow('boom');
    await expect(kit([leaving], { tools: [null as never] })).rejects.toMatchObject({ code: 'TH_TOOL_INVALID' });
    expect(order).toEqual(['a', 'a']);
  });
});
