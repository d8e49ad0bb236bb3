// `ctx.fire`: the body of a plugin's tool fires the points that its plugin owns, as the run in hand would, and no other.
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineHooks,
  modifyingHook,
  pending,
  voidHook,
  type HookCaller,
  type ScopeOptions,
  type Tool,
  type ToolContext,
} from '@treblehook/types';
import { describe, expect, it, vi } from 'vitest';
import { createAgent, type AgentOptions } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { call, settle } from './kit.js';
import { tool } from './watched.js';

const points = defineHooks({
  acmeTold: voidHook<{ n: number }>({ summary: 'told', owner: 'acme' }),
  acmeShaped: modifyingHook<{ n: number }, { n: number }>({
    summary: 'shaped',
    discipline: 'merge',
    keys: { n: 'number' },
    owner: 'acme',
  }),
  zetaTold: voidHook<{ n: number }>({ summary: 'told', owner: 'zeta' }),
});
const catalogue = defineHooks(agentHooks, points);

function fires(
  body: (ctx: ToolContext) => unknown,
  { source = 'plugin:acme', ...options }: Partial<AgentOptions> & { readonly source?: Tool['source'] | 'host' } = {},
) {
  const registry = createHookRegistry(catalogue);
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  const heard: string[] = [];
  for (const pluginId of ['acme', 'zeta', 'quiet']) {
    registry.forPlugin(pluginId).registerVoid('acmeTold', ({ n }) => void heard.push(`${pluginId} ${n}`));
  }
  registry.forPlugin('zeta').registerModifying('acmeShaped', ({ n }) => ({ n: n + 1 }));
  const name = source.startsWith('mcp:') ? `${source}/probe` : 'probe';
  const probe = {
    ...tool(name, (_, ctx) => body(ctx) as ReturnType<Tool['execute']>),
    ...(source !== 'host' && { source }),
  };
  const scoped = vi.fn<(scope: ScopeOptions, own: typeof registry.scoped) => HookCaller<any>>((scope, own) =>
    own(scope),
  );
  const asked = { ...registry, scoped: (scope: ScopeOptions) => scoped(scope, registry.scoped) };
  const agent = createAgent({
    model: scriptedModel([({ tools = [] }) => call(tools[0]!.name, {}), 'done']),
    registry: asked,
    tools: [probe as Tool],
    personality: { id: 'p', plugins: ['acme', 'zeta'] },
    ...options,
  });
  return { agent, heard, scoped };
}

/** What the fire is refused with, by whatever member. */
async function refusals(fire: HookCaller<any>, hook: string): Promise<unknown[]> {
  const asked = [
    () => fire.fireVoid(hook, { n: 1 }),
    () => fire.fireModifying(hook, { n: 1 }),
    () => fire.fireClaiming(hook, { n: 1 }),
    async () => fire.hasHandlers(hook),
    async () => fire.generation(hook),
  ];
  const codes = await Promise.all(
    asked.map((ask) =>
      ask().then(
        () => 'fired',
        ({ code }: { code: string }) => code,
      ),
    ),
  );
  return [...new Set(codes)];
}

