// A tool of a plugin exists for those personalities alone whose list has the plugin, by whatever path it is called.
import type { AgentHooks, HookRegistry, Tool, ToolContext, ToolEnd } from '@treblehook/types';
import { describe, expect, it, vi } from 'vitest';
import { createAgent, createRuntime, memoryStore, type AgentOptions, type Personality } from '../src/index.js';
import { deferred, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard } from './kit.js';
import { tool } from './watched.js';

const withIt: Personality = { id: 'with', plugins: ['acme'] };
const without: Personality = { id: 'without' };

/** `look` of the plugin `acme`, with what it was run with. */
function look(more: Partial<Tool> = {}): { readonly tool: Tool; readonly ran: unknown[] } {
  const { tool: made, ran } = echo('look');
  return { tool: { ...made, source: 'plugin:acme', ...more }, ran };
}

const outer = (body: (ctx: ToolContext) => unknown): Tool =>
  tool('outer', (_, ctx) => body(ctx) as ReturnType<Tool['execute']>);
const callsLook = outer(async (ctx) => {
  const { output, isError } = await ctx.callTool('look', { text: 'nested' });
  return `${isError}: ${output}`;
});

function agentOf(script: readonly ScriptedStep[], options: Omit<Partial<AgentOptions>, 'model'> = {}) {
  const { tool: mine, ran } = look();
  const tools = [echo().tool, mine, callsLook];
  return { ...kit(script, { tools, personality: withIt, personalities: [without], ...options }), ran };
}
const endsOf = (registry: HookRegistry<AgentHooks>): ToolEnd[] => {
  const ends: ToolEnd[] = [];
  registry.registerVoid('toolEnd', (end) => void ends.push(end), { id: 'ends' });
  return ends;
};
const unknown = expect.stringContaining('unknown-tool');

