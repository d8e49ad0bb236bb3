/** What an answer gives: text, calls, usage, finish reasons. */
import { expect, it } from 'vitest';
import { ask, hello, weather } from '../exchange.js';
import { key, type Bench } from './bench.js';

export function answerLaws({ start, model, keyHeader, finish, settings, tools, bodies }: Bench): void {
  it('streams a text answer delta by delta and ends with one finish part', async () => {
    const { wire, port } = await start([{ text: ['Hel', 'lo ', 'you'] }]);
    const { parts, text, finish: end } = await ask(port);
    expect(text).toBe('Hello you');
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' && part.delta !== '' ? [part.delta] : []));
    expect(deltas).toEqual(['Hel', 'lo ', 'you']);
    expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(1);
    expect(end.finishReason).toEqual({ unified: 'stop', raw: finish.stop });
    const { method, headers, body } = wire.requests[0]!;
    expect(method).toBe('POST');
    const [name, value] = keyHeader(key);
    expect(headers[name]).toBe(value);
    expect(body).toMatchObject({ model: port.modelId, stream: true });
    expect(model(wire.url)).toContain(port.modelId);
  });

  it('reads the same answer from any split of the bytes, also inside a character', async () => {
    const { port } = await start([1, 3, 7].map((chop) => ({ text: ['Grüße, ', '日本 🌍'], chop })));
    for (let at = 0; at < 3; at++) expect((await ask(port)).text).toBe('Grüße, 日本 🌍');
  });

  it('gives a tool call as JSON text, with the id and the name of the wire', async () => {
    const { wire, port } = await start([
      { text: 'Let me look.', calls: [{ id: 'call_1', name: 'weather', args: { city: 'Zürich' } }] },
    ]);
    const { text, calls, finish: end } = await ask(port, { ...hello, tools: [weather] });
    expect(text).toBe('Let me look.');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ toolCallId: 'call_1', toolName: 'weather' });
    expect(JSON.parse(calls[0]!.input)).toEqual({ city: 'Zürich' });
    expect(end.finishReason).toEqual({ unified: 'tool-calls', raw: finish['tool-calls'] });
    expect(wire.requests[0]!.body.tools).toEqual(tools);
  });

  it('keeps parallel calls apart and in order', async () => {
    const { port } = await start([
      {
        calls: [
          { id: 'call_1', name: 'weather', args: { city: 'Bern' } },
          { id: 'call_2', name: 'weather', args: { city: 'a much longer name of a city, in many pieces' } },
          { id: 'call_3', name: 'time', args: {} },
        ],
      },
    ]);
    const { calls } = await ask(port);
    expect(calls.map(({ toolCallId, toolName, input }) => [toolCallId, toolName, JSON.parse(input)])).toEqual([
      ['call_1', 'weather', { city: 'Bern' }],
      ['call_2', 'weather', { city: 'a much longer name of a city, in many pieces' }],
      ['call_3', 'time', {}],
    ]);
  });

  it('gives a call without arguments the empty object', async () => {
    const { port } = await start([{ calls: [{ id: 'call_1', name: 'time', args: '' }] }]);
    expect((await ask(port)).calls[0]!.input).toBe('{}');
  });

  it('hands on arguments that are no JSON as they came', async () => {
    const { port } = await start([{ calls: [{ id: 'call_1', name: 'time', args: '{"zone": Bern' }] }]);
    expect((await ask(port)).calls[0]!.input).toBe('{"zone": Bern');
  });

  it('passes usage on, with cached and reasoning tokens', async () => {
    const { port } = await start([{ text: 'ok', usage: { input: 100, cacheRead: 60, output: 30, reasoning: 12 } }]);
    const { inputTokens, outputTokens } = (await ask(port)).finish.usage;
    expect(inputTokens).toEqual({ total: 100, noCache: 40, cacheRead: 60, cacheWrite: undefined });
    expect(outputTokens).toEqual({ total: 30, text: 18, reasoning: 12 });
  });

  it('takes a report that comes several times for one: each is of all that was used so far', async () => {
    const last = { input: 100, cacheRead: 60, output: 30, reasoning: 12 };
    const { port } = await start([
      {
        text: 'ok',
        earlier: [
          { ...last, output: 1, reasoning: 0 },
          { ...last, output: 17, reasoning: 12 },
        ],
        usage: last,
      },
      { text: 'ok', earlier: [{ ...last, input: 0, cacheRead: 0, output: 0 }], usage: last },
    ]);
    for (let at = 0; at < 2; at++) {
      const { parts, finish: end } = await ask(port);
      expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(end.usage.inputTokens).toEqual({ total: 100, noCache: 40, cacheRead: 60, cacheWrite: undefined });
      expect(end.usage.outputTokens).toEqual({ total: 30, text: 18, reasoning: 12 });
    }
  });

  it('takes an answer that used nothing for one that did', async () => {
    const { port } = await start([{ text: 'ok', usage: { input: 0, cacheRead: 0, output: 0, reasoning: 0 } }]);
    const { inputTokens, outputTokens } = (await ask(port)).finish.usage;
    expect(inputTokens).toMatchObject({ total: 0, noCache: 0, cacheRead: 0, cacheWrite: undefined });
    expect(outputTokens).toEqual({ total: 0, text: 0, reasoning: 0 });
  });

  it('tells a reported zero from what was not reported', async () => {
    const { port } = await start([
      { text: 'ok', usage: { input: 100, output: 30 } },
      { text: 'ok', usage: { input: 100, cacheRead: 0, output: 30, reasoning: 0 } },
    ]);
    const silent = (await ask(port)).finish.usage;
    expect(silent.inputTokens).toMatchObject({ total: 100, cacheRead: undefined, cacheWrite: undefined });
    expect(silent.outputTokens).toEqual({ total: 30, text: undefined, reasoning: undefined });
    const zero = (await ask(port)).finish.usage;
    expect(zero.inputTokens).toMatchObject({ total: 100, noCache: 100, cacheRead: 0 });
    expect(zero.outputTokens).toEqual({ total: 30, text: 30, reasoning: 0 });
  });

  it('names a cut by length and a filtered answer as what they are', async () => {
    const { port } = await start([
      { text: 'half', finish: finish.length },
      { text: '', finish: finish['content-filter'] },
    ]);
    expect((await ask(port)).finish.finishReason).toEqual({ unified: 'length', raw: finish.length });
    expect((await ask(port)).finish.finishReason).toEqual({ unified: 'content-filter', raw: finish['content-filter'] });
  });

  it('sends the settings of a call', async () => {
    const { wire, port } = await start([{ text: 'ok' }]);
    await ask(port, {
      ...hello,
      tools: [weather],
      toolChoice: { type: 'tool', toolName: 'weather' },
      temperature: 0.5,
      maxOutputTokens: 77,
      stopSequences: ['END'],
    });
    expect(wire.requests[0]!.body).toMatchObject(settings.body);
  });

  it('sends the front system text where the dialect wants it', async () => {
    const { wire, port } = await start([{ text: 'ok' }]);
    await ask(port, { prompt: [{ role: 'system', content: 'Be brief.' }, ...hello.prompt] });
    expect(wire.requests[0]!.body).toMatchObject(bodies.system as object);
  });

  it('gives connections back: ten calls in a row need two at most', async () => {
    const { wire, port } = await start(Array.from({ length: 10 }, () => ({ text: 'ok' })));
    for (let at = 0; at < 10; at++) await ask(port);
    expect(new Set(wire.requests.map((request) => request.port)).size).toBeLessThanOrEqual(2);
  });

  it('gives what the provider sent, chunk by chunk, when it is asked for', async () => {
    const { port } = await start([{ text: 'ok' }, { text: 'ok' }]);
    expect((await ask(port)).parts.some(({ type }) => type === 'raw')).toBe(false);
    const { parts } = await ask(port, { ...hello, includeRawChunks: true });
    expect(parts.filter(({ type }) => type === 'raw').length).toBeGreaterThan(2);
  });
}
