/** A handler for node:http: `POST /chat` is a run on the session of its user, told by server-sent events. */
import { text } from 'node:stream/consumers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Agent, AgentEvent } from '@treblehook/agent';
import { isHookError } from '@treblehook/types';

/** What a browser gets to see: no arguments, no results, no errors. */
function told(event: AgentEvent): object | undefined {
  switch (event.type) {
    case 'text-delta':
      return { text: event.text };
    case 'tool-call':
      return { tool: event.name };
    case 'done':
      return { status: event.result.status };
    default:
      return undefined;
  }
}

/** A session queues its runs; one that did not get its turn within `lockWaitMs` has not begun. */
const statusOf = (error: unknown): number => {
  if (!isHookError(error)) return 500;
  return { TH_SESSION_BUSY: 409, TH_OPTION_INVALID: 400 }[error.code as string] ?? 500;
};

export const chatHandler =
  (agent: Agent, userOf: (request: IncomingMessage) => string | undefined) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || request.url !== '/chat') return void response.writeHead(404).end();
    const user = userOf(request);
    if (user === undefined) return void response.writeHead(401).end();

    const left = new AbortController();
    response.once('close', () => left.abort()); // the client is gone, or has it all: a run that is over does not mind
    try {
      const session = agent.session(`user:${user}`);
      for await (const event of session.stream(await text(request), { signal: left.signal })) {
        // the first event says that the run has begun: until then the status is still open
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
        const data = told(event);
        if (data !== undefined) response.write(`event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`);
      }
      response.end();
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const status = statusOf(error);
      if (status === 500) console.error(error);
      response.writeHead(status, status === 409 ? { 'retry-after': '1' } : {}).end();
    }
  };
