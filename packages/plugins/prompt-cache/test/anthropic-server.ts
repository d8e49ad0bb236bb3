/** A loopback endpoint that speaks Anthropic's messages and has a cache as theirs is: by marked prefixes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AnthropicServer {
  readonly url: string;
  /** Parsed bodies, in order. */
  readonly bodies: any[];
  readonly close: () => Promise<void>;
}

export type Said = string | { readonly tool: string; readonly args: unknown };

/** The blocks of a body in the order of the cache (tools, system, messages), each without its mark. */
export function blocksOf(body: any): { readonly text: string; readonly isMarked: boolean }[] {
  const block = (where: string, { cache_control, ...rest }: any) => ({
    text: `${where} ${JSON.stringify(rest)}`,
    isMarked: cache_control !== undefined,
  });
  return [
    ...(body.tools ?? []).map((tool: any) => block('tool', tool)),
    ...(body.system ?? []).map((part: any) => block('system', part)),
    ...body.messages.flatMap(({ role, content }: any) => content.map((part: any) => block(role, part))),
  ];
}

/** A block counts ten tokens. */
export async function anthropicServer(script: readonly Said[]): Promise<AnthropicServer> {
  const bodies: any[] = [];
  const kept = new Set<string>();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as { model: string };
      const said = script[bodies.length] ?? 'end of script';
      bodies.push(body);
      const blocks = blocksOf(body);
      const prefixes = blocks.flatMap(({ isMarked }, at) =>
        isMarked ? [{ length: at + 1, key: JSON.stringify(blocks.slice(0, at + 1).map((one) => one.text)) }] : [],
      );
      const read = Math.max(0, ...prefixes.filter(({ key }) => kept.has(key)).map(({ length }) => length)) * 10;
      const marked = Math.max(0, ...prefixes.map(({ length }) => length)) * 10;
      for (const { key } of prefixes) kept.add(key);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const usage = {
        input_tokens: blocks.length * 10 - marked,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: marked - read,
        output_tokens: 5,
      };
      for (const event of eventsOf(said, body.model, usage, bodies.length)) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function eventsOf(said: Said, model: string, usage: object, nth: number): readonly { type: string }[] {
  const isText = typeof said === 'string';
  const content_block = isText
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: `toolu_${nth}`, name: said.tool, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: said }
    : { type: 'input_json_delta', partial_json: JSON.stringify(said.args) };
  const message = { id: `msg_${nth}`, type: 'message', role: 'assistant', model, content: [], usage };
  const stop = { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ] as readonly { type: string }[];
}
