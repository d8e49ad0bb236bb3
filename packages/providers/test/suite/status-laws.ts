/** Answers that are an error status, and no answer at all. */
import { inspect } from 'node:util';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { resolveModel } from '../../src/index.js';
import { ask, faultOf } from '../exchange.js';
import { key, type Bench } from './bench.js';

export function statusLaws({ start, model, endpoint, overloaded }: Bench): void {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('names a 401, its endpoint and the mend, and does not call it transient', async () => {
    const { wire, port } = await start([], {}, { key: 'another' });
    const error = await faultOf(port);
    expect(error).toMatchObject({ name: 'HookError', code: 'TH_MODEL_HTTP' });
    expect(error.details).toMatchObject({ endpoint: wire.url + endpoint, status: 401, retryable: false });
    expect(error.message).toContain(`${wire.url}${endpoint} answered 401: wrong API key provided`);
    expect(error.message).toContain('(check the API key)');
    expect(wire.requests).toHaveLength(1);
  });

  it('never calls a 400 transient, and carries the provider’s words and body', async () => {
    const { wire, port } = await start([{ status: 400, message: 'prompt is too long: 9 > 8' }]);
    const { code, message, details } = await faultOf(port);
    expect(code).toBe('TH_MODEL_HTTP');
    expect(message).toContain('answered 400: prompt is too long: 9 > 8');
    expect(details).toMatchObject({ status: 400, retryable: false, retryAfterMs: undefined });
    expect(JSON.parse(details.body).error.message).toBe('prompt is too long: 9 > 8');
    expect(wire.requests).toHaveLength(1);
  });

  it('reads Retry-After in seconds', async () => {
    const { wire, port } = await start([{ status: 429, headers: { 'retry-after': '7' } }]);
    expect((await faultOf(port)).details).toMatchObject({ status: 429, retryable: true, retryAfterMs: 7_000 });
    expect(wire.requests).toHaveLength(1);
  });

  it('reads Retry-After as a date, against the clock at receipt', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 12, 0, 0) });
    const { port } = await start([
      { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' } },
      { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' } },
    ]);
    expect((await faultOf(port)).details.retryAfterMs).toBe(30_000);
    expect((await faultOf(port)).details.retryAfterMs).toBe(0);
  });

  it.each(['soon', '-5', '', '7 s'])('takes Retry-After %j for no wait at all', async (value) => {
    const { port } = await start([{ status: 429, headers: { 'retry-after': value } }]);
    expect((await faultOf(port)).details.retryAfterMs).toBeUndefined();
  });

  it.each([408, 409, 429, 500, 502, 503, 504, 529])(
    'calls a %i transient, and does not retry by itself',
    async (status) => {
      const { wire, port } = await start([{ status }, { text: 'ok' }]);
      expect((await faultOf(port)).details).toMatchObject({ status, retryable: true });
      expect(wire.requests).toHaveLength(1);
      expect((await ask(port)).text).toBe('ok');
    },
  );

  it.each([402, 403, 404, 413, 422])('does not call a %i transient', async (status) => {
    const { port } = await start([{ status }]);
    expect((await faultOf(port)).details).toMatchObject({ status, retryable: false });
  });

  it('shows an error body of any kind in one line, and at most 2,000 characters of it', async () => {
    const page = `<html>\n<h1>Bad gateway</h1>${' .'.repeat(5_000)}`;
    const { port } = await start([
      { status: 502, body: page, headers: { 'content-type': 'text/html' } },
      { status: overloaded, body: '' },
      { status: 500, body: '{"detail":"out of memory"}' },
    ]);
    const html = await faultOf(port);
    expect(html.message).toContain('answered 502: <html> <h1>Bad gateway</h1>');
    expect(html.message).not.toContain('\n');
    expect(html.details.body).toBe(page.slice(0, 2_000));
    const empty = await faultOf(port);
    expect(empty.details).toMatchObject({ status: overloaded, body: '', retryable: true });
    expect((await faultOf(port)).message).toContain('answered 500: out of memory');
  });

  it('takes an error body that does not end as far as it came', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { wire, port } = await start([{ status: 503, body: 'going down', hang: true }]);
    const failing = faultOf(port);
    const { closed } = await wire.request(0);
    await vi.waitUntil(() => vi.getTimerCount() > 0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await failing).details).toMatchObject({ status: 503, body: 'going down' });
    await closed;
  });

  it('follows no redirect: the key goes nowhere but where the host said', async () => {
    const other = await start([{ text: 'stolen' }]);
    const { port } = await start([
      { status: 307, body: '', headers: { location: `${other.wire.url}${endpoint}?key=1` } },
    ]);
    const error = await faultOf(port);
    expect(error.details).toMatchObject({ status: 307, retryable: false });
    expect(error.message).toContain(`it redirects to ${other.wire.url}${endpoint}:`);
    expect(error.message).not.toContain('?key=1');
    expect(other.wire.requests).toHaveLength(0);
  });

  it.each([
    ['http://user:secret-word@127.0.0.1/v2?key=1#x', 'http://127.0.0.1/v2:'],
    ['//user:secret-word@127.0.0.1/v2', 'http://127.0.0.1/v2:'],
    ['http://[user:secret-word', undefined],
  ])('says where a redirect leads without the name and the password in it: %s', async (location, shown) => {
    const { port } = await start([{ status: 302, body: '', headers: { location } }]);
    const error = await faultOf(port);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-word');
    if (shown !== undefined) expect(error.message).toContain(`it redirects to ${shown}`);
  });

  it('names the endpoint of a refused connection', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    const error = await faultOf(await resolveModel(model(url), { apiKey: key }));
    expect(error.code).toBe('TH_MODEL_UNREACHABLE');
    expect(error.details).toMatchObject({ endpoint: url + endpoint, retryable: true });
    expect(error.message).toBe(
      `${url}${endpoint} cannot be reached: the connection was refused: is the server running there? (ECONNREFUSED)`,
    );
  });

  it('says of a port that fetch itself refuses that no attempt will do', async () => {
    const error = await faultOf(await resolveModel(model('http://127.0.0.1:9/v1'), { apiKey: key }));
    expect(error.code).toBe('TH_MODEL_UNREACHABLE');
    expect(error.details).toMatchObject({ retryable: false });
    expect(error.message).toContain('bad port');
  });

  it('names a host that does not exist', async () => {
    const error = await faultOf(await resolveModel(model('http://nowhere.invalid/v1'), { apiKey: key }));
    expect(error.code).toBe('TH_MODEL_UNREACHABLE');
    expect(error.message).toContain('http://nowhere.invalid/v1');
    expect(error.message).toMatch(/host name/);
  });

  it('tells a connection that was reset before an answer from a broken answer', async () => {
    const { wire, port } = await start([{ drop: true }]);
    const error = await faultOf(port);
    expect(error.code).toBe('TH_MODEL_UNREACHABLE');
    expect(error.details).toMatchObject({ endpoint: wire.url + endpoint, retryable: true });
    expect(error.message).toContain('the connection was closed before an answer came');
    expect(wire.requests).toHaveLength(1);
  });
}

/** A port of loopback on which nobody listens any more. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
