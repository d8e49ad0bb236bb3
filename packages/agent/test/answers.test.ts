import { describe, expect, it } from 'vitest';
import { type LLMOutcome, type ModelStreamPart } from '@treblehook/types';
import { createAgent } from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { noUsage } from '../src/run/usage.js';
import { call, calls, collect, echo, kit, registryWithGuard } from './kit.js';

import { drive } from './drive.js';
describe('an answer', () => {
  it.each<[string, ScriptedStep]>([
    ['ends without a finish', { text: 'looks whole.', finish: null }],
    ['ends without saying why', { text: 'looks whole.', finish: { unified: 'other', raw: undefined } }],
    ['ends in an error', { text: 'looks whole.', finish: 'error' }],
    ['sends an error part', { text: 'looks whole.', errorPart: { type: 'overloaded', message: 'overloaded' } }],
    ['announces calls and sends none', { text: 'looks whole.', finish: 'tool-calls' }],
    [
      'has a finish without usage',
      { text: 'looks whole.', parts: [{ type: 'finish', finishReason: { unified: 'stop', raw: '' } } as never] },
    ],
    [
      'has a finish in the manner of older ports',
      { text: 'looks whole.', parts: [{ type: 'finish', usage: noUsage, finishReason: 'stop' } as never] },
    ],
  ])('whose stream %s is no answer', async (_, step) => {
    const { agent, model } = kit([step]);
    const { status, error, text, messages } = await agent.run('go');
    expect({ status, text }).toEqual({ status: 'failed', text: '' });
    expect(error).toMatchObject({ code: 'TH_MODEL_STREAM', message: expect.stringContaining('scripted/scripted') });
    expect(messages).toHaveLength(1);
    expect(model.openStreams()).toBe(0);
  });

  it.each([
    ['length', 'output'],
    ['content-filter', 'content-filter'],
    ['other', 'finish:pause'],
  ] as const)('that ends with %s is incomplete, and its tool calls are not run', async (unified, limit) => {
    const { tool, ran } = echo();
    const raw = unified === 'other' ? 'pause' : unified;
    const { agent } = kit(
      [{ text: 'as far as', calls: [{ name: 'echo', args: '{"text": "cut' }], finish: { unified, raw } }],
      { tools: [tool] },
    );
    const { messages, toolCalls, ...result } = await agent.run('go');
    expect(result).toMatchObject({ status: 'incomplete', limit, text: 'as far as' });
    expect(ran).toEqual([]);
    expect(toolCalls).toMatchObject([{ outcome: 'not-started' }]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('cut by length is incomplete also when it is text alone', async () => {
    const { agent } = kit([{ text: 'and then', finish: 'length' }]);
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'output', text: 'and then' });
  });

  it('tells what the provider sent only when somebody listens', async () => {
    const raw = (rawValue: unknown): ModelStreamPart => ({ type: 'raw', rawValue });
    const step: ScriptedStep = { parts: [raw({ chunk: 1 }), raw('[DONE]')], text: 'x' };
    const quiet = kit([step]);
    await quiet.agent.run('go');
    expect(quiet.model.calls[0]).not.toHaveProperty('includeRawChunks');
    const { model, outcomes } = await drive([step]);
    expect(model.calls[0]!.includeRawChunks).toBe(true);
    expect(outcomes[0]!.response).toMatchObject({ raw: [{ chunk: 1 }, '[DONE]'], message: { role: 'assistant' } });
  });

  it('is whole also when what the provider sent beside it cannot be shown', async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const parts: ModelStreamPart[] = [
      { type: 'raw', rawValue: cycle },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { ...noUsage, raw: cycle } },
    ];
    const { outcomes, result } = await drive([{ text: 'x', parts }]);
    expect(result).toMatchObject({ status: 'done', text: 'x' });
    expect(outcomes[0]).toMatchObject({ response: { raw: [undefined] } });
    expect(outcomes[0]!.usage).toEqual(noUsage);
  });

  it('tells usage, finish and duration of each call, and its place', async () => {
    const clock = manualClock();
    const { agent, registry } = kit(
      [
        () => {
          clock.advance(30);
          return { text: 'x', usage: { input: 3, output: 2, cacheRead: 1, reasoning: 1 } };
        },
      ],
      { clock },
    );
    const told: LLMOutcome[] = [];
    registry.registerVoid('afterLLM', (outcome) => void told.push(outcome));
    await agent.run('go');
    expect(told).toMatchObject([
      {
        model: 'scripted',
        attempts: 1,
        ms: 30,
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 2, reasoning: 1 } },
      },
    ]);
  });

  it.each([true, false])('reads a stream to its finish and leaves it closed (readable: %s)', async (readable) => {
    const model = scriptedModel([call('echo'), { text: ['a', 'b'], parts: [] }], { readable });
    const agent = createAgent({ model, registry: registryWithGuard(), tools: [echo().tool] });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'ab' });
    expect(model.openStreams()).toBe(0);
  });

  it('passes over what a provider runs itself, and parts that it does not know', async () => {
    const { tool, ran } = echo();
    const parts: ModelStreamPart[] = [
      { type: 'stream-start' },
      { type: 'tool-call', toolCallId: 'p', toolName: 'echo', input: '{"text":"x"}', providerExecuted: true },
      { type: 'tool-result' },
      { type: 'of-tomorrow' } as never,
    ];
    const { agent } = kit([{ text: 'searched', parts }], { tools: [tool] });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'searched', toolCalls: [] });
    expect(ran).toEqual([]);
  });

  it('keeps interleaved blocks apart, and gives reasoning back with what the provider needs', async () => {
    const parts: ModelStreamPart[] = [
      { type: 'reasoning-start', id: '0' },
      { type: 'text-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'think' },
      { type: 'text-delta', id: '0', delta: 'say' },
      { type: 'reasoning-delta', id: '0', delta: 'ing', providerMetadata: { acme: { signature: 's' } } },
      { type: 'text-end', id: '0' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-delta', id: '1', delta: ' more' },
    ];
    const { agent, model } = kit([{ parts, calls: [{ name: 'echo', args: { text: 'x' } }] }, 'ok'], {
      tools: [echo().tool],
    });
    const { events } = await collect(agent.stream('go'));
    expect(events.flatMap((one) => (one.type === 'text-delta' && one.turn === 0 ? [one.text] : [])).join('')).toBe(
      'say more',
    );
    expect(model.calls[1]!.prompt[1]!.content).toMatchObject([
      { type: 'tool-call' },
      { type: 'reasoning', text: 'thinking', providerOptions: { acme: { signature: 's' } } },
      { type: 'text', text: 'say' },
      { type: 'text', text: ' more' },
    ]);
  });

  it('shows a model its unreadable arguments as an object, which every provider takes', async () => {
    const { agent, model } = kit([call('echo', '[1,'), call('echo', '[1]'), call('echo', ''), 'ok'], {
      tools: [echo().tool],
    });
    await agent.run('go');
    const inputs = model.calls[3]!.prompt.flatMap(({ content }) => content as { input?: unknown }[]).flatMap(
      ({ input = [] }) => input,
    );
    expect(inputs).toEqual([{ unreadable: '[1,' }, { unreadable: [1] }, {}]);
  });

  it('runs the calls of an answer that ends with stop', async () => {
    const { tool, ran } = echo();
    const { agent } = kit([{ ...(calls('echo') as object), finish: 'stop' }, 'ok'], { tools: [tool] });
    await agent.run('go');
    expect(ran).toHaveLength(1);
  });

  it('keeps two blocks apart whose ids are the same: the first had ended', async () => {
    const block = (delta: string): ModelStreamPart[] => [
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta },
      { type: 'reasoning-end', id: '0', providerMetadata: { p: { signature: delta } } },
    ];
    const { agent } = kit([{ parts: [...block('a'), ...block('b')] }]);
    const { messages } = await agent.run('go');
    expect(messages[1]!.content).toEqual([
      { type: 'reasoning', text: 'a', provider: { p: { signature: 'a' } } },
      { type: 'reasoning', text: 'b', provider: { p: { signature: 'b' } } },
    ]);
  });

  it('is not waited for when the stream hangs behind its finish', async () => {
    const { agent } = kit([
      {
        text: 'x',
        parts: [{ type: 'finish', usage: noUsage, finishReason: { unified: 'stop', raw: 'stop' } }],
        hold: deferred().promise,
      },
    ]);
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'x' });
  });
});
