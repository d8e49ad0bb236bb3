/** Servers at a URL: what goes where, and what happens when they do not answer as they should. */
import { describe, expect, it } from 'vitest';
import { connectMcp } from '../src/index.js';
import { httpServer, type Handle } from './http-server.js';
import { connect } from './kit.js';

const secret = 'Bearer 6f1ed002ab5595859014ebf0951522d9';
const headers = { authorization: secret };
/** The calls of tools, once each; everything else as it should be. */
const atCall =
  (handle: Handle): Handle =>
  (seen, response) =>
    seen.body?.method === 'tools/call' ? handle(seen, response) : false;

describe('the headers of a server', () => {
  it('go with each request to it, and its session with them', async () => {
    const server = await httpServer();
    const { run, servers } = await connect({ web: { url: `${server.origin}/mcp`, headers } });
    expect(await run('mcp:web/echo', { n: 1 })).toEqual({ output: '{"n":1}', isError: false });
    await servers.close();
    expect(server.seen.every((one) => one.headers.authorization === secret)).toBe(true);
    expect(server.seen.slice(1).every((one) => one.headers['mcp-session-id'] === 'session-1')).toBe(true);
    expect(server.methods()).toEqual(
      expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list', 'tools/call', 'DELETE']),
    );
  });

  it('stand in no description, no notice and no error', async () => {
    const server = await httpServer(
      atCall(({ headers: given }, response) => void response.writeHead(500).end(`no: ${given.authorization}`)),
    );
    const { run, servers, notices } = await connect({ web: { url: server.origin, headers } });
    const result = await run('mcp:web/echo');
    expect(result).toEqual({ isError: true, output: "the MCP server 'web' answered with an error: answered 500" });
    const shown = JSON.stringify([servers, servers.describe(), servers.tools, notices, result]);
    expect(shown).not.toContain('6f1ed002');
    const refused = connectMcp({ web: { url: `${server.origin}/`, headers: { authorization: `${secret}\nx: y` } } });
    await expect(refused).rejects.toThrow(/no header/);
    await expect(refused).rejects.not.toThrow(/6f1ed002/);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('to another origin (%i) is not followed', async (status) => {
    const other = await httpServer();
    const server = await httpServer(
      (_, response) => void response.writeHead(status, { location: `${other.origin}/mcp` }).end(),
    );
    await expect(connectMcp({ web: { url: server.origin, headers } })).rejects.toMatchObject({
      code: 'TH_MCP_FAILED',
      message: expect.stringMatching(/^the MCP server 'web' answered 30\d, a redirect that is not followed/),
    });
    expect(other.seen).toEqual([]);
  });

  it('to another origin in the middle of a session is not followed', async () => {
    const other = await httpServer();
    const server = await httpServer(
      atCall((_, response) => void response.writeHead(307, { location: `${other.origin}/mcp` }).end()),
    );
    const { run } = await connect({ web: { url: server.origin, headers } });
    expect(await run('mcp:web/echo')).toMatchObject({
      isError: true,
      output: expect.stringMatching(/a redirect that is not/),
    });
    expect(other.seen).toEqual([]);
  });

  it('within the origin that keeps the method is followed', async () => {
    const server = await httpServer(({ path }, response) => {
      if (path === '/new') return false;
      response.writeHead(307, { location: '/new' }).end();
      return true;
    });
    const { run } = await connect({ web: { url: `${server.origin}/old`, headers } });
    expect(await run('mcp:web/echo', { n: 1 })).toMatchObject({ isError: false });
  });
});

describe('a server at a URL', () => {
  it('that is not there fails the connection', async () => {
    const { origin } = await httpServer();
    const gone = connectMcp({ web: { url: origin.replace(/:\d+$/, ':1'), headers } });
    await expect(gone).rejects.toMatchObject({
      code: 'TH_MCP_FAILED',
      message: expect.stringMatching(/cannot be reached/),
    });
  });

  it('that hangs is given up on', async () => {
    const server = await httpServer(() => true);
    await expect(
      connectMcp({ web: { url: server.origin } }, { connectTimeoutMs: 300, closeGraceMs: 100 }),
    ).rejects.toThrow(/did not answer within 300 ms/);
  });

  it('that answers with something else is refused', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      return true;
    });
    await expect(connectMcp({ web: { url: server.origin } })).rejects.toThrow(/Unexpected content type: text\/html/);
  });

  it('that knows the session no more is connected again at the next call', async () => {
    let isForgotten = false;
    const server = await httpServer(
      atCall((_, response) => {
        if (!isForgotten) return false;
        isForgotten = false;
        response.writeHead(404).end('no such session');
        return true;
      }),
    );
    const { run, told } = await connect({ web: { url: server.origin } });
    isForgotten = true;
    expect(await run('mcp:web/echo')).toMatchObject({ isError: true, output: expect.stringMatching(/answered 404/) });
    expect(await run('mcp:web/echo', { n: 2 })).toEqual({ isError: false, output: '{"n":2}' });
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
    expect(told('server-failed')).toEqual(['answered 404']);
  });

  it('whose answer breaks off fails the call at once', async () => {
    const server = await httpServer(
      atCall((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(': nothing comes\n\n');
        return true;
      }),
    );
    const { run } = await connect({ web: { url: server.origin } });
    expect(await run('mcp:web/echo')).toEqual({
      isError: true,
      output: "the MCP server 'web' answered with an error: its answer broke off",
    });
  });

  it.each<[string, string, (text: string) => string]>([
    ['as JSON', 'application/json', (text) => text],
    ['as a stream', 'text/event-stream', (text) => `data: ${text}\n\n`],
  ])('that answers too much %s fails the call', async (_, type, frame) => {
    const server = await httpServer(
      atCall(({ body }, response) => {
        response.writeHead(200, { 'content-type': type });
        const content = [{ type: 'text', text: 'x'.repeat(300_000) }];
        response.end(frame(JSON.stringify({ jsonrpc: '2.0', id: body!.id, result: { content } })));
        return true;
      }),
    );
    const { run } = await connect({ web: { url: server.origin } }, { maxMessageBytes: 100_000 });
    expect(await run('mcp:web/echo')).toMatchObject({ isError: true });
  });

  it('may send more than that in one stream, message by message', async () => {
    const server = await httpServer(
      atCall(({ body }, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const note = JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { data: 'x'.repeat(50_000) },
        });
        for (let times = 0; times < 5; times++) response.write(`data: ${note}\r\n\r\n`);
        const result = { content: [{ type: 'text', text: 'whole' }] };
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body!.id, result })}\n\n`);
        return true;
      }),
    );
    const { run } = await connect({ web: { url: server.origin } }, { maxMessageBytes: 100_000 });
    expect(await run('mcp:web/echo')).toEqual({ isError: false, output: 'whole' });
  });

  it('is told when a call is given up on, which then holds no socket', async () => {
    let isClosed = false;
    const server = await httpServer(
      atCall((_, response) => {
        response.on('close', () => (isClosed = true));
        return true;
      }),
    );
    const { run } = await connect({ web: { url: server.origin } }, { callTimeoutMs: 100 });
    expect(await run('mcp:web/echo')).toMatchObject({ isError: true, output: expect.stringMatching(/within 100 ms/) });
    await expect.poll(() => server.methods()).toContain('notifications/cancelled');
    await expect.poll(() => isClosed).toBe(true);
  });

  it('is reached through the fetch that is given, which is asked to follow nothing', async () => {
    const server = await httpServer();
    const asked: unknown[] = [];
    const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => {
      asked.push(init?.redirect);
      return globalThis.fetch(url, init);
    };
    const { run } = await connect({ web: { url: server.origin, fetch } });
    expect(await run('mcp:web/echo')).toMatchObject({ isError: false });
    expect(new Set(asked.filter((redirect) => redirect !== undefined))).toEqual(new Set(['manual']));
  });

  it('closes within the grace, also when nobody answers the farewell', async () => {
    const server = await httpServer(({ method }) => method === 'DELETE');
    const { servers } = await connect({ web: { url: server.origin } }, { closeGraceMs: 100 });
    const began = performance.now();
    await servers.close();
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
