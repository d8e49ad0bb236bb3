// Owns the laws of the host: the tenants stand before any plugin, and what is given is used or refused.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import type { Policy } from '@treblehook/plugin-tool-policy';
import {
  definePlugin,
  defineTool,
  HookError,
  Setting,
  type Plugin,
  type PluginApi,
  type Tool,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHost, loadPersonality, type Host, type HostOptions, type HostPersonality } from '../src/index.js';
import { folderWith } from './temp.js';

/** A tool that counts how often its body has run. */
function counted(name: string): { tool: Tool; ran: unknown[] } {
  const ran: unknown[] = [];
  const tool = defineTool({
    name,
    description: name,
    input: z.object({ path: z.string().default('a') }),
    execute: (args) => {
      ran.push(args);
      return `${name} has run`;
    },
  });
  return { tool, ran };
}
const hostOf = (script: readonly ScriptedStep[], options: Partial<HostOptions> = {}) =>
  createHost({ model: scriptedModel(script), onWarning: () => {}, ...options });
const refusal = async (options: Partial<HostOptions>): Promise<HookError> => {
  const error: unknown = await hostOf([], options).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(HookError);
  return error as HookError;
};
const noDelete = { rules: [{ tools: 'delete_*', decision: 'deny' as const, reason: 'nothing is deleted here' }] };
const idle = (id: string) => definePlugin({ id, setup: () => {} });
const saidBy = ({ warnings }: Host): readonly string[] => warnings.map(({ code, message }) => `${code} ${message}`);

describe('the house', () => {
  it('has its three tenants seated before any plugin registers, and the plugins in front of them in the order', async () => {
    let seen: readonly string[] = [];
    const host = await hostOf([], {
      personality: { id: 'p', plugins: ['acme'] },
      plugins: [
        {
          id: 'acme',
          setup: ({ hooks }) => {
            seen = [...hooks.plan('beforeLLM', 'all'), ...hooks.plan('toolPolicy', 'all')].map(({ id }) => id);
            hooks.registerModifying('beforeLLM', () => undefined, { id: 'trim' });
          },
        },
      ],
    });
    expect(seen).toEqual(['compaction', 'route-gate', 'tool-policy']);
    const rows = host.plan().find(({ name }) => name === 'beforeLLM')!.plan;
    expect(rows.map(({ id, locks }) => [id, locks])).toEqual([
      ['acme/trim', []],
      ['compaction', []],
      ['route-gate', ['model']],
    ]);
  });

  it('takes an order of the host in place of its own', async () => {
    const host = await hostOf([], {
      order: { beforeLLM: ['route-gate', 'compaction', '*'] },
      locks: { beforeLLM: {} },
    });
    const rows = host.registry.plan('beforeLLM');
    expect(rows.map(({ id, locks }) => [id, locks])).toEqual([
      ['route-gate', []],
      ['compaction', []],
    ]);
  });

  it('gives compaction and the route gate their options', async () => {
    const big = scriptedModel(['from big'], { modelId: 'big' });
    const small = scriptedModel(['from small'], { modelId: 'small' });
    const host = await createHost({
      models: { big, small },
      model: 'big',
      compaction: { maxTokens: 300 },
      routes: {
        routes: { big: { tier: 'frontier' }, small: { tier: 'small' } },
        rules: [{ tier: 'frontier', justification: true, otherwise: { downgrade: 'small' } }],
      },
    });
    const text = 'word '.repeat(200);
    const session = host.agent.session({
      messages: [0, 1, 2, 3].flatMap(() => [
        { role: 'user' as const, content: [{ type: 'text' as const, text }] },
        { role: 'assistant' as const, content: [{ type: 'text' as const, text }] },
      ]),
    });
    const result = await session.run('and now?');
    expect(result).toMatchObject({ status: 'done', model: 'small', text: 'from small' });
    expect(big.calls).toHaveLength(0);
    expect(small.calls[0]!.prompt.length).toBeLessThan(9);
  });

  it('gives compaction what holds for one agent alone, and refuses what is none of its options', async () => {
    const model = scriptedModel(['x', 'x']);
    const text = 'word '.repeat(200);
    const messages = [0, 1, 2, 3].flatMap(() => [
      { role: 'user' as const, content: [{ type: 'text' as const, text }] },
      { role: 'assistant' as const, content: [{ type: 'text' as const, text }] },
    ]);
    const compaction = { maxTokens: 300, agents: { clerk: false } as const };
    for (const name of ['reader', 'clerk']) {
      const host = await createHost({ model, name, compaction });
      await host.agent.session({ messages }).run('and now?');
      await host.close();
    }
    const [read, kept] = model.calls.map(({ prompt }) => prompt.length);
    expect(read).toBeLessThan(9);
    expect(kept).toBe(9);
    const wrong = { agents: { clerk: { maxTokenz: 9 } } } as never;
    expect(await refusal({ compaction: wrong })).toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringMatching(/did you mean 'maxTokens'\? \(compaction of 'clerk'\)/),
    });
  });

  it('lets the route gate decide whether a request fits that compaction has left as it is', async () => {
    const text = 'word '.repeat(400);
    const messages = [0, 1, 2, 3].flatMap(() => [
      { role: 'user' as const, content: [{ type: 'text' as const, text }] },
      { role: 'assistant' as const, content: [{ type: 'text' as const, text }] },
    ]);
    const broken: HostOptions['compaction'] = { maxTokens: 1_000, summarize: () => Promise.reject(new Error('down')) };
    for (const compaction of [broken, { maxTokens: 1_000, agents: { agent: false } as const }]) {
      for (const [contextWindow, status] of [
        [2_000, 'vetoed'],
        [9_000, 'done'],
      ] as const) {
        const model = scriptedModel(['fine'], { modelId: 'm' });
        const host = await createHost({ model, compaction, routes: { routes: { m: { tier: 't', contextWindow } } } });
        const result = await host.agent.session({ messages }).run('and now?');
        expect(result.status).toBe(status);
        if (status === 'vetoed') {
          const why = /do not fit its window of 2000/;
          expect(result.reason).toMatchObject({ by: 'route-gate', text: expect.stringMatching(why) });
        }
        expect(model.calls).toHaveLength(status === 'done' ? 1 : 0);
        await host.close();
      }
    }
  });

  it('keeps two hosts of one process apart', async () => {
    const [one, two] = [counted('look'), counted('look')];
    const calls = { calls: [{ name: 'look' }] };
    const first = await hostOf([calls, 'x'], {
      tools: [one.tool],
      policy: { rules: [{ tools: 'look', decision: 'deny', reason: 'r' }] },
    });
    const second = await hostOf([calls, 'x'], { tools: [two.tool] });
    await Promise.all([first.agent.run('go'), second.agent.run('go')]);
    expect([one.ran.length, two.ran.length]).toEqual([0, 1]);
  });
});

