/** Answers that have begun and do not end well. */
import { expect, it } from 'vitest';
import type { ModelStreamPart } from '@treblehook/types';
import { ask, faultOf, hello } from '../exchange.js';
import type { Bench } from './bench.js';

export function streamLaws({ start, endpoint, eventsToText }: Bench): void {
  it.each(['cut', 'end'] as const)('never takes an answer that was broken off for a whole one (%s)', async (how) => {
    const { wire, port } = await start([{ text: ['half of ', 'it'], stop: { after: eventsToText, how } }]);
    const parts: ModelStreamPart[] = [];
    const error = await faultOf(port, hello, parts);
    expect(error.code).toBe('TH_MODEL_STREAM');
    expect(error.details).toMatchObject({ endpoint: wire.url + endpoint, kind: 'cut', retryable: true });
    expect(error.message).toContain(
      `the stream of ${wire.url}${endpoint} broke: it ended before the answer was finished`,
    );
    expect(parts.some(({ type }) => type === 'finish')).toBe(false);
    expect(wire.requests).toHaveLength(1);
  });

  it.each(['cut', 'end'] as const)('calls a stream without a single event broken (%s)', async (how) => {
    const { port } = await start([{ text: 'never', stop: { after: 0, how } }]);
    expect((await faultOf(port)).code).toBe('TH_MODEL_STREAM');
  });

  it.each(['cut', 'end'] as const)('never hands out a call whose arguments were cut (%s)', async (how) => {
    const calls = [{ id: 'call_1', name: 'delete', args: { path: '/some/deep/folder/in/which/things/are/kept' } }];
    const whole = await start([{ calls }]);
    await ask(whole.port);
    for (const after of [3, 4, 5, 6, 7]) {
      const { port } = await start([{ calls, stop: { after, how } }]);
      const parts: ModelStreamPart[] = [];
      expect((await faultOf(port, hello, parts)).code).toBe('TH_MODEL_STREAM');
      expect(parts.some(({ type }) => type === 'tool-call')).toBe(false);
    }
  });

  it('names garbage in the stream, and does not go on behind it', async () => {
    const { wire, port } = await start([{ text: ['some ', 'text'], stop: { after: eventsToText, how: 'garbage' } }]);
    const parts: ModelStreamPart[] = [];
    const error = await faultOf(port, hello, parts);
    expect(error.code).toBe('TH_MODEL_STREAM');
    expect(error.details).toMatchObject({ endpoint: wire.url + endpoint, kind: 'garbage', retryable: false });
    expect(error.message).toContain('this is');
    expect(parts.some(({ type }) => type === 'finish')).toBe(false);
  });

  it.each(['{"surprise":true}', '[]', '"text"', 'null'])(
    'calls an event that is no event of the dialect garbage: %s',
    async (data) => {
      const { port } = await start([{ raw: `data: ${data}\n\n` }]);
      const error = await faultOf(port);
      expect(error.code).toBe('TH_MODEL_STREAM');
      expect(error.details.kind).toBe('garbage');
    },
  );

  it('closes the connection of a stream that it gives up', async () => {
    const { wire, port } = await start([{ raw: 'data: {"this is": no JSON\n\n', hang: true }]);
    expect((await faultOf(port)).details.kind).toBe('garbage');
    await wire.requests[0]!.closed;
  });

  it('says that the base URL is to be checked when a page comes in place of a stream', async () => {
    const { port } = await start([{ raw: '<html><body>Welcome</body></html>', type: 'text/html; charset=utf-8' }]);
    const error = await faultOf(port);
    expect(error.code).toBe('TH_MODEL_STREAM');
    expect(error.message).toContain('the answer is text/html, no event stream: check the base URL');
  });

  it.each([
    ['overloaded_error', true],
    ['rate_limit_error', true],
    ['invalid_request_error', false],
  ])('reports an error event of type %s, first or in the middle', async (type, retryable) => {
    const how = { type, message: 'come back later' };
    const { wire, port } = await start([
      { text: 'x', stop: { after: 0, how } },
      { text: 'x', stop: { after: eventsToText, how } },
    ]);
    for (const at of ['first', 'middle']) {
      const error = await faultOf(port);
      expect(error.code, at).toBe('TH_MODEL_STREAM');
      expect(error.details, at).toMatchObject({ endpoint: wire.url + endpoint, kind: 'error', type, retryable });
      expect(error.message, at).toContain(`the provider reports ${type}: come back later`);
    }
    expect(wire.requests).toHaveLength(2);
  });

  it('gives nothing more after a fault', async () => {
    const { port } = await start([{ text: 'x', stop: { after: eventsToText, how: 'cut' } }]);
    const { stream } = await port.doStream(hello);
    const parts = stream[Symbol.asyncIterator]();
    await expect(
      (async () => {
        for (;;) await parts.next();
      })(),
    ).rejects.toMatchObject({ code: 'TH_MODEL_STREAM' });
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });
}
