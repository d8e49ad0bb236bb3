// Model calls that a handler makes: its own request pipeline, the run's limits, no place in the history.
import { agentHooks, type CallModel, type LLMOutcome, type LLMRequest, type SideCallAnswer } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import type { Metric } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { call, collect, echo, kit, registryWithGuard, textOf } from './kit.js';

const ask = (text: string) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });

describe('a model call of a handler', () => {
  it('is answered, stands in no history and no stream, and is told as a model call with its purpose', async () => {
    const registry = registryWithGuard();
    const metrics: Metric[] = [];
    let answer: SideCallAnswer | undefined;
    registry.registerModifying(
      'beforeLLM',
      async (_, { callModel }) => {
        answer = (await callModel!(ask('in short?'), 'summary')) as SideCallAnswer;
      },
      { id: 'summariser' },
    );
    const { agent, model } = kit(['short', 'the answer'], {
      registry,
      onMetric: (metric) => void metrics.push(metric),
    });
    const { events, result } = await collect(agent.stream('go'));
    expect(answer).toMatchObject({ text: 'short', model: 'scripted', finishReason: { unified: 'stop' } });
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 1]);
    expect(result.messages.map(textOf)).toEqual(['go', 'the answer']);
    expect(JSON.stringify(events)).not.toContain('short');
    expect(result.turns).toBe(1);
    expect(result.usage.inputTokens.total).toBe(20);
    expect(metrics.flatMap((one) => (one.type === 'llm' ? [one.purpose] : []))).toEqual(['summary', undefined]);
  });

  it('is asked about by every tenant but those whose calls are in hand; what they replace does not stay', async () => {
    const registry = registryWithGuard();
    const seen: string[] = [];
    registry.registerModifying(
      'beforeLLM',
      ({ messages }) => {
        seen.push(`first ${messages.length}`);
        return { messages: [...messages, ...(ask('added').messages as LLMRequest['messages'])] };
      },
      { id: 'first' },
    );
    registry.registerModifying(
      'beforeLLM',
      async (_, { callModel }) => {
        seen.push('asking');
        await callModel!(ask('q'), 'side');
      },
      { id: 'asking' },
    );
    registry.registerModifying('beforeLLM', ({ model }) => void seen.push(`gate ${model}`), { id: 'route-gate' });
    const { agent, model } = kit(['side', 'main'], { registry });
    const { messages } = await agent.run('go');
    expect(seen).toEqual(['first 1', 'asking', 'first 1', 'gate scripted', 'gate scripted']);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([2, 2]);
    expect(messages.map(textOf)).toEqual(['go', 'added', 'main']);
  });

  it('says what for in front of whoever is asked, plain hooks too; the call of a turn says nothing', async () => {
    const registry = registryWithGuard();
    const told: unknown[] = [];
    registry.registerModifying('beforeLLM', ({ purpose }) => void told.push(['stage', purpose]), { id: 'first' });
    registry.registerVoid('llmRequest', ({ purpose }) => void told.push(['sent', purpose]));
    registry.registerVoid('afterLLM', ({ purpose }) => void told.push(['answered', purpose]));
    registry.registerVoid('messageReceived', async (_, { callModel }) => void (await callModel!(ask('q'), 'title')));
    const hooks = { beforeLLM: ({ purpose }: { purpose?: string | undefined }) => void told.push(['plain', purpose]) };
    await kit(['a title', 'done'], { registry, hooks }).agent.run('go');
    const of = (purpose: string | undefined) => ['plain', 'stage', 'sent', 'answered'].map((who) => [who, purpose]);
    expect(told).toEqual([...of('title'), ...of(undefined)]);
  });

  it('is attempted anew as a call of the run is, and no reader of the run is told', async () => {
    const registry = registryWithGuard();
    const attempts: number[] = [];
    registry.registerVoid('llmRequest', ({ purpose, attempt }) => {
      if (purpose !== undefined) attempts.push(attempt);
    });
    registry.registerVoid('messageReceived', async (_, { callModel }) => void (await callModel!(ask('q'), 'title')));
    const busy = Object.assign(new Error('busy'), { statusCode: 503 });
    const { agent } = kit([busy, 'a title', 'done'], { registry, retry: { baseMs: 0 } });
    const { events, result } = await collect(agent.stream('go'));
    expect([result.text, attempts]).toEqual(['done', [1, 2]]);
    expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
  });

  it.each(['messageReceived', 'beforeLLM', 'llmRequest', 'afterLLM', 'toolEnd'])(
    'that a tenant makes at %s is told to none of its handlers, at whatever point',
    async (at) => {
      const registry = registryWithGuard();
      const inside: string[] = [];
      let made = 0;
      let isInside = false;
      for (const [name, { model: kind }] of Object.entries(agentHooks)) {
        const handler = async (_: unknown, { callModel }: { readonly callModel?: CallModel }): Promise<void> => {
          if (isInside) inside.push(name);
          if (name !== at || isInside) return;
          isInside = true;
          await callModel!(ask('q'), 'side').finally(() => (isInside = false));
          made++;
        };
        const how = { void: 'registerVoid', modifying: 'registerModifying', claiming: 'registerClaiming' }[kind];
        const { [how]: register } = registry as unknown as Record<string, (...given: unknown[]) => void>;
        register!(name, handler, { id: 'tenant' });
      }
      const script: ScriptedStep[] = at === 'toolEnd' ? [call('echo'), 'side', 'done'] : ['side', 'done', 'more'];
      await kit(script, { registry, tools: [echo().tool] }).agent.run('go');
      expect(inside).toEqual([]);
      expect(made).toBeGreaterThan(0);
    },
  );

  it.each([
    ['a budget', 1000],
    ['none', 'caller'],
  ] as const)(
    'that is aborted is told too, to none of the handlers of who made it: with %s of their own',
    async (_, timeoutMs) => {
      const registry = registryWithGuard();
      const told: string[] = [];
      const abort = new AbortController();
      registry.registerModifying('beforeLLM', async (_, { callModel }) => void (await callModel!(ask('q'), 'side')), {
        id: 'tenant',
      });
      for (const id of ['tenant', 'observer']) {
        registry.registerVoid('afterLLM', ({ purpose }) => void told.push(`${id} ${purpose}`), { id, timeoutMs });
      }
      const never: ScriptedStep = () => {
        abort.abort();
        return new Promise(() => {});
      };
      const { agent } = kit([never], { registry });
      expect(await agent.run('go', { signal: abort.signal })).toMatchObject({ status: 'aborted' });
      expect(told).toEqual(['observer side']);
    },
  );

  it('from inside itself is refused', async () => {
    const registry = registryWithGuard();
    const faults: unknown[] = [];
    registry.registerModifying(
      'beforeLLM',
      async (_, { callModel }) => {
        await callModel!(ask('one'), 'outer').catch((error: unknown) => faults.push(error));
      },
      { id: 'a' },
    );
    registry.registerModifying(
      'beforeLLM',
      async (_, { callModel }) => {
        await callModel!(ask('two'), 'inner').catch((error: unknown) => faults.push(error));
      },
      { id: 'b' },
    );
    await kit(['1', '2', '3'], { registry }).agent.run('go');
    // each of the two is asked inside the call of the other
    expect(faults).toMatchObject([{ code: 'TH_REENTRANT' }, { code: 'TH_REENTRANT' }]);
  });

  it('that a stage vetoes, or a limit forbids, is refused with the reason; the run goes on', async () => {
    for (const limits of [{}, { tokens: 1 }]) {
      const registry = registryWithGuard();
      let fault: unknown;
      registry.registerModifying(
        'beforeLLM',
        ({ messages }) => (textOf(messages[0]!) === 'q' ? { veto: 'too dear' } : undefined),
        {
          id: 'gate',
        },
      );
      registry.registerVoid('afterLLM', async (_, { callModel }) => {
        await callModel!(ask('q'), 'side').catch((error: unknown) => (fault = error));
      });
      expect(await kit(['done'], { registry, limits }).agent.run('go')).toMatchObject({ status: 'done' });
      expect(fault).toMatchObject({
        code: 'TH_CALL_VETOED',
        message: expect.stringContaining('tokens' in limits ? "limit 'tokens'" : "'gate' says: too dear"),
      });
    }
  });

  it('that a stage fails which must not rejects with its fault; the run goes on', async () => {
    const registry = registryWithGuard();
    let fault: unknown;
    registry.registerModifying(
      'beforeLLM',
      ({ purpose }) => {
        if (purpose !== undefined) throw new Error('cannot redact');
      },
      { id: 'redact', onError: 'abort' },
    );
    registry.registerVoid('messageReceived', async (_, { callModel }) => {
      await callModel!(ask('q'), 'side').catch((error: unknown) => (fault = error));
    });
    const { agent, model } = kit(['done'], { registry });
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
    expect([fault, model.calls.length]).toMatchObject([{ code: 'TH_HANDLER_FAILED', handlerId: 'redact' }, 1]);
  });

  it('that fails rejects with the fault of the model, and is told', async () => {
    const registry = registryWithGuard();
    const outcomes: LLMOutcome[] = [];
    const fault = new Error('model is down');
    let caught: unknown;
    registry.registerVoid('afterLLM', (outcome) => void outcomes.push(outcome));
    registry.registerModifying('beforeLLM', async (_, { callModel }) => {
      await callModel!(ask('q'), 'side').catch((error: unknown) => (caught = error));
    });
    await kit([fault, 'done'], { registry }).agent.run('go');
    expect(caught).toBe(fault);
    expect(outcomes.map(({ error }) => error !== undefined)).toEqual([true, false]);
  });

  it.each([
    [undefined, 'no object'],
    [{ messages: [] }, 'a list that is not empty'],
    [{ messages: [{ role: 'robot', content: [] }] }, 'message 0'],
    [{ ...ask('q'), modle: 'm' }, "'modle' is no key of a request of ctx.callModel: did you mean 'model'?"],
  ])('like %j is refused', async (request, what) => {
    const registry = registryWithGuard();
    let fault: unknown;
    registry.registerModifying('beforeLLM', async (_, { callModel }) => {
      await callModel!(request, 'side').catch((error: unknown) => (fault = error));
    });
    await kit(['done'], { registry }).agent.run('go');
    expect(fault).toMatchObject({ code: 'TH_OPTION_INVALID', message: expect.stringContaining(what) });
  });

  it('ends with the run, and cannot be made behind the handler', async () => {
    const registry = registryWithGuard();
    const abort = new AbortController();
    let kept: CallModel | undefined;
    registry.registerModifying('beforeLLM', async (_, ctx) => {
      kept = (request, purpose) => ctx.callModel!(request, purpose);
      await ctx.callModel!(ask('q'), 'side');
    });
    const { agent } = kit(
      [
        () => {
          abort.abort();
          return new Promise(() => {});
        },
      ],
      { registry },
    );
    expect(await agent.run('go', { signal: abort.signal })).toMatchObject({ status: 'aborted' });
    expect(() => kept!(ask('q'), 'late')).toThrow(/disposed/);
  });

  it('of a tool call point works as well', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('afterTool', async ({ result }, { callModel }) => {
      const { text } = (await callModel!(ask(result.output), 'shorten')) as SideCallAnswer;
      return { result: { ...result, output: text } };
    });
    const script = [call('echo', { text: 'long' }), 'short', 'done'];
    const { toolCalls } = await kit(script, { registry, tools: [echo().tool] }).agent.run('go');
    expect(toolCalls).toMatchObject([{ output: 'short' }]);
  });
});
