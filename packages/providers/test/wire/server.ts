/** An HTTP server on loopback that answers by a script and records what it was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Failure, Reply, Script, WireDialect, WireRequest } from './script.js';

export interface Wire {
  /** The base URL, ending in `/v1`. */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** The request of that number, from 0, as soon as it has come. */
  readonly request: (at: number) => Promise<WireRequest>;
  readonly close: () => Promise<void>;
}

export interface WireOptions {
  /** Requests with another key, or none, are answered 401 with the key in the text, as some servers do. */
  readonly key?: string;
}

export async function serve(dialect: WireDialect, script: Script, { key }: WireOptions = {}): Promise<Wire> {
  const requests: WireRequest[] = [];
  const waiting = new Map<number, (request: WireRequest) => void>();

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    const { method = '', url: path = '', headers } = incoming;
    const port = incoming.socket.remotePort;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const request: WireRequest = { method, path, headers, text, body, port, closed };
    const at = requests.push(request) - 1;
    waiting.get(at)?.(request);
    await send(dialect, await replyTo(request, at), request, response);
  };

  const replyTo = async (request: WireRequest, at: number): Promise<Reply> => {
    if (request.method !== 'POST' || request.path !== dialect.path) {
      return { status: 404, message: `there is nothing at ${request.method} ${request.path}` };
    }
    const given = dialect.keyOf(request.headers);
    if (key !== undefined && given !== key) return { status: 401, message: `wrong API key provided: ${given}` };
    const fault = dialect.fault(request.body);
    if (fault !== undefined) return { status: 400, message: fault };
    const reply = script[at];
    if (reply === undefined) return { status: 500, message: `the script has no reply ${at}` };
    return typeof reply === 'function' ? reply(request) : reply;
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else fail(dialect, { status: 500, message: `the wire server failed: ${String(error)}` }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    request: (at) =>
      new Promise((resolve) => {
        const there = requests[at];
        if (there === undefined) waiting.set(at, resolve);
        else resolve(there);
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function send(dialect: WireDialect, reply: Reply, request: WireRequest, response: ServerResponse): Promise<void> {
  if ('drop' in reply) {
    response.destroy();
  } else if ('raw' in reply) {
    response.writeHead(200, { 'content-type': reply.type ?? 'text/event-stream' });
    if (reply.hang) response.write(reply.raw);
    else response.end(reply.raw);
  } else if ('status' in reply) {
    fail(dialect, reply, response);
  } else {
    await stream(dialect, reply, request, response);
  }
}

function fail(
  dialect: WireDialect,
  { status, message = 'no', body, headers, hang }: Failure,
  response: ServerResponse,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  const text = body ?? dialect.errorBody(status, message);
  if (hang) response.write(text);
  else response.end(text);
}

async function stream(
  dialect: WireDialect,
  answer: Answer,
  request: WireRequest,
  response: ServerResponse,
): Promise<void> {
  const { stop, chop, ends } = answer;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      response.write(bytes, () => resolve());
    });
  for (const event of dialect.events(answer, request).slice(0, stop?.after)) {
    const bytes = Buffer.from(event);
    const step = chop ?? bytes.length;
    for (let at = 0; at < bytes.length && !response.destroyed; at += step) await write(bytes.subarray(at, at + step));
  }
  await ends;
  if (stop === undefined) response.end();
  else if (stop.how === 'cut') response.destroy();
  else if (stop.how === 'end') response.end();
  else if (stop.how === 'garbage') response.end('data: {"this is": no JSON\n\n');
  else if (stop.how !== 'hang') response.end(dialect.errorEvent(stop.how.type, stop.how.message));
}
