import { describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type Message, type ModelMessage } from '@treblehook/types';
import { call, calls, collect, echo, kit, registryWithGuard } from './kit.js';

const textOf = (message: Message | ModelMessage | undefined): string =>
  typeof message?.content === 'string'
    ? message.content
    : (message?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('');

describe('a turn', () => {
  it('sends nothing but the input when nothing is registered and nothing is said', async () => {
    const { agent, model } = kit(['hello'], { registry: createHookRegistry(agentHooks) });
    const { status, text, messages } = await agent.run('hi');
    expect({ status, text }).toEqual({ status: 'done', text: 'hello' });
    const { abortSignal, ...sent } = model.calls[0]!;
    expect(sent).toEqual({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] });
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(messages.map(({ role, content }) => ({ role, content }))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
    ]);
  });

  it('stores the input before the prompt is built', async () => {
    const { agent, registry, model } = kit(['one', 'two']);
    registry.registerModifying(
      'beforePromptBuild',
      () => {
        throw new Error('no');
      },
      { onError: 'abort', id: 'x' },
    );
    const session = agent.session();
    expect(await session.run('first')).toMatchObject({ status: 'failed', error: { code: 'TH_HANDLER_FAILED' } });
    expect(session.messages().map(textOf)).toEqual(['first']);
    expect(model.calls).toHaveLength(0);
  });

  it('puts the system text together once per run: prepended, the personality or its override, appended', async () => {
    const { agent, registry, model } = kit([call('echo'), 'done', 'again'], {
      tools: [echo().tool],
      personality: { id: 'p', system: 'middle', plugins: ['acme'] },
    });
    let built = 0;
    registry.registerModifying('beforePromptBuild', ({ system, input }) => {
      built++;
      return { prependSystem: `before ${input}`, appendSystem: `after ${system}` };
    });
    await agent.run('go');
    expect(built).toBe(1);
    for (const { prompt } of model.calls) expect(textOf(prompt[0])).toBe('before go\n\nmiddle\n\nafter middle');
    registry.registerModifying('beforePromptBuild', () => ({ overrideSystem: 'other' }));
    registry.forPlugin('acme').registerModifying('beforePromptBuild', () => ({ overrideSystem: 'mine' }));
    registry.events.on('amendmentRefused', () => {});
    await agent.run('more');
    expect(textOf(model.calls[2]!.prompt[0])).toBe('before more\n\nother\n\nafter middle');
    expect(model.calls[2]!.prompt.filter(({ role }) => role === 'system')).toHaveLength(1);
  });

  it('sends no system message for a system text that a host handler has emptied', async () => {
    const { agent, registry, model } = kit(['a'], { personality: { id: 'p', system: 'long' } });
    registry.registerModifying('beforePromptBuild', () => ({ overrideSystem: '' }));
    await agent.run('go');
    expect(model.calls[0]!.prompt.map(({ role }) => role)).toEqual(['user']);
  });

  // https://github.com/NousResearch/hermes-agent/pull/5146, https://github.com/zosmaai/pi-llm-wiki/pull/93
  it('keeps what varies in the tail: system text and tools are the same in every request, context is never stored', async () => {
    const { agent, registry, model } = kit([call('echo'), 'one', call('echo'), 'two'], {
      tools: [echo().tool],
      personality: { id: 'p', system: 'fixed' },
    });
    let run = 0;
    const seen: number[] = [];
    registry.registerModifying('beforePromptBuild', () => ({ context: [`now ${++run}`] }));
    registry.registerModifying('beforePromptBuild', () => ({ context: ['and here'] }));
    registry.registerModifying('beforeLLM', ({ inject }) => {
      seen.push(inject.length);
      return { inject: [{ role: 'system', content: [{ type: 'text', text: 'hurry' }] }] };
    });
    await agent.run('first');
    const { messages } = await agent.run('second');
    expect(seen).toEqual([1, 1, 1, 1]);
    const [first] = model.calls;
    for (const [at, { prompt, tools }] of model.calls.entries()) {
      expect(prompt[0]).toEqual(first!.prompt[0]);
      expect(tools).toEqual(first!.tools);
      expect(prompt.slice(-2).map(textOf)).toEqual([`now ${at < 2 ? 1 : 2}\n\nand here`, 'hurry']);
      expect(prompt.filter((message) => textOf(message).includes('now'))).toHaveLength(1);
    }
    expect(messages.map(textOf).join()).not.toMatch(/now|hurry|fixed/);
  });

  it('counts turns from 0, on every payload of the turn', async () => {
    const { agent, registry } = kit([call('echo'), call('echo'), 'done'], { tools: [echo().tool] });
    const turns: string[] = [];
    registry.registerVoid('llmRequest', ({ origin, attempt }) => void turns.push(`llm ${origin.turn} ${attempt}`));
    registry.registerVoid('afterLLM', ({ origin }) => void turns.push(`answer ${origin.turn}`));
    registry.registerVoid('toolEnd', ({ origin }) => void turns.push(`tool ${origin.turn}`));
    registry.registerVoid('agentDone', ({ turnCount, toolCalls }) => void turns.push(`done ${turnCount} ${toolCalls}`));
    const { turns: count } = await agent.run('go');
    expect(count).toBe(3);
    expect(turns).toEqual([
      'llm 0 1',
      'answer 0',
      'tool 0',
      'llm 1 1',
      'answer 1',
      'tool 1',
      'llm 2 1',
      'answer 2',
      'done 3 2',
    ]);
  });

  // https://github.com/openai/openai-agents-js/issues/371, https://github.com/anthropics/claude-code/issues/32348
  it('is one and the same through run() and stream(): hooks, executed input, result', async () => {
    const drive = async (streams: boolean): Promise<unknown> => {
      const { tool, ran } = echo();
      let id = 0;
      const { agent, registry, model } = kit([call('echo'), 'done'], {
        tools: [tool],
        ids: (kind) => `${kind}-${id++}`,
      });
      registry.registerModifying('beforeTool', () => ({ args: { text: 'rewritten' } }));
      const hooks: string[] = [];
      registry.events.on('fired', ({ hook }) => hooks.push(hook));
      const result = streams ? (await collect(agent.stream('go'))).result : await agent.run('go');
      return { hooks, ran, result, prompts: model.calls.map(({ prompt }) => prompt) };
    };
    expect(await drive(true)).toEqual(await drive(false));
    expect(await drive(true)).toMatchObject({ ran: [{ text: 'rewritten' }], result: { status: 'done' } });
  });

  it('streams: the start, deltas as they come, the answer, each call with its end, the result last', async () => {
    const { agent } = kit(
      [{ reasoning: 'hm', text: ['let ', 'me'], calls: [{ name: 'echo', args: { text: 'x' } }] }, 'done'],
      {
        tools: [echo().tool],
      },
    );
    const { events, result } = await collect(agent.stream('go'));
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'reasoning-delta',
      'text-delta',
      'text-delta',
      'answer',
      'tool-call',
      'tool-end',
      'text-delta',
      'answer',
      'done',
    ]);
    expect(events.at(-1)).toEqual({ type: 'done', result });
    expect(events[6]).toMatchObject({ name: 'echo', outcome: 'ok', result: { output: 'said x', isError: false } });
    expect(result.toolCalls).toMatchObject([
      { name: 'echo', args: { text: 'x' }, output: 'said x', isError: false, outcome: 'ok' },
    ]);
  });

  it('adds up what the calls of a run used; what nobody reported stays unknown', async () => {
    const { agent } = kit(
      [
        { ...(call('echo') as object), usage: { input: 100, output: 7, cacheRead: 60 } },
        { text: 'x', usage: { input: 5, output: 1 } },
      ],
      {
        tools: [echo().tool],
      },
    );
    const { usage } = await agent.run('go');
    expect(usage).toEqual({
      inputTokens: { total: 105, noCache: 45, cacheRead: 60, cacheWrite: undefined },
      outputTokens: { total: 8, text: 8, reasoning: undefined },
    });
  });

  // https://github.com/openclaw/openclaw/pull/57615
  it('shows handlers history that they cannot change', async () => {
    const { agent, registry } = kit(['one', 'two']);
    const faults: string[] = [];
    registry.events.on('handlerFailed', ({ error }) =>
      faults.push(String((error as Error & { cause?: unknown }).cause)),
    );
    registry.registerModifying('beforeLLM', ({ messages }) => {
      (messages as unknown as unknown[]).push('mine');
      return undefined;
    });
    registry.registerModifying('beforeLLM', ({ messages }) => {
      (messages[0]!.content[0] as { text: string }).text = 'changed';
      return undefined;
    });
    const { messages } = await agent.run('go');
    expect(faults).toHaveLength(2);
    expect(faults.join()).toMatch(/TypeError.*TypeError/);
    expect(messages.map(textOf)).toEqual(['go', 'one']);
  });

  // https://github.com/openclaw/openclaw/issues/62700
  it('runs host handlers and the plugins that the personality allows, and no others', async () => {
    const registry = registryWithGuard();
    const ran: string[] = [];
    for (const id of ['p1', 'p2']) registry.forPlugin(id).registerVoid('agentDone', () => void ran.push(id));
    registry.registerVoid('agentDone', () => void ran.push('host'));
    await kit(['a'], { registry, personality: { id: 'p', plugins: ['p1'] } }).agent.run('go');
    expect(ran).toEqual(['host', 'p1']);
    ran.length = 0;
    await kit(['a'], { registry }).agent.run('go');
    expect(ran).toEqual(['host']);
  });

  it('does not start under an order that cannot be', async () => {
    const registry = createHookRegistry(agentHooks, { order: { afterTool: ['gate', '*'] } });
    const { agent, model } = kit(['a'], { registry });
    await expect(agent.run('go')).rejects.toMatchObject({ code: 'TH_ORDER_UNKNOWN' });
    expect(model.calls).toHaveLength(0);
    registry.registerModifying('afterTool', () => undefined, { id: 'gate' });
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
  });

  it('does several calls of one answer in source order, each with its place in the batch', async () => {
    const { agent, registry, model } = kit([calls('b', 'a', 'b'), 'done'], { tools: [echo('a').tool, echo('b').tool] });
    const seen: unknown[] = [];
    registry.registerVoid('toolEnd', ({ batch }) => void seen.push(batch));
    await agent.run('go');
    const id = (seen[0] as { id: string }).id;
    expect(seen).toEqual([0, 1, 2].map((index) => ({ id, index, size: 3, names: ['b', 'a', 'b'] })));
    const { content } = model.calls[1]!.prompt.at(-1)! as { content: readonly { toolCallId: string }[] };
    expect(content.map(({ toolCallId }) => toolCallId)).toEqual(['wire-0-0', 'wire-0-1', 'wire-0-2']);
  });
});
