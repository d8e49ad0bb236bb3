import { describe, expect, it } from 'vitest';
import {
  historyFault,
  type LLMAmendment,
  type LLMRequest,
  type Message,
  type ModelPort,
  type ModelStreamPart,
} from '@treblehook/types';
import { createAgent } from '../src/index.js';
import { noUsage } from '../src/run/usage.js';
import { echo, kit, registryWithGuard } from './kit.js';

const says = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const message = (content: unknown, role = 'user'): Message => ({ role, content }) as Message;

describe('an amendment of beforeLLM', () => {
  const asked = (args: unknown) => message([{ type: 'tool-call', callId: 'a', name: 't', args }], 'assistant');
  const answered = (rest: object) => message([{ type: 'tool-result', callId: 'a', name: 't', ...rest }], 'tool');

  it.each<[string, (request: LLMRequest) => unknown, RegExp]>([
    [
      'a negative limit of tokens',
      () => ({ settings: { maxOutputTokens: -1e12 } }),
      /'maxOutputTokens' must be a whole/,
    ],
    ['a stop that is no list', () => ({ settings: { stop: 5 } }), /'stop' must be a list of texts/],
    ['a choice that is none', () => ({ settings: { toolChoice: {} } }), /'toolChoice' must be one of/],
    ['a tool that is not offered', () => ({ settings: { toolChoice: { tool: 'rm' } } }), /'rm', which is not offered/],
    [
      'the choice of a tool that it drops',
      () => ({ tools: [], settings: { toolChoice: { tool: 'echo' } } }),
      /'echo', which is not offered/,
    ],
    ['a temperature in words', () => ({ settings: { temperature: 'hot' } }), /'temperature' must be a number/],
    ['a tool without a description', () => ({ tools: [{ name: 'echo' }] }), /'echo' without a description/],
    [
      'a tool without a schema',
      ({ tools }) => ({ tools: [{ name: 'echo', description: tools[0]!.description }] }),
      /'echo' without an inputSchema/,
    ],
    [
      'a tool that says other things of itself',
      ({ tools }) => ({ tools: [{ ...tools[0]!, description: 'harmless' }] }),
      /rewrites the tool 'echo'/,
    ],
    ['a part of no known type', () => ({ messages: [message([{ type: 'bogus' }])] }), /unknown type 'bogus'/],
    ['a text part without a text', () => ({ messages: [message([{ type: 'text' }])] }), /text part without a text/],
    ['a role that there is not', () => ({ messages: [message([], 'bogus')] }), /role is 'bogus'/],
    ['no message', () => ({ messages: [null] }), /message 0 is no message/],
    ['a file without data', () => ({ messages: [message([{ type: 'file', mediaType: 'a/b' }])] }), /data are neither/],
    ['a call without arguments', () => ({ messages: [says('a'), asked(undefined)] }), /without args/],
    ['a result that is none', () => ({ messages: [says('a'), asked({}), answered({})] }), /that is no \{ output/],
    ['an injected message without content', () => ({ inject: [{ role: 'user' }] }), /no list of parts/],
  ])('with %s is refused, its stage named, and the request goes on without it', async (_, amend, why) => {
    const { agent, registry, model } = kit(['ok'], { tools: [echo().tool] });
    const refused: string[] = [];
    registry.events.on('amendmentRefused', ({ by, error }) => refused.push(`${by.id}: ${error.message}`));
    registry.registerModifying('beforeLLM', (request) => amend(request) as Partial<LLMAmendment>, { id: 'odd' });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'ok' });
    expect(refused).toEqual([expect.stringMatching(why)]);
    expect(refused[0]).toMatch(/^odd: /);
    expect(model.calls[0]!.prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'go' }] }]);
  });

  it('may drop, copy and reorder tools', async () => {
    const { agent, registry, model } = kit(['ok'], { tools: [echo('a').tool, echo('b').tool, echo('c').tool] });
    registry.registerModifying('beforeLLM', ({ tools }) => ({ tools: [structuredClone(tools[2]!), tools[0]!] }));
    await agent.run('go');
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual(['c', 'a']);
  });

  it('that names a tool twice sends it once, in its first place', async () => {
    const { agent, registry, model } = kit(['ok'], { tools: [echo('a').tool, echo('b').tool] });
    registry.registerModifying('beforeLLM', ({ tools }) => ({ tools: [tools[1]!, tools[0]!, tools[1]!] }));
    await agent.run('go');
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('that takes a dropped tool back gets the tool as it was registered', async () => {
    const { agent, registry, model } = kit(['ok'], { tools: [echo('a').tool, echo('b').tool] });
    registry.registerModifying('beforeLLM', ({ tools }) => ({ tools: [tools[0]!] }));
    registry.registerModifying('beforeLLM', ({ tools }) => ({
      tools: [...tools, { name: 'b', description: 'harmless', inputSchema: {} }],
    }));
    await agent.run('go');
    expect(model.calls[0]!.tools).toMatchObject([{ name: 'a' }, { name: 'b', description: 'says it back' }]);
  });

  it('that drops the tool which the settings of the agent choose ends the run before anything is sent', async () => {
    const { agent, registry, model } = kit(['never'], {
      tools: [echo('a').tool, echo('b').tool],
      settings: { toolChoice: { tool: 'a' } },
    });
    registry.registerModifying('beforeLLM', ({ tools }) => ({ tools: [tools[1]!] }));
    const { status, error } = await agent.run('go');
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(/'a'.*not offered/) });
    expect(model.calls).toHaveLength(0);
  });
});

