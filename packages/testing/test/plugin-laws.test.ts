// Owns the suite for plugins: a good one keeps every law, and each law finds the plugin that breaks it.
import {
  definePlugin,
  defineTool,
  settingsSchema,
  voidHook,
  type Plugin,
  type StandardSchema,
} from '@treblehook/types';
import { afterEach, describe, expect, it, test } from 'vitest';
import { checkPlugin, pluginLaws, type PluginLawId } from '../src/index.js';

const anything: StandardSchema<unknown, { readonly text?: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { text?: string } }) },
};

const good = definePlugin({
  id: 'good',
  hooks: { goodSaid: voidHook<{ readonly text: string }>({ summary: 'It said something.' }) },
  config: settingsSchema((settings) => ({ word: settings.fields(['word']).word?.text() ?? 'OK' })),
  setup({ hooks, tools, config, onDispose, log }) {
    const counts = new Map<string, number>();
    const timer = setInterval(() => {}, 1000);
    onDispose(() => clearInterval(timer));
    hooks.registerVoid('agentDone', ({ origin }) => {
      counts.set(origin.sessionId, (counts.get(origin.sessionId) ?? 0) + 1);
    });
    hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: config.word }), { id: 'word' });
    hooks.registerVoid('toolEnd', ({ name, outcome }) => void (outcome === 'error' && log.warn(`${name} failed`)));
    hooks.registerVoid('goodSaid', () => {});
    tools.register(
      defineTool({
        name: 'good_tool',
        description: 'says it louder',
        input: anything,
        inputSchema: { type: 'object' },
        execute: ({ text = '' }) => text.toUpperCase(),
      }),
    );
  },
});

describe('a plugin that keeps them', () => {
  const cases = pluginLaws(
    { plugin: good, config: { word: 'Be brief.' } },
    { calls: [{ name: 'good_tool', args: { text: 'a' } }] },
  );
  test.each(cases.map(({ name, run }) => [name, run] as const))('%s', (_, run) =>
    expect(run()).resolves.toBeUndefined(),
  );
});

const silent = (setup: Plugin['setup']): Plugin => definePlugin({ id: 'bad', setup });
let count = 0;
const { parse } = JSON;
const leaks: NodeJS.Timeout[] = [];
const hear = (): void => {};
const broken = (): never => {
  throw new Error('broken by design');
};
afterEach(() => {
  JSON.parse = parse;
  for (const timer of leaks.splice(0)) clearInterval(timer);
  process.removeAllListeners('SIGUSR2');
});

