/** A stub of an OpenAI-compatible endpoint on loopback: its first reply asks for one tool call, its second is a text. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveModel, type ProviderModel } from '@treblehook/providers';

export interface Stub {
  readonly model: ProviderModel;
  /** What was sent to it, as it came over the wire. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

export async function twoReplies(call: { readonly name: string; readonly args: object }, text: string): Promise<Stub> {
  const toolCall = { index: 0, id: 'call_1', function: { name: call.name, arguments: JSON.stringify(call.args) } };
  const replies = [
    reply({ role: 'assistant', tool_calls: [toolCall] }, 'tool_calls'),
    reply({ role: 'assistant', content: text }, 'stop'),
  ];
  const requests: string[] = [];

  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => send(response, replies[requests.push(body) - 1]),
      (error: Error) => response.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    model: await resolveModel(`openai-compatible:stub@http://127.0.0.1:${port}/v1`),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

function send(response: ServerResponse, events: string | undefined): void {
  if (events === undefined) response.writeHead(400).end('there are two replies, and both are given');
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
}

/** One answer as the events of a chat completion. */
function reply(delta: object, finish_reason: string): string {
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }], usage: { prompt_tokens: 20, completion_tokens: 5 } },
  ].map((chunk) => JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'stub', ...chunk }));
  return [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}