describe('settings of an agent', () => {
  it.each([
    { maxOutputTokens: 0 },
    { maxOutputTokens: 1.5 },
    { topP: 2 },
    { temperature: Number.NaN },
    { seed: 'x' },
    { stop: [''] },
    { reasoning: 'immense' },
    { toolChoice: { tool: 'ghost' } },
    { responseFormat: { type: 'json', schema: [] } },
  ])('such as %j are refused', (settings) => {
    expect(() => kit([], { settings: settings as never })).toThrow(/the setting '/);
  });
});

describe('a model that sends', () => {
  const finish = (usage: unknown): ModelStreamPart =>
    ({ type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'x' } }) as ModelStreamPart;

  it.each<[string, unknown]>([
    ['nothing for a part', null],
    ['a text for a part', 'garbage'],
    ['a part without a type', {}],
    ['a delta without a text', { type: 'text-delta', id: '1' }],
    ['a delta that is no text', { type: 'reasoning-delta', id: '1', delta: { length: 1 } }],
    ['a call without a name', { type: 'tool-call', toolCallId: 'x', input: '{}' }],
    ['a call whose name is no text', { type: 'tool-call', toolCallId: 'x', toolName: { a: 1 }, input: '{}' }],
    ['a call whose name is empty', { type: 'tool-call', toolCallId: 'x', toolName: '', input: '{}' }],
    ['a call whose id is no text', { type: 'tool-call', toolCallId: {}, toolName: 'echo', input: '{}' }],
    ['metadata that are none', { type: 'text-start', id: '1', providerMetadata: 'x' }],
  ])('%s has given no answer, and leaves the session well-formed', async (_, part) => {
    const { agent, model } = kit([{ parts: [part as ModelStreamPart] }, 'second'], {
      tools: [echo().tool],
      retry: { attempts: 1 },
    });
    const session = agent.session();
    const { status, error } = await session.run('go');
    expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'TH_MODEL_STREAM' } });
    expect(historyFault(session.messages())).toBeUndefined();
    expect(model.openStreams()).toBe(0);
    expect(await session.run('again')).toMatchObject({ status: 'done', text: 'second' });
  });

  it.each<[string, unknown]>([
    ['NaN', { inputTokens: { total: Number.NaN }, outputTokens: { total: Number.NaN } }],
    ['less than nothing', { inputTokens: { total: -1e9 }, outputTokens: { total: -1 } }],
    ['null', { inputTokens: null, outputTokens: null }],
    ['words', { inputTokens: { total: '7' }, outputTokens: { total: 'many' } }],
  ])('a usage of %s has reported none, and the limit of tokens holds by the estimate', async (_, usage) => {
    const { tool, ran } = echo();
    const answer = { parts: [...partsOf('echo'), finish(usage)] };
    const { agent } = kit([answer, answer, answer], { tools: [tool], limits: { tokens: 1 } });
    const result = await agent.run('go');
    expect(result).toMatchObject({ status: 'incomplete', limit: 'tokens', turns: 1 });
    expect(result.usage).toEqual(noUsage);
    expect(ran).toEqual([]);
  });
  const partsOf = (toolName: string): ModelStreamPart[] => [
    { type: 'tool-call', toolCallId: 'x', toolName, input: '{"text":"a"}' },
  ];

  it.each<[string, (() => unknown) | undefined]>([
    ['answers at once', () => ({ done: true })],
    ['answers nothing', () => undefined],
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    ['never answers', () => new Promise(() => {})],
    ['is missing', undefined],
  ])('a stream whose return %s has given its answer all the same', async (_, stop) => {
    const parts: ModelStreamPart[] = [
      { type: 'text-delta', id: '1', delta: 'hello' },
      { type: 'finish', usage: noUsage, finishReason: { unified: 'stop', raw: 'stop' } },
    ];
    const stream = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: parts.shift() }),
        ...(stop && { return: stop }),
      }),
    } as unknown as AsyncIterable<ModelStreamPart>;
    const model: ModelPort = { provider: 'x', modelId: 'y', doStream: async () => ({ stream }) };
    const agent = createAgent({ model, registry: registryWithGuard() });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'hello' });
  });

  it.each([undefined, null, {}, { stream: 5 }, { stream: {} }])('%j has given no stream', async (answered) => {
    const model = { provider: 'x', modelId: 'y', doStream: async () => answered } as unknown as ModelPort;
    const agent = createAgent({ model, registry: registryWithGuard(), retry: { attempts: 1 } });
    expect(await agent.run('go')).toMatchObject({ status: 'failed', error: { code: 'TH_MODEL_STREAM' } });
  });
});

