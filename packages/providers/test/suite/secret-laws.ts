/** Keys appear in no output, whatever goes wrong and however it is printed. */
import { expect, it, vi } from 'vitest';
import { resolveModel, type ModelOptions } from '../../src/index.js';
import { allOf, ask, faultOf, hello } from '../exchange.js';
import type { Script } from '../wire/index.js';
import { key, type Bench } from './bench.js';

const session = 'session-5f1e77c0ffee';
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
const spellings = (secret: string): string[] => {
  const once = quoted(secret);
  return [secret, once, quoted(once), once.replaceAll('/', '\\/'), encodeURIComponent(secret)];
};
const all = [...spellings(key), ...spellings(session)];
/** Enough of the key to guess the rest. */
const most = key.slice(0, -4);

function expectClean(error: unknown): void {
  const text = allOf(error);
  for (const secret of [...all, ...spellings(most)]) expect(text).not.toContain(secret);
}

export function secretLaws({ start, model, keyHeader, eventsToText }: Bench): void {
  const echo = `you sent ${all.join(' ')}`;
  const failing: [string, Script, ModelOptions?][] = [
    ['a 401 that quotes it', [{ status: 401, message: echo }]],
    ['a 400 with a body of it', [{ status: 400, body: echo }]],
    ['a body that is cut in it', [{ status: 500, body: `${'x'.repeat(1_990)}${echo}` }]],
    ['a body that is nothing but it', [{ status: 500, body: key.repeat(5_000) }]],
    ['a body that breaks off in it', [], { fetch: tornBody }],
    [
      'a redirect that carries it',
      [{ status: 302, headers: { location: `http://127.0.0.1/${encodeURIComponent(key)}` } }],
    ],
    ['an error event first', [{ text: 'x', stop: { after: 0, how: { type: 'api_error', message: echo } } }]],
    ['an error event later', [{ text: 'x', stop: { after: eventsToText, how: { type: 'api_error', message: echo } } }]],
    ['an error event whose type is it', [{ text: 'x', stop: { after: 0, how: { type: key, message: 'm' } } }]],
    ['a transport whose code is it', [], { fetch: () => Promise.reject(Object.assign(new Error('x'), { code: key })) }],
    ['garbage that quotes it', [{ raw: `data: {"odd": ${JSON.stringify(echo)}, no\n\n` }]],
    ['a stream that is cut', [{ text: 'x', stop: { after: eventsToText, how: 'cut' } }]],
    ['a connection that is reset', [{ drop: true }]],
    ['a transport that quotes it', [], { fetch: leakingFetch }],
    ['an answer that breaks with it', [], { fetch: leakingBody }],
  ];

  it.each(failing)('in %s', async (_, script, options = {}) => {
    const { port } = await start(script, { headers: { 'X-Session-Token': session }, ...options });
    const error = await faultOf(port);
    expect(error.code).toMatch(/^TH_MODEL_/);
    expectClean(error);
  });

  it('in the fault of a call with headers of its own', async () => {
    const { wire, port } = await start([{ status: 500, message: echo }], { apiKey: 'another-key-123' });
    const [name, value] = keyHeader(key);
    const error = await faultOf(port, {
      ...hello,
      headers: { [name.toUpperCase()]: value, 'x-session-token': session },
    });
    expect(wire.requests[0]!.headers[name]).toBe(value);
    expectClean(error);
    expect(allOf(error)).not.toContain('another-key-123');
  });

  it('in a body so long that it is cut in the middle of a very long secret', async () => {
    const token = Array.from({ length: 400 }, (_, at) => `token-part-${at}-`).join('');
    const { port } = await start([{ status: 500, body: token.repeat(20) }], { headers: { 'x-session-token': token } });
    const error = await faultOf(port);
    expect(error.details.body).toContain('[redacted]');
    expect(allOf(error)).not.toContain('token-part-');
  });

  it('in a request that cannot be sent', async () => {
    const { wire, port } = await start([]);
    const file = { type: 'file', mediaType: `application/x-${session}`, data: 'AAAA' } as const;
    const error = await faultOf(port, {
      prompt: [{ role: 'user', content: [file] }],
      headers: { 'x-session-token': session },
    });
    expect(error.code).toBe('TH_MODEL_REQUEST');
    expect(error.message).toContain(wire.url);
    expect(wire.requests).toHaveLength(0);
    expectClean(error);
  });

  it('in a key or a header that cannot be sent', async () => {
    const url = 'http://127.0.0.1:9/v1';
    for (const options of [{ apiKey: `${key}\n` }, { headers: { 'x-session-token': `${session}\r\nx: y` } }]) {
      const error = await resolveModel(model(url), options).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: 'TH_MODEL_INVALID' });
      expectClean(error);
    }
    const { port } = await start([]);
    const error = await faultOf(port, { ...hello, headers: { 'x-session-token': `${session}\n${session}` } });
    expect(error.code).toBe('TH_MODEL_REQUEST');
    expectClean(error);
  });

  it('in the port itself', async () => {
    const { port } = await start([]);
    expect(port.modelId).not.toBe('');
    expectClean(port);
  });

  it('reads no environment: no key, no URL', async () => {
    for (const name of ['OPENAI', 'ANTHROPIC', 'TREBLEHOOK']) {
      vi.stubEnv(`${name}_API_KEY`, 'key-of-the-environment');
      vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:9/trap');
    }
    try {
      const { wire, port } = await start([{ text: 'ok' }], { apiKey: undefined });
      expect((await ask(port)).text).toBe('ok');
      const { headers } = wire.requests[0]!;
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('x-api-key');
    } finally {
      vi.unstubAllEnvs();
    }
  });
}

const leakingFetch: typeof fetch = async (_input, init) => {
  const cause = Object.assign(new Error(`no route for ${JSON.stringify(init?.headers)}`), {
    code: 'ECONNRESET',
    requestBodyValues: init?.body,
    headers: init?.headers,
  });
  throw Object.assign(new TypeError('fetch failed', { cause }), { request: init });
};

const tornBody: typeof fetch = async () => {
  const chunks = [`you sent ${most}`];
  const body = new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.error(new Error('reset'));
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
  });
  return new Response(body, { status: 500 });
};

const leakingBody: typeof fetch = async (_input, init) => {
  const body = new ReadableStream({
    pull: (controller) =>
      controller.error(Object.assign(new Error(`broke: ${JSON.stringify(init?.headers)}`), { init })),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};
