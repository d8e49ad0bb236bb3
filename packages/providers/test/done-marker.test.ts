import { afterEach, describe, expect, it } from 'vitest';
import { endingAtDone } from '../src/done-marker.js';
import { resolveModel } from '../src/index.js';
import { ask, faultOf } from './exchange.js';
import { key } from './suite/bench.js';
import { openaiWire, type Wire } from './wire/index.js';

let wire: Wire | undefined;
afterEach(() => wire?.close());

const event = (choice: object): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, ...choice }] })}\n\n`;
const whole = event({ delta: { content: 'hi' } }) + event({ delta: {}, finish_reason: 'stop' });

describe("an answer of OpenAI's dialect", () => {
  it.each(['openai-compatible', 'openai'])('is over at [DONE], though the socket stays open (%s)', async (provider) => {
    wire = await openaiWire([{ raw: `${whole}data: [DONE]\n\n`, hang: true }]);
    const port = await resolveModel(`${provider}:m@${wire.url}`, { apiKey: key });
    expect((await ask(port)).text).toBe('hi');
  });

  it('lets a server go that never closes', async () => {
    wire = await openaiWire([{ raw: `${whole}data: [DONE]\n\n`, hang: true }]);
    const port = await resolveModel(`openai-compatible:m@${wire.url}`, { apiKey: key });
    await ask(port);
    await expect((await wire.request(0)).closed).resolves.toBeUndefined();
  });

  it.each(['text/html', 'application/json'])('that is %s is no stream, and trying again is no use', async (type) => {
    wire = await openaiWire([{ raw: '<p>log in</p>', type }]);
    const port = await resolveModel(`openai-compatible:m@${wire.url}`, { apiKey: key });
    const error = await faultOf(port);
    expect(error.code).toBe('TH_MODEL_STREAM');
    expect(error.details).toMatchObject({ kind: 'garbage', retryable: false });
    expect(error.message).toContain(`the answer is ${type}, no event stream: check the base URL`);
  });
});

describe('the end of a body', () => {
  /** A body that never ends. */
  const open = (chunks: readonly string[]): Response =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  const text = 'data: {"a": "ü"}\n\ndata: [DONE]\n\n';

  it('is found wherever the chunks are cut', async () => {
    for (let at = 0; at <= text.length; at++) {
      const response = endingAtDone(open([text.slice(0, at), text.slice(at)].filter((chunk) => chunk !== '')));
      expect((await response.text()).trimEnd()).toBe(text.trimEnd());
    }
    expect(await endingAtDone(open(Array.from(text))).text()).toBe(text.slice(0, -1));
  });

  it('is not what stands in the text of an answer', async () => {
    const said = `data: ${JSON.stringify({ content: '\ndata: [DONE]\n' })}\n\n`;
    const response = endingAtDone(open([said, ...Array.from(said), text]));
    expect((await response.text()).trimEnd()).toBe((said + said + text).trimEnd());
  });
});