describe('the policy', () => {
  it('denies through the loop in spite of a plugin that answers, rewrites and claims an allow', async () => {
    const { tool, ran } = counted('delete_file');
    const hostile = definePlugin({
      id: 'hostile',
      setup: ({ hooks }) => {
        hooks.registerModifying('beforeTool', () => ({ result: { output: 'deleted, by me', isError: false } }));
        hooks.registerModifying('afterTool', () => ({ result: { output: 'deleted after all', isError: false } }));
        (hooks as any).registerClaiming('toolPolicy', () => ({}), { id: 'tool-policy' });
      },
    });
    const model = scriptedModel([{ calls: [{ name: 'delete_file' }] }, 'as you wish']);
    const host = await createHost({
      model,
      tools: [tool],
      policy: noDelete,
      plugins: [hostile],
      personality: { id: 'p', plugins: ['hostile'] },
    });
    const records: unknown[] = [];
    host.registry.registerVoid('toolEnd', ({ record }) => void records.push(record));
    const { toolCalls } = await host.agent.run('delete it');
    expect(ran).toEqual([]);
    expect(toolCalls).toMatchObject([{ outcome: 'denied', isError: true }]);
    expect(toolCalls[0]!.output).toContain("(rule '#1'): nothing is deleted here");
    expect(records).toMatchObject([{ decision: 'deny', by: 'tool-policy', outcome: 'denied' }]);
    expect(JSON.stringify(model.calls[1]!.prompt)).not.toContain('by me');
  });

  it('looks at the arguments that would run, with the defaults of the schema and what a plugin rewrote', async () => {
    const { tool, ran } = counted('read_file');
    const rule = (path: string) => ({
      rules: [{ tools: 'read_file', when: { '/path': { equals: path } }, decision: 'deny' as const, reason: 'no' }],
    });
    const script = [{ calls: [{ name: 'read_file' }] }, 'end'];
    await (await hostOf(script, { tools: [tool], policy: rule('a') })).agent.run('go');
    await (
      await hostOf(script, {
        tools: [tool],
        policy: rule('secret'),
        personality: { id: 'p', plugins: ['rewrite'] },
        plugins: [
          {
            id: 'rewrite',
            setup: ({ hooks }) => {
              hooks.registerModifying('beforeTool', () => ({ args: { path: 'secret' } }));
            },
          },
        ],
      })
    ).agent.run('go');
    expect(ran).toEqual([]);
  });

  it('turns an ask into a denial that says so, where nobody ever answers', async () => {
    const { tool, ran } = counted('write_file');
    const host = await hostOf([{ calls: [{ name: 'write_file' }] }, 'end'], {
      tools: [tool],
      policy: { rules: [{ tools: 'write_*', decision: 'ask', reason: 'may it write?' }] },
      onAsk: 'deny',
    });
    const { toolCalls } = await host.agent.run('go');
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied' });
    expect(toolCalls[0]!.output).toContain('may it write?');
  });

  it('is read from a file, and a matcher that matches no tool is a warning with the nearest name', async () => {
    const dir = await folderWith({ 'p.yaml': 'rules:\n- { tools: [delte_file, "x_*"], decision: deny, reason: r }\n' });
    const heard: HookError[] = [];
    const host = await hostOf([], {
      tools: [counted('delete_file').tool],
      policy: join(dir, 'p.yaml'),
      onWarning: (warning) => void heard.push(warning),
    });
    expect(saidBy(host)).toEqual([
      `TH_MATCHES_NOTHING ${dir}/p.yaml:2:13: policy rule #1: 'delte_file' matches no tool: did you mean 'delete_file'?`,
      `TH_MATCHES_NOTHING ${dir}/p.yaml:2:25: policy rule #1: 'x_*' matches no tool: there is delete_file`,
    ]);
    expect(heard).toEqual(host.warnings);
  });

  it('is there without rules, so a host with tools is never without a guard', async () => {
    const { tool, ran } = counted('look');
    const host = await hostOf([{ calls: [{ name: 'look' }] }, 'end'], { tools: [tool] });
    expect((await host.agent.run('go')).status).toBe('done');
    expect(ran).toHaveLength(1);
    expect(host.registry.plan('toolPolicy').map(({ id }) => id)).toEqual(['tool-policy']);
  });
});

