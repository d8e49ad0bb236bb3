/** The Anthropic dialect: the shared suite, and what it alone has. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelCallOptions, ModelMessage } from '@treblehook/types';
import { resolveModel } from '../src/index.js';
import { dialectSuite } from './dialect-suite.js';
import { ask, faultOf, hello, messageOf, results, says, weather } from './exchange.js';
import { key } from './suite/bench.js';
import { anthropicWire, type Script, type Wire } from './wire/index.js';

const text = (value: string) => ({ type: 'text', text: value });
const use = (id: string, city: string) => ({ type: 'tool_use', id, name: 'weather', input: { city } });

dialectSuite('anthropic', {
  wire: anthropicWire,
  model: (url) => `anthropic:claude-sonnet-4-5@${url}`,
  endpoint: '/messages',
  keyHeader: (value) => ['x-api-key', value],
  overloaded: 529,
  finish: { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use', 'content-filter': 'refusal' },
  bodies: {
    system: { system: [text('Be brief.')], messages: [{ role: 'user', content: [text('hello')] }] },
    laterSystem: {
      system: [text('Be brief.'), text('Today is Monday.')],
      messages: [{ role: 'user', content: [text('hello')] }],
    },
    calls: {
      messages: [
        { role: 'user', content: [text('Compare.')] },
        { role: 'assistant', content: [use('call_1', 'Bern'), use('call_2', 'Oslo')] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: '21 degrees' },
            { type: 'tool_result', tool_use_id: 'call_2', content: 'no such city', is_error: true },
          ],
        },
      ],
    },
  },
  inputsOf: ({ messages }) => messages[1].content.map(({ input }: any) => input),
  tools: [
    expect.objectContaining({ name: 'weather', description: weather.description, input_schema: weather.inputSchema }),
  ],
  settings: {
    body: { temperature: 0.5, max_tokens: 77, stop_sequences: ['END'], tool_choice: { type: 'tool', name: 'weather' } },
  },
  // message_start, ping, content_block_start, content_block_delta
  eventsToText: 4,
});

describe('anthropic alone', () => {
  let wire: Wire;
  afterEach(() => wire.close());
  const start = async (script: Script, id = 'claude-sonnet-4-5') => {
    wire = await anthropicWire(script);
    return resolveModel(`anthropic:${id}@${wire.url}`, { apiKey: key });
  };

  it('a signature of thinking survives the round trip, byte for byte', async () => {
    const signature = 'EqQBCkgIARABGAIiQL+/=sig';
    const port = await start([
      {
        reasoning: { text: 'They want the weather.', signature },
        calls: [{ id: 'toolu_1', name: 'weather', args: { city: 'Bern' } }],
      },
      { text: 'Sunny.' },
    ]);
    const first = await ask(port, { prompt: [says('Weather?')], tools: [weather] });
    expect(first.reasoning).toBe('They want the weather.');
    await ask(port, {
      prompt: [says('Weather?'), messageOf(first), results(['toolu_1', 'weather', 'sun'])],
      tools: [weather],
    });
    expect(wire.requests[1]!.body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'They want the weather.', signature },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } },
    ]);
  });

  it('redacted thinking survives the round trip', async () => {
    const port = await start([{ reasoning: { redacted: 'EmwKAhgBEgy' }, text: 'Hello.' }, { text: 'Again.' }]);
    const first = await ask(port);
    await ask(port, { prompt: [...hello.prompt, messageOf(first), says('again')] });
    expect(wire.requests[1]!.body.messages[1].content).toEqual([
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy' },
      text('Hello.'),
    ]);
  });

  it('counts what the cache gave and took', async () => {
    const port = await start([{ text: 'ok', usage: { input: 100, cacheRead: 60, cacheWrite: 30, output: 5 } }]);
    expect((await ask(port)).finish.usage.inputTokens).toEqual({
      total: 100,
      noCache: 10,
      cacheRead: 60,
      cacheWrite: 30,
    });
  });

  it('a stream without message_stop is no answer, even behind its stop reason', async () => {
    const port = await start([{ text: 'ok', stop: { after: 6, how: 'end' } }]);
    expect((await faultOf(port)).details).toMatchObject({ kind: 'cut' });
  });

  it('what breaks behind message_stop changes nothing', async () => {
    const port = await start([{ text: 'ok', stop: { after: 7, how: 'cut' } }]);
    expect((await ask(port)).text).toBe('ok');
  });

  it('does not wait for the end of the body behind message_stop, yet lets the connection serve the next call', async () => {
    let end = (): void => {};
    const ends = new Promise<void>((resolve) => {
      end = resolve;
    });
    const port = await start([{ text: 'one', ends }, ...Array.from({ length: 9 }, () => ({ text: 'two' }))]);
    expect((await ask(port)).text).toBe('one');
    end();
    for (let at = 0; at < 9; at++) await ask(port);
    const [first, ...later] = wire.requests.map((request) => request.port);
    expect(later).toContain(first);
  });

  it('gathers system messages from anywhere in front', async () => {
    const port = await start([{ text: 'ok' }]);
    const late: ModelMessage = { role: 'system', content: 'Late.' };
    const call: ModelMessage = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: {} }],
    };
    await ask(port, {
      prompt: [says('one'), late, call, results(['a', 'weather', 'sun']), late, { role: 'system', content: ' ' }],
    });
    const { system, messages } = wire.requests[0]!.body;
    expect(system).toEqual([text('Late.'), text('Late.')]);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('a message that is marked for the cache has the mark on its last block that is sent', async () => {
    const port = await start([{ text: 'ok' }]);
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    const call: ModelMessage = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: {} }],
    };
    await ask(port, {
      prompt: [
        { role: 'system', content: 'Be brief.', providerOptions },
        { ...says('one'), providerOptions },
        call,
        { ...results(['a', 'weather', 'sun']), providerOptions },
        says('tail'),
      ],
      tools: [weather],
    });
    const cache_control = { type: 'ephemeral' };
    const { system, messages, tools } = wire.requests[0]!.body;
    expect(system).toEqual([{ ...text('Be brief.'), cache_control }]);
    expect(messages[0].content).toEqual([{ ...text('one'), cache_control }]);
    expect(messages[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'sun', cache_control },
      text('tail'),
    ]);
    expect(JSON.stringify([messages[1], tools])).not.toContain('cache_control');
  });

  it('leaves out blank texts, which the API refuses', async () => {
    const port = await start([{ text: 'ok' }]);
    const blank = { type: 'text', text: ' \n' } as const;
    await ask(port, {
      prompt: [
        says('one'),
        { role: 'assistant', content: [blank] },
        { role: 'user', content: [blank, { type: 'text', text: 'two' }] },
      ],
    });
    expect(wire.requests[0]!.body.messages).toEqual([{ role: 'user', content: [text('one'), text('two')] }]);
  });

  it('makes ids of other providers into ids of its own, unique, and pairs results with them', async () => {
    const port = await start([{ text: 'ok' }]);
    const round = (id: string): ModelMessage[] => [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'weather', input: {} }] },
      results([id, 'weather', 'sun']),
    ];
    await ask(port, {
      prompt: [says('go'), ...round('functions.weather:0'), ...round('functions.weather:0'), ...round('')],
    });
    const { messages } = wire.requests[0]!.body;
    expect(messages.map(({ content }: any) => content[0].id ?? content[0].tool_use_id)).toEqual([
      undefined,
      'functions_weather_0',
      'functions_weather_0',
      'functions_weather_0_2',
      'functions_weather_0_2',
      'call',
      'call',
    ]);
  });

  const efforts: [ModelCallOptions['reasoning'], string, unknown, unknown][] = [
    ['none', 'claude-sonnet-4-5', { type: 'disabled' }, undefined],
    ['minimal', 'claude-sonnet-4-5', { type: 'enabled', budget_tokens: 1_024 }, undefined],
    ['high', 'claude-opus-4-1-20250805', { type: 'enabled', budget_tokens: 24_576 }, undefined],
    ['low', 'claude-sonnet-4-20250514', { type: 'enabled', budget_tokens: 4_096 }, undefined],
    ['minimal', 'claude-opus-4-6', { type: 'adaptive' }, { effort: 'low' }],
    ['high', 'claude-sonnet-5', { type: 'adaptive' }, { effort: 'high' }],
    ['provider-default', 'claude-sonnet-5', undefined, undefined],
    [undefined, 'claude-sonnet-5', undefined, undefined],
  ];
  it.each(efforts)('reasoning %s of %s is spelled as that model takes it', async (reasoning, id, thinking, effort) => {
    const port = await start([{ text: 'ok' }], id);
    await ask(port, { ...hello, ...(reasoning === undefined ? {} : { reasoning }) });
    const { body } = wire.requests[0]!;
    expect(body.thinking).toEqual(thinking);
    expect(body.output_config).toEqual(effort);
    if (body.thinking?.budget_tokens) expect(body.max_tokens).toBeGreaterThan(body.thinking.budget_tokens);
  });

  it('what the host says in provider options goes before a reasoning setting', async () => {
    const port = await start([{ text: 'ok' }], 'claude-sonnet-5');
    await ask(port, { ...hello, reasoning: 'low', providerOptions: { anthropic: { effort: 'max' } } });
    expect(wire.requests[0]!.body.output_config).toEqual({ effort: 'max' });
  });
});
