/** OpenAI's dialect, by both of its providers: the shared suite, and what they alone have. */
import { afterEach, describe, expect, it } from 'vitest';
import { resolveModel } from '../src/index.js';
import { dialectSuite } from './dialect-suite.js';
import { ask, hello, messageOf, results, says, weather } from './exchange.js';
import { key, type Spelling } from './suite/bench.js';
import { openaiWire, type Script, type Wire } from './wire/index.js';

const call = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});

const spelling: Spelling = {
  wire: openaiWire,
  model: (url) => `openai-compatible:qwen3:8b@${url}`,
  endpoint: '/chat/completions',
  keyHeader: (value) => ['authorization', `Bearer ${value}`],
  overloaded: 503,
  finish: { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls', 'content-filter': 'content_filter' },
  bodies: {
    system: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
    },
    laterSystem: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
        { role: 'system', content: 'Today is Monday.' },
      ],
    },
    calls: {
      messages: [
        { role: 'user', content: 'Compare.' },
        { role: 'assistant', content: null, tool_calls: [call('call_1', 'Bern'), call('call_2', 'Oslo')] },
        { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
        { role: 'tool', tool_call_id: 'call_2', content: 'no such city' },
      ],
    },
  },
  inputsOf: ({ messages }) => messages[1].tool_calls.map((call: any) => JSON.parse(call.function.arguments)),
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: weather.description, parameters: weather.inputSchema },
    },
  ],
  settings: {
    body: {
      temperature: 0.5,
      max_tokens: 77,
      stop: ['END'],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    },
  },
  // the role, then the text
  eventsToText: 2,
};

dialectSuite('openai-compatible', spelling);
dialectSuite('openai', { ...spelling, model: (url) => `openai:gpt-4.1@${url}` });

describe('openai-compatible alone', () => {
  let wire: Wire;
  afterEach(() => wire.close());
  const start = async (script: Script) => {
    wire = await openaiWire(script);
    return resolveModel(`openai-compatible:qwen3@${wire.url}`, { apiKey: key });
  };

  it('asks for usage, and gives none where the server has none', async () => {
    const port = await start([{ text: 'ok', usage: null }]);
    const { usage } = (await ask(port)).finish;
    expect(wire.requests[0]!.body.stream_options).toEqual({ include_usage: true });
    expect(usage.inputTokens).toEqual({
      total: undefined,
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    });
    expect(usage.outputTokens).toEqual({ total: undefined, text: undefined, reasoning: undefined });
  });

  it('reasoning is streamed, and sent back with its answer', async () => {
    const port = await start([
      {
        reasoning: { text: 'They want the weather.' },
        calls: [{ id: 'call_1', name: 'weather', args: { city: 'Bern' } }],
      },
      { text: 'Sunny.' },
    ]);
    const first = await ask(port);
    expect(first.reasoning).toBe('They want the weather.');
    await ask(port, { prompt: [...hello.prompt, messageOf(first), results(['call_1', 'weather', 'sun'])] });
    expect(wire.requests[1]!.body.messages[1]).toMatchObject({ reasoning_content: 'They want the weather.' });
  });

  it('a thought signature of a call survives the round trip', async () => {
    const signed = (args: string) =>
      `data: ${JSON.stringify({
        id: 'x',
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                {
                  index: 0,
                  id: 'call_1',
                  function: { name: 'weather', arguments: args },
                  extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } },
                },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      })}\n\ndata: [DONE]\n\n`;
    const port = await start([{ raw: signed('{"city":"Bern"}') }, { text: 'Sunny.' }]);
    const first = await ask(port);
    await ask(port, { prompt: [...hello.prompt, messageOf(first), results(['call_1', 'weather', 'sun'])] });
    expect(wire.requests[1]!.body.messages[1].tool_calls).toEqual([
      { ...call('call_1', 'Bern'), extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } },
    ]);
  });

  it('sends the schema of a JSON answer and the effort of reasoning', async () => {
    const port = await start([{ text: '{}' }]);
    const schema = { type: 'object', properties: {} };
    await ask(port, { prompt: [says('as JSON')], responseFormat: { type: 'json', schema }, reasoning: 'low' });
    expect(wire.requests[0]!.body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema } },
      reasoning_effort: 'low',
    });
  });

  it('reads a server that leaves out [DONE]', async () => {
    const events = [{ delta: { content: 'ok' } }, { delta: {}, finish_reason: 'stop' }];
    const port = await start([
      { raw: events.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join('') },
    ]);
    expect((await ask(port)).text).toBe('ok');
  });
});

describe('openai alone', () => {
  it('spells limits and system text as a reasoning model wants them', async () => {
    const wire = await openaiWire([{ text: 'ok' }]);
    const port = await resolveModel(`openai:gpt-5@${wire.url}`, { apiKey: key });
    await ask(port, {
      prompt: [{ role: 'system', content: 'Be brief.' }, ...hello.prompt],
      maxOutputTokens: 77,
      reasoning: 'low',
    });
    expect(wire.requests[0]!.body).toMatchObject({
      max_completion_tokens: 77,
      reasoning_effort: 'low',
      messages: [{ role: 'developer' }, { role: 'user' }],
    });
    await wire.close();
  });
});