describe('a tool of a plugin', () => {
  it('is offered and run where the plugin is listed, and the guards see whose it is', async () => {
    const { agent, model, registry, ran } = agentOf([call('look'), 'done']);
    const seen: unknown[] = [];
    registry.registerClaiming('toolPolicy', ({ tool: { source, name } }) => void seen.push([source, name]));
    expect((await agent.run('go')).toolCalls).toMatchObject([{ name: 'look', outcome: 'ok' }]);
    expect(seen).toEqual([['plugin:acme', 'look']]);
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual(['echo', 'look', 'outer']);
    expect(ran).toHaveLength(1);
  });

  it.each([
    ['no list', undefined],
    ['a glob that matches it', ['look', '*']],
  ])(
    'is in no request and unknown to a model that guesses its name, without the plugin and with %s',
    async (_, tools) => {
      const personality = { id: 'p', plugins: ['other'], ...(tools && { tools }) };
      const { agent, model, registry, ran } = agentOf([call('look'), 'done'], { personality });
      const sets: unknown[] = [];
      registry.registerModifying('beforeLLM', ({ toolSet }) => void sets.push(toolSet));
      vi.spyOn(process, 'emitWarning').mockImplementation(() => {}); // of `other`, which is nowhere
      const { toolCalls } = await agent.run('go');
      vi.restoreAllMocks();
      expect(toolCalls).toMatchObject([{ name: 'look', outcome: 'error', output: unknown }]);
      expect(sets[0]).toEqual(['echo', 'outer']);
      expect(JSON.stringify(model.calls[0])).not.toContain('look');
      expect(agent.describe().tools.map(({ name }) => name)).toEqual(['echo', 'outer']);
      expect(ran).toEqual([]);
    },
  );

  it('is still subject to the globs of a personality that lists the plugin', async () => {
    const personality = { ...withIt, tools: ['echo'] };
    const { agent, ran } = agentOf([call('look'), 'done'], { personality });
    expect((await agent.run('go')).toolCalls).toMatchObject([{ output: unknown }]);
    expect(ran).toEqual([]);
  });

  it('is not put into a request by a stage, nor supplied there', async () => {
    const { agent, registry, ran } = agentOf([call('look'), 'done'], { personality: without, personalities: [] });
    registry.registerModifying('beforeLLM', ({ tools }) => ({
      tools: [...tools, { name: 'look', description: 'says it back', inputSchema: {} }],
    }));
    const result = await agent.run('go');
    expect(result.toolCalls).toMatchObject([{ outcome: 'error', output: unknown }]);
    expect(ran).toEqual([]);
  });

  it('is not called by a body of another tool', async () => {
    const { agent, registry, ran } = agentOf([call('outer', {}), 'done'], { personality: without, personalities: [] });
    const ends = endsOf(registry);
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.at(-1)).toMatchObject({ name: 'outer', output: expect.stringMatching(/^true: unknown-tool/) });
    expect(ends.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['look', 'error'],
      ['outer', 'ok'],
    ]);
    expect(ran).toEqual([]);
  });

  it('goes and comes with a switch', async () => {
    const script = [
      call('look'),
      'one',
      calls({ name: 'look', args: { text: 'x' } }, 'outer'),
      'two',
      call('look'),
      '3',
    ];
    const { agent, model, ran } = agentOf(script);
    const session = agent.session('s');
    expect((await session.run('1')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
    expect(await session.switchPersonality('without')).toMatchObject({ plugins: [], tools: ['echo', 'outer'] });
    const { toolCalls } = await session.run('2');
    expect(toolCalls).toMatchObject([{ output: unknown }, { output: unknown }, { name: 'outer', output: unknown }]);
    await session.switchPersonality('with');
    expect((await session.run('3')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
    expect(model.calls.map(({ tools }) => tools!.some(({ name }) => name === 'look'))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(ran).toHaveLength(2);
  });

  it('goes with a narrowing that leaves its plugin out, though the tools are not narrowed', async () => {
    const { agent, registry, ran } = agentOf([call('look'), 'done', call('outer', {}), 'done'], {
      personality: without,
      personalities: [withIt],
    });
    registry.registerModifying('personalitySwitched', () => ({ personality: { plugins: [] } }));
    const session = agent.session('s');
    expect(await session.switchPersonality('with')).toMatchObject({ plugins: [], tools: ['echo', 'outer'] });
    expect((await session.run('go')).toolCalls).toMatchObject([{ output: unknown }]);
    expect((await session.run('go')).toolCalls).toMatchObject([
      { output: unknown },
      { name: 'outer', output: unknown },
    ]);
    expect(ran).toEqual([]);
  });

  it('cannot be brought back by a narrowing that names it', async () => {
    const { agent, registry, ran } = agentOf([call('look'), 'done'], { personality: without, personalities: [withIt] });
    registry.registerModifying('personalitySwitched', () => ({
      personality: { plugins: [], tools: ['look', 'echo'] },
    }));
    const session = agent.session('s');
    expect(await session.switchPersonality('with')).toMatchObject({ tools: ['echo'] });
    expect((await session.run('go')).toolCalls).toMatchObject([{ output: unknown }]);
    expect(ran).toEqual([]);
  });

  it('that waits for an answer does not run when the personality has lost its plugin meanwhile', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
    const { agent } = agentOf([call('look')], { store, registry });
    const { pending: requests } = await agent.session('s').run('go');
    const later = agentOf(['done'], { store, personality: { id: 'with' } });
    const result = await later.agent.resume('s', { id: requests![0]!.id, ok: true });
    expect(result.toolCalls).toMatchObject([{ name: 'look', outcome: 'error', output: /another tool/ }]);
    expect(later.ran).toEqual([]);
  });
});

describe('the child of a task', () => {
  const task = (name: string): ScriptedStep => calls({ name: 'task', args: { agent: name, prompt: 'do it' } });

  it.each([
    ['both list it', withIt, withIt, 'ok'],
    ['its parent does not list it', without, withIt, 'error'],
    ['it does not list it', withIt, without, 'error'],
  ])('has a tool of a plugin only if both have the plugin: %s', async (_, ofLead, ofHelper, outcome) => {
    const { tool: mine, ran } = look();
    const registry = registryWithGuard();
    const ends = endsOf(registry);
    const runtime = createRuntime({
      registry,
      agents: {
        lead: { model: scriptedModel([task('helper'), 'end']), agents: ['helper'], tools: [mine], personality: ofLead },
        helper: { model: scriptedModel([call('look'), 'done']), tools: [mine], personality: ofHelper },
      },
    });
    expect((await runtime.agent('lead').run('go')).status).toBe('done');
    expect(ends[0]).toMatchObject({ name: 'look', outcome });
    expect(ran).toHaveLength(outcome === 'ok' ? 1 : 0);
  });

  it('is not warned of a plugin whose only tools its parent has taken away', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { tool: mine } = look();
    const { tool: own } = look({ description: 'another one' });
    const runtime = createRuntime({
      registry: registryWithGuard(),
      agents: {
        lead: { model: scriptedModel([task('helper'), 'end']), agents: ['helper'], tools: [own], personality: withIt },
        helper: { model: scriptedModel(['done']), tools: [mine], personality: withIt },
      },
    });
    await runtime.agent('lead').run('go');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('the name of a tool of a plugin', () => {
  const made = (...tools: Tool[]) => createAgent({ model: scriptedModel([]), registry: registryWithGuard(), tools });

  it('is nobody else’s: not one of the host’s, nor one of another plugin’s, whoever is listed', () => {
    for (const rival of [echo('look').tool, look({ source: 'plugin:zeta' }).tool]) {
      for (const tools of [[look().tool, rival] as const, [rival, look().tool] as const]) {
        expect(() => made(...tools)).toThrow(expect.objectContaining({ code: 'TH_TOOL_INVALID' }));
      }
    }
  });

  it.each(['mcp:files/look', 'plugin:acme/look', 'provider:look'])('begins with no source: %s', (name) => {
    expect(() => made(look({ name }).tool)).toThrow(/so its name is its own: leave out '(mcp|plugin|provider):'/);
  });

  it.each(['plugin:', 'plugin:Acme', 'plugin:a/b', 'plugin:host', 'plugin:all', 'plugin:acme '])(
    'has the id of a plugin in its source, not %s',
    (source) => {
      expect(() => made(look({ source: source as 'plugin:x' }).tool)).toThrow(
        /source must be 'mcp:<server>' or 'plugin:<id>'/,
      );
    },
  );
});

it('a plugin that has only tools is not absent', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await agentOf(['done']).agent.run('go');
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

it('a group that runs keeps a tool of a plugin which an update takes away, and the next run has it no more', async () => {
  const gate = deferred<string>();
  const started = deferred();
  const slow: Tool = {
    ...tool('slow', () => (started.resolve(), gate.promise)),
    concurrency: 'safe',
    source: 'plugin:acme',
  };
  const { tool: mine, ran } = look({ concurrency: 'safe' });
  const { agent, model } = kit(
    [calls({ name: 'slow', args: {} }, 'look'), call('look'), 'done', calls({ name: 'slow', args: {} }, 'look'), 'end'],
    { tools: [slow, mine], personality: withIt },
  );
  const session = agent.session('s');
  const first = session.run('1');
  await started.promise;
  const over = agent.update({ personality: { id: 'with' } });
  gate.resolve('slow in the end');
  expect((await first).toolCalls).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }, { outcome: 'ok' }]);
  await over;
  expect((await session.run('2')).toolCalls).toMatchObject([{ output: unknown }, { output: unknown }]);
  expect(ran).toHaveLength(2);
  expect(model.calls.map(({ tools = [] }) => tools.length)).toEqual([2, 2, 2, 0, 0]);
});
