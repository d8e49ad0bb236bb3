// Plain hooks in a run: one object, asked at four places, its errors unwrapped.
import { describe, expect, it } from 'vitest';
import { chainHooks, type Hooks } from '../src/index.js';
import { call, echo, kit, registryWithGuard, settle, textOf } from './kit.js';

const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] }) as const;

describe('plain hooks', () => {
  it('observe what happened: turns and tools, with the run and its signal', async () => {
    const turns: number[] = [];
    const tools: string[] = [];
    const runs = new Set<string>();
    const { tool } = echo('ping');
    const { agent } = kit([call('ping'), 'done'], {
      tools: [tool],
      hooks: {
        afterLLM: ({ turn, runId, signal, response, model, usage }) => {
          turns.push(turn);
          runs.add(runId);
          expect([signal.aborted, model, response.message.role, usage?.inputTokens.total]).toEqual([
            false,
            'scripted',
            'assistant',
            10,
          ]);
        },
        afterTool: ({ name, id, runId }) => {
          tools.push(name);
          runs.add(runId);
          expect(id).toBeTypeOf('string');
          return undefined;
        },
      },
    });
    const { runId } = await agent.run('go');
    expect([turns, tools, [...runs]]).toEqual([[0, 1], ['ping'], [runId]]);
  });

  it('veto a call with a result, rewrite its arguments, and redact its result everywhere', async () => {
    const { tool, ran } = echo();
    const hooks: Hooks = {
      beforeTool: ({ args }) =>
        (args as { text: string }).text === 'stop'
          ? { result: { output: 'vetoed: not that', isError: true } }
          : { args: { text: 'Chennai' } },
      afterTool: ({ result }) => ({ result: { ...result, output: result.output.replace('Chennai', '[redacted]') } }),
    };
    const made = kit([call('echo', { text: 'chennai' }), call('echo', { text: 'stop' }), 'done'], {
      tools: [tool],
      hooks,
      limits: { steps: 3 },
    });
    const result = await made.agent.run('go');
    expect(ran).toEqual([{ text: 'Chennai' }]);
    expect(result.toolCalls).toMatchObject([
      { output: 'said [redacted]', isError: false },
      { output: 'vetoed: not that', isError: true },
    ]);
    expect(JSON.stringify(result.messages)).not.toContain('said Chennai');
  });

  it('rewrite the transcript: what they replace stays replaced; a veto sends nothing', async () => {
    const { agent, model } = kit(['one'], {
      hooks: {
        beforeLLM: ({ messages, turn }) =>
          turn === 0 && messages.length === 1 ? { messages: [said('short')] } : { veto: 'enough' },
      },
    });
    const first = await agent.run('a long story');
    expect(first.messages.map(textOf)).toEqual(['short', 'one']);
    expect(await agent.run('more')).toMatchObject({ status: 'vetoed', reason: { text: 'enough', by: 'hooks' } });
    expect(model.calls).toHaveLength(1);
  });

  it.each(['beforeLLM', 'afterLLM', 'beforeTool', 'afterTool'] as const)(
    'end the run with the very error that %s throws, or rejects with',
    async (kind) => {
      for (const isAsync of [false, true]) {
        const error = Object.assign(new Error('mine'), { own: true });
        const registry = registryWithGuard();
        registry.events.on('handlerFailed', () => {});
        const { agent } = kit([call('echo'), 'never'], {
          registry,
          tools: [echo().tool],
          hooks: {
            [kind]: () => {
              if (isAsync) return Promise.reject(error);
              throw error;
            },
          },
        });
        const result = await agent.run('go');
        expect(result.status).toBe('failed');
        expect(result.error).toBe(error);
      }
    },
  );

  it('end the run when what they return is refused, and say why', async () => {
    const registry = registryWithGuard();
    registry.events.on('amendmentRefused', () => {});
    const { agent } = kit(['never'], { registry, hooks: { beforeLLM: () => ({ model: 'nobody' }) } });
    const { status, error } = await agent.run('go');
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'TH_RESULT_INVALID', handlerId: 'hooks' });
  });

  it('have no budget of their own, and end with the run', async () => {
    const abort = new AbortController();
    const { agent } = kit(['never'], { hooks: { beforeLLM: () => new Promise(() => {}) } });
    const run = agent.run('go', { signal: abort.signal });
    await settle();
    abort.abort();
    expect(await run).toMatchObject({ status: 'aborted' });
  });

  it('of one agent are not asked for another on the same registry', async () => {
    const registry = registryWithGuard();
    const seen: string[] = [];
    const one = kit(['1'], {
      registry,
      hooks: { afterLLM: () => void seen.push('one'), beforeLLM: () => void seen.push('one') },
    });
    const two = kit(['2'], { registry, hooks: { afterLLM: () => void seen.push('two') } });
    const none = kit(['3'], { registry });
    await Promise.all([one.agent.run('go'), two.agent.run('go'), none.agent.run('go')]);
    expect(seen.toSorted()).toEqual(['one', 'one', 'two']);
  });

  it('leave the tenants of the registry alone: a tracer keeps firing', async () => {
    const registry = registryWithGuard();
    let traced = 0;
    registry.registerVoid('llmRequest', () => void traced++);
    await kit(['1'], { registry, hooks: chainHooks({ beforeLLM: ({ messages }) => ({ messages }) })! }).agent.run('go');
    expect(traced).toBe(1);
  });

  it('stand in the first seat of beforeLLM', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeLLM', () => undefined, { id: 'compaction' });
    kit([], { registry, hooks: {} });
    expect(registry.plan('beforeLLM').map(({ id }) => id)).toEqual(['hooks', 'compaction']);
  });

  it.each([
    [{ beforeLlm: () => undefined }, /hooks has the key 'beforeLlm'/],
    [{ beforeLLM: 7 }, /hooks has a 'beforeLLM' that is no function/],
    [7, /hooks is no object/],
    [[{ beforeTool: () => ({ error: 'never' }) }], /hooks is a list: compose several by chainHooks/],
  ])('like %j are refused when the agent is made', (hooks, why) => {
    expect(() => kit([], { hooks: hooks as never })).toThrow(why);
  });

  it('may be an instance with state, and are read once', async () => {
    class Counting {
      count = 0;
      afterLLM(): void {
        this.count++;
      }
    }
    const hooks = new Counting();
    const { agent } = kit(['a', 'b'], { hooks });
    await agent.run('go');
    hooks.afterLLM = () => {
      throw new Error('put there later');
    };
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
    expect(hooks.count).toBe(2);
  });
});