const breakers: readonly (readonly [law: PluginLawId, what: string, plugin: Plugin, fault: RegExp])[] = [
  ['sets-up', 'throws in setup', silent(() => void broken()), /broken by design/],
  [
    'sets-up',
    'throws at its end',
    silent(({ onDispose }) => onDispose(broken)),
    /closed: TH_PLUGIN_FAULT: .*broken by design/,
  ],
  ['registers', 'registers nothing', silent(() => {}), /no handler and no tool/],
  [
    'registers-in-setup',
    'registers in a run',
    silent(({ hooks }) => {
      hooks.registerVoid('agentDone', () => void hooks.registerVoid('toolEnd', () => {}, { id: `late-${count++}` }));
    }),
    /it came to toolEnd during a run/,
  ],
  [
    'runs',
    'throws when a run is aborted',
    silent(({ hooks }) => {
      hooks.registerVoid('agentDone', ({ status }) => void (status === 'aborted' && broken()));
    }),
    /in a run that is aborted: TH_HANDLER_FAILED on agentDone: .*broken by design/,
  ],
  [
    'runs',
    'does not know a run that another process began',
    silent(({ hooks }) => {
      const runs = new Map<string, string[]>();
      hooks.registerVoid('messageReceived', ({ origin }) => void runs.set(origin.runId, []));
      hooks.registerVoid('toolEnd', ({ origin, name }) => void runs.get(origin.runId)!.push(name));
    }),
    /in a run that waits for an answer, and is gone on with by another host: TH_HANDLER_FAILED/,
  ],
  [
    'silent-unlisted',
    'reaches around its host',
    silent(({ hooks }) => {
      hooks.registerVoid('agentDone', () => {});
      JSON.parse = (text: string) => parse(text.replace('"hi"', '"changed"')) as unknown;
    }),
    /differs from one without the plugin:\n.*"hi" before, "changed" now/s,
  ],
  [
    'shares-nothing',
    'counts for the whole process',
    silent(({ hooks }) => {
      hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: `run ${count++}` }));
    }),
    /beside another host its runs differ.*:\n {2}asked\[0\]\.prompt\[0\]\.content: "run \d+" before, "run \d+" now/s,
  ],
  [
    'keeps-its-seat',
    'takes its seat once',
    silent(({ hooks }) => void hooks.registerVoid(count++ % 2 === 0 ? 'agentDone' : 'toolEnd', () => {})),
    /who stands where behind a reload has changed/,
  ],
  [
    'changes-nothing-given',
    'writes into bytes',
    silent(({ hooks }) => {
      hooks.registerModifying('beforeLLM', ({ messages }) => {
        for (const { content } of messages) {
          for (const part of content) if (part.type === 'file' && part.data instanceof Uint8Array) part.data[0] = 1;
        }
      });
    }),
    /bytes of a file of the history have changed/,
  ],
  [
    'planted-names',
    'reads keys that others may have planted',
    silent(({ hooks }) => {
      hooks.registerModifying('beforePromptBuild', () => {
        const options: { readonly debug?: string } = {};
        return { appendSystem: options.debug ?? 'plain' };
      });
    }),
    /while Object\.prototype has 'debug' a run differs/,
  ],
  [
    'leaves-nothing',
    'leaves a timer and a listener',
    silent(({ hooks }) => {
      hooks.registerVoid('agentDone', () => {});
      leaks.push(setInterval(() => {}, 60_000));
      process.on('SIGUSR2', hear);
    }),
    /there is still 1 timer \(made at .*plugin-laws\.test\.ts:\d+\); 1 listener of process 'SIGUSR2'/,
  ],
];

describe('the law finds a plugin that', () => {
  it.each(breakers)('%s: %s', async (id, _, plugin, fault) => {
    const faults: string[] = [];
    for (const law of pluginLaws(plugin, { settleMs: 50 })) {
      if (law.id === id) await law.run().catch((error: Error) => faults.push(error.message));
    }
    expect(faults.join('\n')).toMatch(fault);
  });

  it('has a plugin for each law', () => {
    const ids = new Set(pluginLaws(good).map(({ id }) => id));
    expect(ids).toEqual(new Set(breakers.map(([id]) => id)));
  });
});

describe('the report', () => {
  it('has a row for each law: what held, what did not and why, what was left out and why', async () => {
    const plugin = silent(({ hooks }) => {
      hooks.registerVoid('agentDone', broken);
    });
    const except = { 'leaves-nothing': 'it is the clock of the process' };
    const { plugin: id, ok, checks } = await checkPlugin(plugin, { except });
    expect([id, ok]).toEqual(['bad', false]);
    expect(checks.find((check) => check.id === 'sets-up')).toEqual({
      id: 'sets-up',
      name: 'is set up in a host, and taken away, without a fault',
      ok: true,
    });
    expect(checks.find((check) => check.id === 'runs')).toMatchObject({
      ok: false,
      fault: expect.stringMatching(/in a run that is done: TH_HANDLER_FAILED .*broken by design/) as string,
    });
    expect(checks.at(-1)).toMatchObject({ id: 'leaves-nothing', ok: true, except: except['leaves-nothing'] });
  });

  it('knows what the manifest declares', async () => {
    const use = { plugin: good, declared: { hooks: ['beforePromptBuild'], tools: ['good_tool'] } };
    const { checks } = await checkPlugin(use);
    expect(checks[0]).toMatchObject({
      ok: false,
      fault: expect.stringContaining('add it to treblehook.hooks') as string,
    });
  });

  it('refuses a law that is none', () => {
    expect(() => pluginLaws(good, { except: { everything: 'no' } as never })).toThrow(
      /no law 'everything': there is sets-up,/,
    );
  });
});