describe('ctx.fire of a tool of a plugin', () => {
  it('fires what the plugin owns under the allowlist of the run', async () => {
    let shaped: unknown;
    const { agent, heard } = fires(async ({ fire }) => {
      await fire.fireVoid('acmeTold', { n: 1 });
      shaped = await fire.fireModifying('acmeShaped', { n: 1 });
      return `${fire.hasHandlers('acmeTold')} ${typeof fire.generation('acmeTold')}`;
    });
    expect((await agent.run('go')).toolCalls).toMatchObject([{ outcome: 'ok', output: 'true number' }]);
    expect(heard).toEqual(['acme 1', 'zeta 1']);
    expect(shaped).toEqual({ n: 2 });
  });

  it('follows a switch: who is not listed any more is not asked', async () => {
    const { agent, heard } = fires(({ fire }) => fire.fireVoid('acmeTold', { n: 1 }).then(() => 'ok'), {
      personalities: [{ id: 'q', plugins: ['acme'] }],
    });
    const session = agent.session('s');
    await session.switchPersonality('q');
    await session.run('go');
    expect(heard).toEqual(['acme 1']);
  });

  it('fires no point of the loop, of another plugin, and none that there is not', async () => {
    const seen: unknown[] = [];
    const { agent } = fires(async ({ fire }) => {
      for (const hook of ['zetaTold', 'toolEnd', 'toolPolicy', 'beforeCompaction', 'acmeTolled']) {
        seen.push(await refusals(fire, hook));
      }
      return 'ok';
    });
    await agent.run('go');
    const not = ['TH_NOT_YOURS'];
    expect(seen).toEqual([not, not, not, not, ['TH_UNKNOWN_HOOK']]);
  });

  it('is dead behind the end of the body, kept as it is or unread', async () => {
    let ctx: ToolContext | undefined;
    let fire: HookCaller<any> | undefined;
    const { agent, heard } = fires((given) => {
      ctx = given;
      ({ fire } = given);
      return 'ok';
    });
    await agent.run('go');
    for (const kept of [fire!, ctx!.fire]) expect(await refusals(kept, 'acmeTold')).toEqual(['TH_DISPOSED']);
    expect(heard).toEqual([]);
  });

  it('is dead behind the start that it was given to: another start of the same body opens neither it nor callTool', async () => {
    const kept: ToolContext[] = [];
    const codes: unknown[] = [];
    const { agent } = fires(
      async (ctx) => {
        kept.push(ctx);
        if (ctx.answer === undefined) return pending({ kind: 'code', prompt: 'which?' });
        codes.push(await refusals(kept[0]!.fire, 'acmeTold'));
        codes.push(await kept[0]!.callTool('probe', {}).catch(({ code }: { code: string }) => code));
        codes.push(await ctx.fire.fireVoid('acmeTold', { n: 1 }).then(() => 'fired'));
        return 'ok';
      },
      { answerer: { answer: ({ id }) => ({ id, ok: true }) } },
    );
    expect((await agent.run('go')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
    expect(codes).toEqual([['TH_DISPOSED'], 'TH_DISPOSED', 'fired']);
  });

  it('has the signal of the run: behind its abort nothing that is asked for an answer is fired', async () => {
    const over = new AbortController();
    let code: unknown;
    const { agent, heard } = fires(async ({ fire }) => {
      over.abort();
      code = await fire.fireModifying('acmeShaped', { n: 1 }).catch((error: { code: string }) => error.code);
      await fire.fireVoid('acmeTold', { n: 1 });
      return 'ok';
    });
    expect((await agent.run('go', { signal: over.signal })).status).toBe('aborted');
    await settle();
    expect(code).toBe('TH_ABORTED');
    expect(heard).toEqual([]);
  });

  it('is made when it is read, once, and stands on a frozen ctx that inherits nothing', async () => {
    let made = 0;
    const seen: unknown[] = [];
    const { agent, scoped } = fires((ctx) => {
      seen.push(made, Object.isFrozen(ctx), Object.getPrototypeOf(ctx), Object.keys(ctx).toSorted());
      seen.push(ctx.fire === ctx.fire, Object.isFrozen(ctx.fire), made);
      return 'ok';
    });
    scoped.mockImplementation((scope, own) => {
      if (scope.owner !== undefined) made++;
      return own(scope);
    });
    expect((await agent.run('go')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
    expect(seen).toEqual([0, true, null, ['callId', 'callTool', 'fire', 'origin', 'signal'], true, true, 1]);
  });
});

it.each(['host', 'mcp:files'] as const)('ctx.fire of a tool of %s fires nothing', async (source) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const seen: unknown[] = [];
  const { agent, heard } = fires(
    async ({ fire }) => {
      for (const hook of ['acmeTold', 'toolEnd', 'nowhere']) seen.push(await refusals(fire, hook));
      return 'ok';
    },
    { source },
  );
  expect((await agent.run('go')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
  expect(seen).toEqual([['TH_NOT_YOURS'], ['TH_NOT_YOURS'], ['TH_NOT_YOURS']]);
  expect(heard).toEqual([]);
  warn.mockRestore();
});
