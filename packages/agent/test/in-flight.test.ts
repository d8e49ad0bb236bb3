// What ends a run while bodies are in flight: nothing more starts, and the run is over when they are.
import { getEventListeners } from 'node:events';
import { defineTool, type Request, type Tool, type ToolContext } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../src/index.js';
import { deferred } from '../src/testing/index.js';
import { calls, echo, kit, registryWithGuard, settle } from './kit.js';

const safe = (name: string, execute: (args: unknown, ctx: ToolContext) => unknown): Tool =>
  defineTool({
    name,
    description: name,
    input: z.object({}).loose(),
    concurrency: 'safe',
    execute: execute as Tool['execute'],
  });

describe('a guard that trips while a body is in flight', () => {
  // https://github.com/openai/openai-agents-python/issues/991
  it.each([
    ['says halt', { deny: 'stop', halt: true }, 'vetoed'],
    ['is a plain hook that throws', undefined, 'failed'],
  ] as const)(
    'because it %s: no further body starts, and the run ends behind the one in flight',
    async (_, verdict, status) => {
      const { tool, ran } = echo();
      const gate = deferred<string>();
      const tripped = deferred();
      const registry = registryWithGuard();
      if (verdict !== undefined) {
        registry.registerClaiming('toolPolicy', ({ tool: { name } }) => (name === 'echo' ? verdict : undefined), {
          id: 'brake',
        });
      }
      const fault = new Error('no');
      const hooks = {
        beforeTool: ({ name }: { name: string }) => {
          if (name === 'echo' && verdict === undefined) throw fault;
        },
      };
      const slow = safe('slow', () => gate.promise);
      const outer = safe('outer', async (_args, ctx) => {
        const { output } = await ctx.callTool('echo', { text: 'x' }).finally(() => tripped.resolve());
        await ctx.callTool('late', {});
        return output;
      });
      const late: string[] = [];
      const made = kit([calls({ name: 'slow', args: {} }, { name: 'outer', args: {} }, 'echo', 'echo'), 'never'], {
        registry,
        hooks,
        tools: [tool, slow, outer, safe('late', () => (late.push('ran'), 'x'))],
      });
      let isOver = false;
      const run = made.agent.run('go').finally(() => (isOver = true));
      await tripped.promise;
      await settle();
      expect(isOver).toBe(false);
      gate.resolve('in the end');
      const result = await run;
      expect(result.status).toBe(status);
      if (verdict === undefined) expect(result.error).toBe(fault);
      expect([ran, late, made.model.calls.length]).toEqual([[], [], 1]);
      expect(result.toolCalls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
        verdict === undefined ? 'echo error' : 'echo denied',
        'late not-started',
        'slow ok',
        'outer ok',
        'echo not-started',
        'echo not-started',
      ]);
    },
  );
});

describe('the signal of a run', () => {
  // https://github.com/vercel/ai/issues/19966
  it('is given to a body wherever it runs: at once, in a body, behind an approval, in another process', async () => {
    const store = memoryStore();
    const seen: [string, AbortSignal][] = [];
    const look = (name: string): Tool => safe(name, (_args, { signal }) => (seen.push([name, signal]), 'x'));
    const outer = safe('outer', async (_args, ctx) => {
      seen.push(['outer', ctx.signal]);
      return (await ctx.callTool('inner', {})).output;
    });
    const tools = [look('plain'), look('inner'), look('asked'), outer];
    const guarded = () => {
      const registry = registryWithGuard();
      registry.registerClaiming(
        'toolPolicy',
        ({ tool: { name } }) => (name === 'asked' ? { ask: 'may it?' } : undefined),
        {
          id: 'asker',
        },
      );
      return registry;
    };
    const step = calls(...['plain', 'outer', 'asked'].map((name) => ({ name, args: {} })));
    const answerer = { answer: ({ id }: Request) => ({ id, ok: true }) };
    await kit([step, 'done'], { registry: guarded(), tools, answerer }).agent.run('go');
    const first = seen.splice(0);
    expect(first.map(([name]) => name).toSorted()).toEqual(['asked', 'inner', 'outer', 'plain']);
    const waits = await kit([step], { registry: guarded(), tools, store }).agent.session('s').run('go');
    seen.length = 0;
    const abort = new AbortController();
    const held: AbortSignal[] = [];
    const hold = safe('asked', (_args, { signal }) => {
      held.push(signal);
      abort.abort();
      return 'x';
    });
    const later = kit(['never'], { registry: guarded(), tools: [...tools.slice(0, 2), hold, outer], store });
    const answer = { id: waits.pending![0]!.id, ok: true };
    expect(await later.agent.resume('s', answer, { signal: abort.signal })).toMatchObject({ status: 'aborted' });
    for (const [name, signal] of first) expect(signal, name).toBeInstanceOf(AbortSignal);
    expect(held.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('a body that waits for its place among others', () => {
  it('does not start once one in front of it has ended the run', async () => {
    const ran: string[] = [];
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
      name === 'echo' ? { deny: 'stop', halt: true } : undefined,
    );
    const outer = safe('outer', async (_args, ctx) => (await ctx.callTool('echo', { text: 'x' })).output);
    const made = kit([calls({ name: 'outer', args: {} }, { name: 'other', args: {} }), 'never'], {
      registry,
      maxConcurrentTools: 1,
      tools: [echo().tool, outer, safe('other', () => (ran.push('other'), 'x'))],
    });
    const result = await made.agent.run('go');
    expect(result).toMatchObject({ status: 'vetoed', reason: { text: 'stop' } });
    expect(ran).toEqual([]);
    expect(result.toolCalls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'echo denied',
      'outer ok',
      'other not-started',
    ]);
  });
});

describe('a hundred bodies at the same time', () => {
  // https://github.com/MoonshotAI/kimi-code/pull/3241
  it('leave no listener on the signal that they were all given', async () => {
    const signals = new Set<AbortSignal>();
    const counts: number[] = [];
    const many = safe('many', async (_, { signal }) => {
      signals.add(signal);
      await settle();
      return 'x';
    });
    const registry = registryWithGuard();
    registry.registerModifying('beforeLLM', () => {
      for (const signal of signals) counts.push(getEventListeners(signal, 'abort').length);
    });
    const step = calls(...Array.from({ length: 100 }, () => ({ name: 'many', args: {} })));
    const { agent } = kit([step, step, 'done'], { registry, tools: [many], maxConcurrentTools: 100 });
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
    for (const signal of signals) counts.push(getEventListeners(signal, 'abort').length);
    expect(signals.size).toBeGreaterThan(0);
    expect(counts.length).toBeGreaterThan(2);
    expect(new Set(counts)).toEqual(new Set([0]));
  });
});
