/** A server of streamable HTTP on the loopback, in this process, that does what its plan says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './kit.js';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly id?: number; readonly method?: string; readonly params?: unknown } | undefined;
}

/** Answers a request, or gives `false` for the plain answer. */
export type Handle = (seen: Seen, response: ServerResponse) => boolean | void;

export interface HttpServer {
  readonly origin: string;
  readonly seen: Seen[];
  /** JSON-RPC methods, in the order in which they came. */
  readonly methods: () => string[];
}

export async function httpServer(handle: Handle = () => false): Promise<HttpServer> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const one: Seen = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: text === '' ? undefined : (JSON.parse(text) as Seen['body']),
      };
      seen.push(one);
      if (handle(one, response) === false) plain(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    methods: () => seen.map(({ method, body }) => body?.method ?? method),
  };
}

function reply(response: ServerResponse, id: number | undefined, result: unknown, headers = {}): true {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  return true;
}

function plain({ method, body }: Seen, response: ServerResponse): void {
  if (method !== 'POST') return void response.writeHead(method === 'GET' ? 405 : 200).end();
  const { id, method: asked, params } = body ?? {};
  if (id === undefined) return void response.writeHead(202).end();
  if (asked === 'initialize') {
    const { protocolVersion } = params as { readonly protocolVersion: string };
    const serverInfo = { name: 'http', version: '1' };
    return void reply(
      response,
      id,
      { protocolVersion, capabilities: { tools: {} }, serverInfo },
      { 'mcp-session-id': 'session-1' },
    );
  }
  if (asked === 'tools/list')
    return void reply(response, id, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  const { arguments: args } = params as { readonly arguments: unknown };
  return void reply(response, id, { content: [{ type: 'text', text: JSON.stringify(args) }] });
}