describe('a transcript', () => {
  it.each<[unknown, RegExp]>([
    [message('my name is Bob'), /message 1 has no list of parts/],
    [message([null]), /message 1 has a part that is none/],
    [message([{ type: 'text' }]), /message 1 has a text part without a text/],
    [message([{ type: 'bogus' }]), /unknown type 'bogus'/],
    [message([], 'model'), /message 1 is no message: its role is 'model'/],
    [{ ...says('x'), id: 5 }, /message 1 has an id/],
  ])('with %j is refused with its place: nothing of it is lost in silence', (odd, why) => {
    const { agent } = kit(['ok']);
    let refusal: unknown;
    try {
      agent.session({ messages: [says('a'), odd as Message] });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'TH_HISTORY_INVALID', message: expect.stringMatching(why) });
  });
});

it('the results of a step keep to their room, however many there are, the notes included', async () => {
  const one = echo();
  const many = Array.from({ length: 300 }, () => ({ name: 'echo', args: { text: 'x'.repeat(2_000) } }));
  const { agent, model } = kit([{ calls: many }, 'ok'], { tools: [one.tool], maxResultChars: 5_000 });
  await agent.run('go');
  const parts = model.calls[1]!.prompt.at(-1)!.content as { output: { value: string } }[];
  expect(parts).toHaveLength(300);
  expect(parts.reduce((sum, { output }) => sum + output.value.length, 0)).toBeLessThanOrEqual(5_000);
});
