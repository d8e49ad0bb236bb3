// Calls that a tool's body makes: the same steps as the model's, and no place in the history.
import {
  defineTool,
  type Request,
  type Tool,
  type ToolContext,
  type ToolEnd,
  type ToolResult,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../src/index.js';
import { call, calls, echo, kit, registryWithGuard } from './kit.js';

/** A tool that hands its context out. */
function outer(body: (ctx: ToolContext) => Promise<string>, name = 'outer'): Tool {
  return defineTool({ name, description: 'calls others', input: z.object({}), execute: (_, ctx) => body(ctx) });
}

describe('a call that a body makes', () => {
  it('is rewritten, sealed, guarded, run and told like any other; its result is for the body alone', async () => {
    const { tool, ran } = echo();
    let given: ToolResult | undefined;
    const registry = registryWithGuard();
    const ends: ToolEnd[] = [];
    const guarded: string[] = [];
    registry.registerModifying('beforeTool', ({ name }) =>
      name === 'echo' ? { args: { text: 'rewritten' } } : undefined,
    );
    registry.registerModifying('afterTool', ({ name, result }) =>
      name === 'echo' ? { result: { ...result, output: `${result.output}!` } } : undefined,
    );
    registry.registerClaiming(
      'toolPolicy',
      ({ tool: { name }, digest }) => void guarded.push(`${name} ${digest.length}`),
    );
    registry.registerVoid('toolEnd', (end) => void ends.push(end));
    const made = kit([call('outer', {}), 'done'], {
      registry,
      tools: [
        tool,
        outer(async (ctx) => {
          given = await ctx.callTool('echo', { text: 'x' });
          return `inner said: ${given.output}`;
        }),
      ],
    });
    const { status, toolCalls, messages } = await made.agent.run('go');
    expect(status).toBe('done');
    expect(ran).toEqual([{ text: 'rewritten' }]);
    expect(given).toEqual({ output: 'said rewritten!', isError: false });
    expect(guarded).toEqual(['outer 64', 'echo 64']);
    expect(ends.map(({ name, outcome, batch }) => [name, outcome, batch.size])).toEqual([
      ['echo', 'ok', 1],
      ['outer', 'ok', 1],
    ]);
    expect(toolCalls.map(({ name }) => name)).toEqual(['echo', 'outer']);
    expect(messages[2]!.content).toMatchObject([{ name: 'outer', output: 'inner said: said rewritten!' }]);
    expect(messages[2]!.content).toHaveLength(1);
  });

  it('that is denied is an error result: the body of that tool does not run', async () => {
    const { tool, ran } = echo();
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
      name === 'echo' ? { deny: 'not from within' } : undefined,
    );
    let given: ToolResult | undefined;
    await kit([call('outer', {}), 'done'], {
      registry,
      tools: [
        tool,
        outer(async (ctx) => {
          given = await ctx.callTool('echo', { text: 'x' });
          return 'went on';
        }),
      ],
    }).agent.run('go');
    expect(ran).toEqual([]);
    expect(given).toMatchObject({ isError: true, output: expect.stringContaining('not from within') });
  });

  it('of an unknown tool, of one that the personality lacks, or with arguments that do not fit is an error result', async () => {
    const results: ToolResult[] = [];
    const { tool, ran } = echo();
    const { tool: hidden, ran: hiddenRan } = echo('hidden');
    await kit([call('outer', {}), 'done'], {
      tools: [
        tool,
        hidden,
        outer(async (ctx) => {
          results.push(
            await ctx.callTool('nobody', {}),
            await ctx.callTool('hidden', { text: 'x' }),
            await ctx.callTool('echo', { text: 7 }),
          );
          return 'ok';
        }),
      ],
      personality: { id: 'p', tools: ['outer', 'echo'] },
    }).agent.run('go');
    expect(results.map(({ isError, output }) => [isError, output.slice(0, 12)])).toEqual([
      [true, 'unknown-tool'],
      [true, 'unknown-tool'],
      [true, 'the argument'],
    ]);
    expect([ran, hiddenRan]).toEqual([[], []]);
  });

  it('that is asked about goes to the answerer; without one it is a denial, since a body cannot wait for days', async () => {
    for (const isThere of [true, false]) {
      const { tool, ran } = echo();
      const registry = registryWithGuard();
      registry.registerClaiming('toolPolicy', ({ tool: { name } }) => (name === 'echo' ? { ask: 'sure?' } : undefined));
      const made = kit([call('outer', {}), 'done'], {
        registry,
        tools: [tool, outer(async (ctx) => (await ctx.callTool('echo', { text: 'x' })).output)],
        ...(isThere ? { answerer: { answer: ({ id }) => ({ id, ok: true }) } } : {}),
      });
      const { status, toolCalls } = await made.agent.run('go');
      expect([status, ran.length]).toEqual(['done', isThere ? 1 : 0]);
      expect(toolCalls[0]!.outcome).toBe(isThere ? 'ok' : 'denied');
    }
  });

  it('leaves no request open when its answerer fails', async () => {
    const { tool, ran } = echo();
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) => (name === 'echo' ? { ask: 'sure?' } : undefined));
    const store = memoryStore();
    const asked: Request[] = [];
    const session = kit([call('outer', {}), 'done'], {
      registry,
      store,
      tools: [tool, outer(async (ctx) => (await ctx.callTool('echo', { text: 'x' })).output)],
      answerer: {
        answer(request) {
          asked.push(request);
          throw new Error('the terminal is gone');
        },
      },
    }).agent.session('s');
    const { status, toolCalls } = await session.run('go');
    expect([status, toolCalls[0]!.outcome]).toEqual(['done', 'denied']);
    await expect(session.resume({ id: asked[0]!.id, ok: true })).rejects.toThrow(
      'it is settled with a no: it cannot wait',
    );
    expect(ran).toEqual([]);
  });

  it('counts in the budget of tool calls', async () => {
    const { tool, ran } = echo();
    const { status, limit } = await kit([call('outer', {}), 'never'], {
      tools: [
        tool,
        outer(async (ctx) => {
          for (let at = 0; at < 5; at++) await ctx.callTool('echo', { text: String(at) });
          return 'ok';
        }),
      ],
      limits: { toolCalls: 3 },
    })
      .agent.run('go')
      .then(({ status: how, limit: what }) => ({ status: how, limit: what }));
    expect([status, limit, ran.length]).toEqual(['incomplete', 'toolCalls', 2]);
  });

  it('ends the run when its guard says halt', async () => {
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
      name === 'echo' ? { deny: 'stop', halt: true } : undefined,
    );
    const result = await kit([call('outer', {}), 'never'], {
      registry,
      tools: [echo().tool, outer(async (ctx) => (await ctx.callTool('echo', { text: 'x' })).output)],
    }).agent.run('go');
    expect(result).toMatchObject({ status: 'vetoed', turns: 1 });
  });

  it('that ends the run lets no body start that waits for its place beside the one that made it', async () => {
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
      name === 'echo' ? { deny: 'stop', halt: true } : undefined,
    );
    const first = { ...outer(async (ctx) => (await ctx.callTool('echo', { text: 'x' })).output), concurrency: 'safe' };
    let ran = 0;
    const second = { ...outer(async () => `ran ${++ran}`, 'beside'), concurrency: 'safe' };
    const { status, toolCalls } = await kit([calls({ name: 'outer', args: {} }, { name: 'beside', args: {} })], {
      registry,
      tools: [echo().tool, first as Tool, second as Tool],
      maxConcurrentTools: 1,
    }).agent.run('go');
    expect([status, ran]).toEqual(['vetoed', 0]);
    expect(toolCalls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'echo denied',
      'outer ok',
      'beside not-started',
    ]);
  });

  it('of itself, without end, is stopped', async () => {
    let depth = 0;
    const self: Tool = outer(async (ctx) => {
      depth++;
      return (await ctx.callTool('outer', {})).output;
    });
    const result = await kit([call('outer', {}), 'done'], { tools: [self] }).agent.run('go');
    expect(depth).toBe(17);
    expect(result.toolCalls[0]).toMatchObject({ outcome: 'not-started', output: expect.stringContaining('too deep') });
    expect(result.status).toBe('done');
  });

  it('cannot be made behind the end of the body', async () => {
    let kept: ToolContext | undefined;
    const { tool, ran } = echo();
    const { agent } = kit([call('outer', {}), 'done'], {
      tools: [
        tool,
        outer((ctx) => {
          kept = ctx;
          return Promise.resolve('ok');
        }),
      ],
    });
    await agent.run('go');
    await expect(kept!.callTool('echo', { text: 'x' })).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    expect(ran).toEqual([]);
  });

  it('refuses arguments that are not plain JSON', async () => {
    let fault: unknown;
    await kit([call('outer', {}), 'done'], {
      tools: [
        echo().tool,
        outer(async (ctx) => {
          await ctx.callTool('echo', { text: new Date() } as never).catch((error: unknown) => (fault = error));
          return 'ok';
        }),
      ],
    }).agent.run('go');
    expect(fault).toMatchObject({ code: 'TH_ARGS_INVALID' });
  });

  it('stands in the log below the call that made it, and a run is resumed over it', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) => (name === 'last' ? { ask: 'sure?' } : undefined));
    const tools = [
      echo().tool,
      echo('last').tool,
      outer(async (ctx) => (await ctx.callTool('echo', { text: 'x' })).output),
    ];
    const script = [call('outer', {}), call('last'), 'done'];
    const { agent } = kit(script, { registry, tools, store });
    const session = agent.session('s');
    const { pending: requests } = await session.run('go');
    const outcomes = (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record] : []));
    expect(outcomes.map(({ name, parent }) => [name, parent === outcomes[1]!.callId])).toEqual([
      ['echo', true],
      ['outer', false],
    ]);
    const result = await session.resume({ id: requests![0]!.id, ok: true });
    expect(result).toMatchObject({ status: 'done' });
    expect(result.toolCalls.map(({ name }) => name)).toEqual(['echo', 'outer', 'last']);
  });

  it('is refused before anything is logged when its name is no text, or its arguments are no JSON', async () => {
    const store = memoryStore();
    const faults: unknown[] = [];
    const calling = outer(async (ctx) => {
      for (const [name, args] of [
        [undefined, {}],
        [42, {}],
        [null, {}],
        [Symbol('s'), {}],
        ['echo', undefined],
        ['echo', 1n],
      ])
        await ctx.callTool(name as never, args as never).catch((error: unknown) => void faults.push(error));
      return 'over';
    });
    const { agent } = kit([call('outer', {}), 'done', 'again'], { tools: [calling, echo().tool], store });
    const first = await agent.session('s').run('go');
    expect(faults).toHaveLength(6);
    for (const fault of faults) expect(fault).toMatchObject({ code: 'TH_ARGS_INVALID' });
    expect(faults[1]).toHaveProperty(
      'message',
      expect.stringContaining("the body of 'outer' gave a name that is the number 42"),
    );
    expect(first.toolCalls.map(({ name }) => name)).toEqual(['outer']);
    const next = kit(['again'], { tools: [calling], store }).agent;
    expect(await next.session('s').run('go on')).toMatchObject({ status: 'done' });
  });

  it('of a body that a resume starts is of what its request offered, and of nothing else', async () => {
    const { tool, ran } = echo();
    const outputs: string[] = [];
    const calling = outer(async (ctx) => {
      const { output } = await ctx.callTool('echo', { text: 'hi' });
      outputs.push(output);
      return output;
    });
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
      name === 'outer' ? { ask: 'may it?' } : undefined,
    );
    registry.registerModifying('beforeLLM', ({ tools }) => ({ tools: tools.filter(({ name }) => name !== 'echo') }));
    const store = memoryStore();
    const { pending: requests } = await kit([call('outer', {})], { registry, tools: [calling, tool], store })
      .agent.session('s')
      .run('go');
    const next = kit(['done'], { registry, tools: [calling, tool], store }).agent;
    await next.resume('s', { id: requests![0]!.id, ok: true });
    expect([outputs, ran]).toEqual([[expect.stringContaining('unknown-tool')], []]);
  });
});
