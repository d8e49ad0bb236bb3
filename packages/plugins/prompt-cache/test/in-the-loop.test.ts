// Owns how the plugin lives with others in a real loop: what others say stands, and what it counts is what was reported.
import { testHost, type TestHostOptions } from '@treblehook/testing';
import { definePlugin, type LLMAttempt, type LLMAmendment } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import cache, { promptCache, type PromptCacheStats } from '../src/index.js';

const personality = (...more: string[]) => ({ id: 'p', system: 'S', plugins: ['prompt-cache', ...more] });
const sets = (id: string, amendment: Partial<LLMAmendment>) =>
  definePlugin({ id, setup: ({ hooks }) => void hooks.registerModifying('beforeLLM', () => amendment as never) });

async function bench(
  options: TestHostOptions & { readonly config?: unknown } = {},
  onStats?: (stats: PromptCacheStats) => void,
) {
  const { config, plugins = [], ...rest } = options;
  const sent: LLMAttempt[] = [];
  const spy = definePlugin({
    id: 'spy',
    setup: ({ hooks }) => void hooks.registerVoid('llmRequest', (request) => void sent.push(request)),
  });
  const use = { plugin: onStats === undefined ? cache : promptCache({ onStats }), seat: true, config };
  const ids = plugins.map((one) => ('plugin' in one ? one.plugin.id : one.id));
  const host = await testHost({ personality: personality('spy', ...ids), ...rest, plugins: [use, spy, ...plugins] });
  return { ...host, sent };
}

describe('settings', () => {
  it('of others stand beside the marks', async () => {
    const { agent, sent, faults } = await bench({ plugins: [sets('cold', { settings: { temperature: 0 } })] });
    await agent.run('go');
    expect(sent.map(({ settings }) => settings)).toEqual([{ temperature: 0, cacheAfter: [0, 1] }]);
    expect(faults).toEqual([]);
  });

  it('with marks of somebody else are left as they are', async () => {
    const { agent, sent } = await bench({ plugins: [sets('mine', { settings: { cacheAfter: [0] } })] });
    await agent.run('go');
    expect(sent[0]!.settings).toEqual({ cacheAfter: [0] });
  });

  it('on Object.prototype are nobody’s', async () => {
    // oxlint-disable-next-line no-extend-native -- that is the attack
    Object.defineProperty(Object.prototype, 'cacheAfter', { value: [0], configurable: true, writable: true });
    try {
      const { agent, sent } = await bench();
      await agent.run('go');
      expect(Object.getOwnPropertyDescriptor(sent[0]!.settings, 'cacheAfter')?.value).toEqual([0, 1]);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'cacheAfter');
    }
  });

  it('stands behind the gate, whoever else is there, and nothing that it says stays for the next call', async () => {
    const { registry, agent, sent } = await bench({ script: ['one', 'two'] });
    expect(registry.plan('beforeLLM', 'all').map(({ id }) => id)).toEqual([
      'compaction',
      'route-gate',
      'prompt-cache/marks',
    ]);
    const session = agent.session('s');
    await session.run('a');
    await session.run('b');
    expect(sent.map(({ settings }) => settings.cacheAfter)).toEqual([
      [0, 1],
      [0, 1, 3],
    ]);
    expect(session.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });
});

describe('config', () => {
  it.each([
    [{ history: 'yes' }, /'history' of the plugin 'prompt-cache' is "yes": 'history' is true or false/],
    [{ histroy: true }, /did you mean 'history'/],
    [{ models: [] }, /empty list/],
    [{ models: [''] }, /is empty/],
  ])('%j is refused', async (config, words) => {
    await expect(bench({ config })).rejects.toThrow(words);
  });

  it('names the models whose calls are marked, and whether the conversation is', async () => {
    const other = await bench({ config: { models: ['__proto__', 'claude*'] } });
    await other.agent.run('go');
    expect(other.sent[0]!.settings.cacheAfter).toBeUndefined();
    const front = await bench({ config: { history: false } });
    await front.agent.run('go');
    expect(front.sent[0]!.settings.cacheAfter).toEqual([0]);
  });
});

describe('what the cache gave', () => {
  it('is counted per session, absent reports and failed calls apart, and told at the end of each', async () => {
    const told: PromptCacheStats[] = [];
    const logged: unknown[] = [];
    const { agent, close, faults } = await bench(
      {
        script: [
          { text: 'one', usage: { input: 100, cacheRead: 80, cacheWrite: 20 } },
          'no report',
          new Error('down'),
          { text: 'cold', usage: { input: 50, cacheRead: 0 } },
        ],
        onLog: (entry) => void logged.push(entry),
      },
      (stats) => void told.push(stats),
    );
    const [a, b] = [agent.session('constructor'), agent.session('__proto__')];
    await a.run('1');
    await a.run('2');
    await a.run('3');
    await b.run('4');
    await close();
    expect(told).toEqual([
      {
        sessionId: 'constructor',
        calls: 1,
        unreported: 2,
        inputTokens: 100,
        cacheReadTokens: 80,
        cacheWriteTokens: 20,
        hitRate: 0.8,
      },
      {
        sessionId: '__proto__',
        calls: 1,
        unreported: 0,
        inputTokens: 50,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        hitRate: 0,
      },
    ]);
    expect(logged).toMatchObject([
      { level: 'info', message: "prompt cache of the session 'constructor': hit rate 80 %", fields: { hitRate: 0.8 } },
      { level: 'info', message: "prompt cache of the session '__proto__': hit rate 0 %" },
    ]);
    expect(faults).toEqual([]);
  });

  it('is told when the plugin is replaced, and counted anew from there', async () => {
    const told: PromptCacheStats[] = [];
    const plugin = promptCache({ onStats: (stats) => void told.push(stats) });
    const { agent, reload, close } = await testHost({
      script: ['one', 'two'],
      plugins: [{ plugin, seat: true }],
      personality: personality(),
    });
    const session = agent.session('s');
    await session.run('1');
    await reload({ plugin, seat: true });
    expect(told).toMatchObject([{ sessionId: 's', calls: 0, unreported: 1 }]);
    await session.run('2');
    await close();
    expect(told).toMatchObject([{ unreported: 1 }, { unreported: 1 }]);
  });

  it('a listener that throws is a fault of the plugin and of nobody else', async () => {
    const { agent, close, faults } = await bench({}, () => {
      throw new Error('bad listener');
    });
    expect((await agent.run('go')).status).toBe('done');
    await close();
    expect(faults).toMatchObject([{ id: 'prompt-cache/tell' }]);
  });
});

it('what it registers is what its manifest declares', async () => {
  const { hooks, tools, config } = manifest.treblehook;
  const { failed } = await testHost({ plugins: [{ plugin: cache, seat: true, declared: { hooks, tools } }] });
  expect(failed).toEqual([]);
  expect(Object.keys(config.properties)).toEqual(['history', 'models']);
});