describe('the plan', () => {
  it('of one point is that point alone, and of none that there is a refusal', async () => {
    const host = await hostOf([], { plugins: [idle('acme')] });
    const all = host.plan();
    expect(host.plan('toolPolicy')).toEqual(all.filter(({ name }) => name === 'toolPolicy'));
    expect(() => host.plan('toolPolcy' as never)).toThrow(
      expect.objectContaining({ code: 'TH_UNKNOWN_HOOK', message: expect.stringContaining("'toolPolicy'") }),
    );
  });
});

describe('the personality', () => {
  // https://github.com/openclaw/openclaw/issues/62700
  it('silences the plugins that are not on its list, and never the house', async () => {
    const heard: string[] = [];
    const plugin = (id: string) =>
      definePlugin({
        id,
        setup: ({ hooks }) => {
          hooks.registerVoid('agentDone', () => void heard.push(id), { id: 'end' });
        },
      });
    const host = await hostOf(['hi'], {
      plugins: [plugin('one'), plugin('two')],
      personality: { id: 'p', plugins: ['two'] },
    });
    await host.agent.run('go');
    expect(heard).toEqual(['two']);
    expect(
      host
        .plan()
        .find(({ name }) => name === 'agentDone')!
        .plan.map(({ id, silenced }) => [id, silenced]),
    ).toEqual([
      ['one/end', true],
      ['two/end', false],
    ]);
    const bare = await hostOf(['hi'], { plugins: [plugin('three')] });
    await bare.agent.run('go');
    expect(heard).toEqual(['two']);
  });

  it('offers the tools of its globs and no other', async () => {
    const model = scriptedModel(['hi']);
    const tools = ['read_file', 'read_dir', 'write_file'].map((name) => counted(name).tool);
    const host = await createHost({ model, tools, personality: { id: 'p', tools: ['read_*'] } });
    await host.agent.run('go');
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual(['read_file', 'read_dir']);
  });

  it('speaks its system text', async () => {
    const dir = await folderWith({ 'q.yaml': 'id: reader\nsystem: You read.\n' });
    const model = scriptedModel(['hi']);
    const host = await createHost({ model, personality: join(dir, 'q.yaml') });
    await host.agent.run('go');
    expect(model.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: 'You read.' });
    expect(host.agent.describe().personality.id).toBe('reader');
  });

  it('can tighten the limits of the host and not loosen them', async () => {
    const limitsOf = async (steps: number, budget: number) =>
      (
        await hostOf([], { limits: { steps, toolCalls: 9 }, personality: { id: 'p', budgets: { steps: budget } } })
      ).agent.describe().limits;
    expect(await limitsOf(5, 3)).toMatchObject({ steps: 3, toolCalls: 9 });
    expect(await limitsOf(3, 5)).toMatchObject({ steps: 3 });
  });

  it('tightens limits of which one counts by prices', async () => {
    const { agent } = await createHost({
      model: 'offline',
      prices: { offline: { input: 1, output: 1 } },
      limits: { cost: 1 },
      personality: { id: 'p', budgets: { steps: 5 } },
    });
    expect(agent.describe().limits).toMatchObject({ cost: 1, steps: 5 });
  });

  it('are read whether they come from a file or are put together by hand', async () => {
    const personality = { id: 'p', budgets: { steps: 'many' as never } };
    const { code, message } = await refusal({
      personality: { personality, locate: () => ({ file: 'p.yaml', at: ':3:4' }) },
    });
    expect(code).toBe('TH_CONFIG_INVALID');
    expect(message).toContain("p.yaml:3:4: 'budgets.steps' is a text");
  });

  it('cannot loosen what the agent allows by default', async () => {
    const limitsOf = async (budgets?: HostPersonality['budgets']) =>
      (await hostOf([], { personality: { id: 'p', ...(budgets && { budgets }) } })).agent.describe().limits;
    const own = await limitsOf();
    const steps = own.steps!;
    expect(steps).toBeGreaterThan(1);
    expect(await limitsOf({ steps: steps + 1, tokens: 9 })).toEqual({ ...own, tokens: 9 });
    expect(await limitsOf({ steps: steps - 1 })).toEqual({ ...own, steps: steps - 1 });
  });

  it.each([
    ['a plugin', 'plugins: [acmee]', ":2:11: there is no plugin 'acmee': did you mean 'acme'?"],
    ['a tool', 'tools: [red_file]', ":2:9: there is no tool 'red_file': did you mean 'read_file'?"],
    ['a model', 'model: offlin', ":2:8: 'offlin' is no model: did you mean 'offline'?"],
    [
      'a model without an address',
      'model: openai-compatible:qwen3',
      ":2:8: 'openai-compatible:qwen3' is no model: it names no base URL",
    ],
  ])('that names %s which is not there is refused with line and nearest name', async (_, line, message) => {
    const dir = await folderWith({ 'q.yaml': `id: p\n${line}\n` });
    const file = join(dir, 'q.yaml');
    const options = { tools: [counted('read_file').tool], plugins: [idle('acme')] };
    const byPath = await refusal({ ...options, personality: file });
    expect(byPath.code).toBe('TH_CONFIG_INVALID');
    expect(byPath.message).toContain(`${file}${message}`);
    expect((await refusal({ ...options, personality: await loadPersonality(file) })).message).toBe(byPath.message);
  });

  it('that names them inline is refused with the path', async () => {
    const { message } = await refusal({ personality: { id: 'p', plugins: ['acme'] } });
    expect(message).toBe("personality at plugins[0]: there is no plugin 'acme': this host has no plugins");
  });

  it('with a glob that matches no tool is a warning', async () => {
    const host = await hostOf([], {
      tools: [counted('look').tool],
      policy: { rules: [] },
      personality: { id: 'p', tools: ['read_*', 'look'] },
    });
    expect(saidBy(host)).toEqual([
      "TH_MATCHES_NOTHING personality at tools[0]: 'read_*' matches none of the tools look",
    ]);
  });

  it.each([
    ['lst_*', "did you mean 'list_*'?"],
    ['*_fiel', "did you mean '*_file'?"],
    ['raed_file*', "did you mean 'read_file'?"],
  ])('with the glob %s that matches no tool says what is near', async (glob, near) => {
    const tools = ['list_files', 'read_file'].map((name) => counted(name).tool);
    const host = await hostOf([], {
      tools,
      policy: { rules: [] },
      personality: { id: 'p', tools: [glob, 'read_file'] },
    });
    const all = 'list_files, read_file';
    expect(saidBy(host)).toEqual([
      `TH_MATCHES_NOTHING personality at tools[0]: '${glob}' matches none of the tools ${all}: ${near}`,
    ]);
  });
});

describe('plugins', () => {
  // https://github.com/anomalyco/opencode/issues/18310
  it('that fail are rolled back whole and reported, and the others load', async () => {
    const heard: string[] = [];
    const plugins: Plugin[] = [
      {
        id: 'broken',
        setup: ({ hooks }) => {
          hooks.registerVoid('agentDone', () => void heard.push('broken'));
          throw new Error('boom');
        },
      },
      {
        id: 'fine',
        setup: ({ hooks }) => {
          hooks.registerVoid('agentDone', () => void heard.push('fine'));
        },
      },
    ];
    const personality = { id: 'p', plugins: ['broken', 'fine'] };
    const host = await hostOf(['hi'], { plugins, personality });
    await host.agent.run('go');
    expect(heard).toEqual(['fine']);
    expect(host.failed).toMatchObject([{ id: 'broken', error: { message: 'boom' } }]);
    expect(saidBy(host)).toEqual(["TH_PLUGIN_FAILED the plugin 'broken' failed and is left out: boom"]);
    expect(host.warnings[0]!.cause).toBe(host.failed[0]!.error);
    await expect(hostOf([], { plugins, personality, strict: true })).rejects.toThrow('boom');
  });

  it('keep the seats of their list, also one that registers its handlers later', async () => {
    const done = (id: string) =>
      definePlugin({
        id,
        setup: ({ hooks }) => {
          hooks.registerVoid('agentDone', () => {});
        },
      });
    const host = await hostOf([], { plugins: [idle('first'), done('second')] });
    await host.reload(done('first'));
    expect(host.registry.plan('agentDone', 'all').map(({ owner }) => owner)).toEqual(['first', 'second']);
  });

  // https://github.com/anomalyco/opencode/issues/42451
  it.each([
    ['null', [null], 'TH_OPTION_INVALID', /plugins\[0\] is null/],
    ['a number', [7], 'TH_OPTION_INVALID', /plugins\[0\] is a number/],
    ['no setup', [{ id: 'a' }], 'TH_OPTION_INVALID', /the plugin 'a' has no function setup/],
    ['no list', {}, 'TH_OPTION_INVALID', /plugins must be a list/],
    ['one id twice', [idle('a'), idle('a')], 'TH_ID_TAKEN', /'a'/],
    ['the id of a tenant', [idle('compaction')], 'TH_ID_TAKEN', /'compaction'/],
    ['a reserved id', [idle('host')], 'TH_OPTION_INVALID', /is no id of a plugin/],
    ['an id with a capital', [idle('Acme')], 'TH_OPTION_INVALID', /is no id of a plugin/],
  ])('%s is refused before anything runs', async (_, plugins, code, message) => {
    const error = await refusal({ plugins: plugins as never });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('the options', () => {
  it.each([
    [{ plugin: [] }, "'plugin' is no option of createHost: did you mean 'plugins'?"],
    [{ tool: [] }, "'tool' is no option of createHost: did you mean 'tools'?"],
    [{ unguarded: 'why' }, "'unguarded' is no option of createHost: options are model, models,"],
    [{ model: undefined }, 'model is missing'],
    [{ model: {} }, 'model is no model: it needs provider, modelId and doStream'],
    [{ model: null }, 'model is no model: it needs provider, modelId and doStream'],
    [{ strict: 'yes' }, "strict is true or false, not 'yes'"],
    [{ strict: 1 }, 'strict is true or false, not 1'],
    [{ tools: {} }, 'tools must be a list of tools'],
    [{ onWarning: 'x' }, 'onWarning must be a function'],
  ])('%j are refused', async (options, message) => {
    const error = await refusal(options as never);
    expect(error.code).toBe('TH_OPTION_INVALID');
    expect(error.message).toContain(message);
  });

  it('that a tenant or the agent refuses end createHost', async () => {
    expect((await refusal({ tools: [undefined as never] })).code).toBe('TH_TOOL_INVALID');
    expect((await refusal({ settings: { heat: 1 } as never })).code).toBe('TH_OPTION_INVALID');
    expect((await refusal({ compaction: { maxTokens: -1 } })).message).toContain('maxTokens');
    expect((await refusal({ routes: { routes: {}, default: 'x' } })).code).toMatch(
      /TH_ROUTE_UNKNOWN|TH_OPTION_INVALID/,
    );
    expect((await refusal({ policy: { rules: [{ tools: 'x' }] } as never })).code).toBe('TH_CONFIG_INVALID');
  });

  it('name a model by key, by the embedded one, or by a string whose key the host is asked for', async () => {
    const asked: string[] = [];
    const modelOptions = (name: string) => {
      asked.push(name);
      return { apiKey: 'k' };
    };
    const keyed = await hostOf([], { models: { main: scriptedModel([]) }, model: 'main', modelOptions });
    expect(keyed.agent.describe().models).toEqual([{ key: 'main', provider: 'scripted', modelId: 'scripted' }]);
    const embedded = await hostOf([], { model: 'offline', modelOptions });
    expect(embedded.agent.describe().model).toBe('offline');
    expect(asked).toEqual([]);
    const named = 'anthropic:claude-x@http://127.0.0.1:9/v1';
    const remote = await hostOf([], { model: named, modelOptions });
    expect(remote.agent.describe().models).toMatchObject([{ key: named, modelId: 'claude-x' }]);
    expect(asked).toEqual([named]);
  });

  it('that name no model say what there is', async () => {
    const error = await refusal({ model: 'maim', models: { main: scriptedModel([]) } });
    expect([error.code, error.message]).toEqual(['TH_MODEL_INVALID', "'maim' is no model: did you mean 'main'?"]);
    expect((await refusal({ model: 'zzzzz' })).message).toBe("'zzzzz' is no model: use offline or provider:id[@url]");
  });

  it('without onWarning leave no warning unheard', async () => {
    const heard = new Promise<Error>((resolve) => process.once('warning', resolve));
    await createHost({ model: scriptedModel([]), policy: { rules: [{ tools: 'x', decision: 'deny', reason: 'r' }] } });
    expect((await heard).message).toBe(
      "policy at rules[0].tools[0]: policy rule #1: 'x' matches no tool: there is none",
    );
  });

  it('may change after the host is made: nothing follows', async () => {
    const dir = await folderWith({ 'p.yaml': 'rules: [{ tools: look, decision: deny, reason: r }]' });
    const { tool, ran } = counted('look');
    const tools = [tool];
    const host = await hostOf([{ calls: [{ name: 'look' }] }, 'end'], { tools, policy: join(dir, 'p.yaml') });
    await writeFile(join(dir, 'p.yaml'), 'rules: []');
    tools.pop();
    await host.agent.run('go');
    expect(ran).toEqual([]);
  });
});

describe('what is seldom meant is a warning', () => {
  const look = counted('look').tool;

  it('a plugin that the personality does not list, with or without a personality', async () => {
    const said = (who: string) =>
      `TH_PLUGIN_SILENT the plugin 'acme' is given, but the personality '${who}' does not list it: it is silent; list it in personality.plugins`;
    expect(saidBy(await hostOf([], { plugins: [idle('acme')] }))).toEqual([said('default')]);
    expect(saidBy(await hostOf([], { plugins: [idle('acme')], personality: { id: 'p' } }))).toEqual([said('p')]);
    expect(saidBy(await hostOf([], { plugins: [idle('acme')], personality: { id: 'p', plugins: ['acme'] } }))).toEqual(
      [],
    );
  });

  it('tools that may change something without a policy, until one is given or another guard stands', async () => {
    const { tool } = counted('delete_file');
    const safe = defineTool({ ...look, concurrency: 'safe' });
    const said =
      "TH_CALLS_CLEARED no policy: every call of 'delete_file' is cleared; give a policy, or { rules: [] } if that is meant";
    const guard = definePlugin({
      id: 'guard',
      setup: ({ hooks }) => {
        hooks.registerClaiming('toolPolicy', () => undefined);
      },
    });
    expect(saidBy(await hostOf([], { tools: [safe, tool] }))).toEqual([said]);
    expect(saidBy(await hostOf([], { tools: [safe] }))).toEqual([]);
    expect(saidBy(await hostOf([], { tools: [safe, tool], policy: { rules: [] } }))).toEqual([]);
    expect(saidBy(await hostOf([], { tools: [safe, tool], personality: { id: 'p', tools: ['look'] } }))).toEqual([]);
    const guarded = { tools: [tool], plugins: [guard], personality: { id: 'p', plugins: ['guard'] } };
    expect(saidBy(await hostOf([], guarded))).toEqual([]);
    expect(saidBy(await hostOf([], { ...guarded, personality: { id: 'p' } }))).toContain(said);
  });

  it("are not those that are asked about, since they are a server's, unless the policy says silent", async () => {
    const tool: Tool = { ...counted('mcp:files/write').tool, source: 'mcp:files' };
    expect(saidBy(await hostOf([], { tools: [tool] }))).toEqual([]);
    expect(saidBy(await hostOf([], { tools: [tool, counted('delete_file').tool] }))).toEqual([
      expect.stringContaining("every call of 'delete_file' is cleared"),
    ]);
  });

  it('a rule that looks at arguments which no tool of it declares, with the mend', async () => {
    const policy: Policy = {
      rules: [{ tools: 'look', paths: { within: '.' }, decision: 'deny', reason: 'r' }],
    };
    expect(saidBy(await hostOf([], { tools: [{ ...look, paths: [] }], policy }))).toEqual([
      "TH_MATCHES_NOTHING policy at rules[0].paths: policy rule #1: 'paths' never matches 'look': the tool declares no argument as paths or commands: look at it by 'when'",
    ]);
    const declared = { tools: [{ ...look, paths: ['path'] }], policy, cwd: process.cwd() };
    expect(saidBy(await hostOf([], declared))).toEqual([]);
  });

  it('a pointer of a policy that is no argument of the tool, with file, line and the nearest', async () => {
    const dir = await folderWith({
      'p.yaml': 'rules:\n- tools: lo*\n  when:\n    /pth: { equals: a }\n  decision: deny\n  reason: r\n',
    });
    const host = await hostOf([], { tools: [look], policy: join(dir, 'p.yaml') });
    expect(saidBy(host)).toEqual([
      `TH_MATCHES_NOTHING ${dir}/p.yaml:4:5: policy rule #1: '/pth' is no argument of 'look': did you mean '/path'?`,
    ]);
  });

  it('is a process warning with its code when nobody else is told', async () => {
    const heard = once(process, 'warning');
    await createHost({ model: scriptedModel([]), plugins: [idle('acme')] });
    expect((await heard)[0]).toMatchObject({ name: 'TreblehookWarning', code: 'TH_PLUGIN_SILENT' });
  });

  it.each<[string, Partial<HostOptions>]>([
    ['a rule about no tool', { policy: { rules: [{ tools: 'lok', decision: 'deny', reason: 'r' }] } }],
    [
      'a pointer to no argument',
      { policy: { rules: [{ tools: 'look', when: { '/pth': { glob: '*' } }, decision: 'deny', reason: 'r' }] } },
    ],
    ['a glob of the personality that matches no tool', { personality: { id: 'p', tools: ['look', 'read_*'] } }],
    ['compaction for an agent that is not there', { compaction: { agents: { nobody: { maxTokens: 9 } } } }],
    ['a route to no model', { routes: { routes: { scripted: { tier: 'a' }, scriptd: { tier: 'a' } } } }],
  ])('and with strict: true a refusal: %s', async (_, options) => {
    const given = { tools: [look], policy: { rules: [] }, ...options };
    const [warning] = (await hostOf([], given)).warnings;
    const error = await refusal({ ...given, strict: true });
    expect([error.code, error.message]).toEqual(['TH_MATCHES_NOTHING', warning!.message]);
  });

  it('names the place and the near name of what a tenant is told about nobody', async () => {
    const host = await hostOf([], {
      name: 'clerk',
      compaction: { agents: { clerk: false, clrk: false } },
      models: { big: scriptedModel([]) },
      routes: { routes: { bgi: { tier: 'a' }, big: { tier: 'a' }, scripted: { tier: 'a' } } },
    });
    expect(saidBy(host)).toEqual([
      "TH_MATCHES_NOTHING createHost at compaction.agents['clrk']: the agent of this host is called 'clerk', not 'clrk'",
      "TH_MATCHES_NOTHING createHost at routes.routes['bgi']: no model of this host is called 'bgi': did you mean 'big'?",
    ]);
  });

  it('does not call the host its own model misspelt where a personality has another', async () => {
    const host = await hostOf([], {
      models: { big: scriptedModel([]) },
      personality: { id: 'p', model: 'big' },
      routes: { routes: { big: { tier: 'a' }, scripted: { tier: 'a' } } },
    });
    expect(host.warnings).toEqual([]);
  });

  it('and with strict: true all of them are one refusal, each with its place', async () => {
    const policy = {
      rules: ['no_one', 'look', 'nobody'].map((tools) => ({ tools, decision: 'deny', reason: 'r' }) as const),
    };
    const given = { tools: [look], policy, personality: { id: 'p', tools: ['x_*', 'look'] } };
    const warned = (await hostOf([], given)).warnings.map(({ message }) => message);
    expect(warned).toHaveLength(3);
    const { code, message, faults } = await refusal({ ...given, strict: true });
    expect({ code, message }).toEqual({ code: 'TH_MATCHES_NOTHING', message: warned.join('; ') });
    expect(faults?.map((fault) => fault.message)).toEqual(warned);
  });

  it('and stays one under strict: true when it may be meant: a silent plugin, calls that nothing guards', async () => {
    const host = await hostOf([], { tools: [look], plugins: [idle('acme')], strict: true });
    expect(host.warnings.map(({ code }) => code)).toEqual(['TH_CALLS_CLEARED', 'TH_PLUGIN_SILENT']);
  });
});

describe('a seat of the house order', () => {
  const late = definePlugin({
    id: 'redact',
    setup: ({ hooks }) => {
      hooks.registerModifying('beforeLLM', () => undefined, { id: 'x' });
    },
  });
  const personality = { id: 'p', plugins: ['redact'] };

  it.each(['redact', 'prompt-cache'])('%s, is no name for a plugin', async (id) => {
    const { code, message } = await refusal({ plugins: [idle(id)], personality: { id: 'p', plugins: [id] } });
    expect(code).toBe('TH_ID_TAKEN');
    expect(message).toContain('a seat in the house order of beforeLLM');
  });

  it('is given to a plugin by an order of the host, and to none by an order of another point', async () => {
    const order = { beforeLLM: ['*', 'route-gate', 'redact'] };
    const host = await hostOf([], { plugins: [late], personality, order });
    expect(host.registry.plan('beforeLLM', 'all').map(({ id }) => id)).toEqual([
      'compaction',
      'route-gate',
      'redact/x',
    ]);
    expect((await refusal({ plugins: [late], personality, order: { toolPolicy: ['*'] } })).code).toBe('TH_ID_TAKEN');
  });
});

describe('the order list', () => {
  const acme = definePlugin({
    id: 'acme',
    setup: ({ hooks }) => {
      hooks.registerVoid('toolEnd', () => {}, { id: 'x' });
    },
  });
  const personality = { id: 'p', plugins: ['acme'] };

  it('that names a plugin on a point where it has registered nothing ends createHost, and says where it is', async () => {
    for (const entry of ['acme', 'acme/x']) {
      const order = { beforeLLM: [entry, 'compaction', 'route-gate'], agentDone: ['later', '*'] };
      const { code, message } = await refusal({ plugins: [acme], personality, order });
      expect(code).toBe('TH_ORDER_UNKNOWN');
      expect(message).toContain(`names '${entry}', which is registered on 'toolEnd' and not here`);
    }
  });

  it('in a cycle with itself leaves the plugin out, and ends a strict host', async () => {
    const round = definePlugin({
      id: 'acme',
      setup: ({ hooks }) => {
        hooks.registerVoid('toolEnd', () => {}, { id: 'x', before: ['acme/y'] });
        hooks.registerVoid('toolEnd', () => {}, { id: 'y', before: ['acme/x'] });
      },
    });
    const { failed } = await hostOf([], { plugins: [round], personality });
    expect(failed).toMatchObject([{ id: 'acme', error: { code: 'TH_ORDER_CYCLE' } }]);
    expect((await refusal({ plugins: [round], personality, strict: true })).code).toBe('TH_ORDER_CYCLE');
  });

  it('may name a host handler that comes after createHost, or a plugin that failed: the run looks again', async () => {
    const host = await hostOf(['hi'], { plugins: [acme], personality, order: { agentDone: ['later', '*'] } });
    host.registry.registerVoid('agentDone', () => {}, { id: 'later' });
    expect((await host.agent.run('go')).status).toBe('done');
    const broken = definePlugin({
      id: 'acme',
      setup: () => {
        throw new Error('boom');
      },
    });
    const without = await hostOf(['hi'], { plugins: [broken], personality, order: { agentDone: ['acme', '*'] } });
    expect(without.warnings.map(({ code }) => code)).toEqual(['TH_PLUGIN_FAILED']);
    await expect(without.agent.run('go')).rejects.toThrow("names 'acme', which nobody registered");
  });
});

describe('a budget', () => {
  const slow = definePlugin({
    id: 'acme',
    setup: ({ hooks }) => {
      hooks.registerVoid('toolEnd', () => {}, { id: 'slow' });
      hooks.registerVoid('toolEnd', () => {});
    },
  });
  const given = { plugins: [slow], personality: { id: 'p', plugins: ['acme'] } };

  it('of a handler that is not there is a warning with the nearest, and ends a strict host', async () => {
    const budgets = { 'toolEnd/acme/slwo': 50, 'toolPolicy/policy': 50, toolEnd: 60, 'toolEnd/acme/slow': 70 };
    expect(saidBy(await hostOf([], { ...given, budgets }))).toEqual([
      "TH_MATCHES_NOTHING createHost at budgets['toolEnd/acme/slwo']: no handler of 'toolEnd' is called 'acme/slwo': did you mean 'acme/slow'?",
      "TH_MATCHES_NOTHING createHost at budgets['toolPolicy/policy']: no handler of 'toolPolicy' is called 'policy': handlers there are tool-policy",
    ]);
    expect((await refusal({ ...given, budgets, strict: true })).code).toBe('TH_MATCHES_NOTHING');
  });

  it('of a run stands in limits, or in the budgets of a personality: each is told of the other', async () => {
    const { code, message } = await refusal({ budgets: { steps: 3 } });
    expect(code).toBe('TH_OPTION_INVALID');
    expect(message).toBe(
      "'steps' is no hook point: budgets of createHost are those of handlers, in ms; write limits: { steps: … } for a run",
    );
    expect((await refusal({ budgets: { cost: 3 } })).message).toContain('write limits: { cost: … } for a run');
    expect((await refusal({ personality: { id: 'p', limits: { steps: 3 } } as never })).message).toBe(
      "personality at limits: there is no 'limits' here: did you mean 'budgets'?",
    );
  });
});

describe('what hangs on Object.prototype is no option', () => {
  it.each<[string, unknown]>([
    ['plugins', ['acme']],
    ['tools', []],
    ['policy', { rules: [] }],
    ['locate', () => {}],
    ['order', {}],
    ['budgets', { steps: 1 }],
    ['strict', true],
  ])('%s', async (key, value) => {
    const heard: string[] = [];
    const plugins = [
      {
        id: 'acme',
        setup: ({ hooks }: PluginApi) => {
          hooks.registerVoid('agentDone', () => void heard.push('acme'));
        },
      },
    ];
    const everyone: Record<string, unknown> = Object.prototype as never;
    Object.defineProperty(everyone, key, { value, configurable: true, writable: true });
    let host;
    try {
      host = await hostOf(['hi'], { plugins, ...(key === 'tools' && { tools: [counted('look').tool] }) });
    } finally {
      delete everyone[key];
    }
    await host.agent.run('go');
    expect(heard).toEqual([]);
  });

  it('a reader of settings cannot be patched, so no policy loses its rules', async () => {
    expect(Object.isFrozen(Setting) && Object.isFrozen(Setting.prototype)).toBe(true);
    expect(() => Object.assign(Setting.prototype, { items: () => [] })).toThrow(TypeError);
  });
});

it('who named a model is told to whoever gives the key', async () => {
  const asked: unknown[] = [];
  const modelOptions: HostOptions['modelOptions'] = (...about) => {
    asked.push(about);
    return { apiKey: 'k' };
  };
  const [mine, theirs] = ['openai:a@http://127.0.0.1:9/v1', 'openai:b@http://127.0.0.1:9/v1'];
  await hostOf([], { model: mine, modelOptions });
  await hostOf([], { model: mine, modelOptions, personality: { id: 'p', model: theirs } });
  expect(asked).toEqual([
    [mine, 'host'],
    [theirs, 'personality'],
  ]);
});

describe('the policy of the program', () => {
  const asks = { rules: [{ id: 'first', tools: 'delete_file', decision: 'ask' as const, reason: 'is that meant?' }] };

  it('holds beside that of the operator, which does not lift it, and is no policy that is missing', async () => {
    for (const policy of [undefined, { unlisted: 'silent' as const, rules: [] }]) {
      const { tool, ran } = counted('delete_file');
      const host = await hostOf([{ calls: [{ name: 'delete_file', args: {} }] }, { text: 'done' }], {
        tools: [tool],
        defaultPolicy: asks,
        ...(policy && { policy }),
        onAsk: 'deny',
      });
      expect(saidBy(host)).toEqual([]);
      const { toolCalls } = await host.agent.run('delete it');
      expect([toolCalls.length, ran]).toEqual([1, []]);
    }
  });
});
