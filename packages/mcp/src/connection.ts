/** One connection to a server, from its handshake to its end. */
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  type Request,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { textOf, type StandardSchema } from '@treblehook/types';
import { ChildTransport, closedHere } from './child-transport.js';
import type { McpNoticeKind } from './contract.js';
import { HttpTransport } from './http-transport.js';
import type { ReadOptions, ReadServer } from './read-servers.js';

/** Of what a server or its client says of a failure. */
const maxCauseChars = 1_000;

/** Results are read here, field by field: one bad tool of a list would else be the fault of the whole list. */
const unread: StandardSchema<unknown> = {
  '~standard': { version: 1, vendor: 'treblehook', validate: (value) => ({ value }) },
};

export interface ConnectionEvents {
  readonly onNotice: (kind: McpNoticeKind, text: string) => void;
  /** The server says that its tools have changed. */
  readonly onListChanged: () => void;
  /** It is over, and nobody has closed it. */
  readonly onDown: (why: string) => void;
}

export class Connection {
  readonly #client: Client;
  readonly #transport: ChildTransport | HttpTransport;
  readonly #events: ConnectionEvents;
  readonly #told = new Set<string>();
  #isClosing = false;

  constructor(server: ReadServer, options: ReadOptions, events: ConnectionEvents) {
    this.#events = events;
    this.#transport =
      server.stdio === undefined ? new HttpTransport(server.http, options) : new ChildTransport(server.stdio, options);
    if (this.#transport instanceof ChildTransport) this.#transport.ongarbage = (line) => this.#garbage(line);
    this.#client = new Client({ name: 'treblehook', version: '0' }, { capabilities: {} });
    Object.assign(this.#client, {
      onclose: () => {
        if (!this.#isClosing) events.onDown(this.ended);
      },
      onerror: () => {}, // swallows what a server does beside its answers; what matters fails a call
      fallbackRequestHandler: ({ method }: Request) => Promise.reject(this.#refused(method)),
    } satisfies Partial<Client>);
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => events.onListChanged());
  }

  /** The handshake. Rejects when the server does not take part in it; the connection is then closed by its owner. */
  open(options: RequestOptions): Promise<void> {
    return this.#client.connect(this.#transport, options);
  }

  get isUp(): boolean {
    return this.#transport.ended === undefined;
  }

  /** Why it is over. */
  get ended(): string {
    return this.#transport.ended ?? 'is connected';
  }

  /** It has ended by itself: that says more than what the client makes of it. */
  get hasEnded(): boolean {
    return !this.isUp && this.ended !== closedHere;
  }

  get stderr(): string {
    return this.#transport.stderr;
  }

  get says(): { readonly name: string; readonly version: string } | undefined {
    const { name, version } = this.#client.getServerVersion() ?? {};
    return name === undefined || version === undefined ? undefined : { name, version };
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  get hasTools(): boolean {
    return this.#client.getServerCapabilities()?.tools !== undefined;
  }

  /** The result as the server sent it. */
  request(method: string, params: Record<string, unknown>, options: RequestOptions): Promise<unknown> {
    return this.#client.request({ method, params }, unread, options);
  }

  /** A failure that shows that the server is not there any more, or knows this session no more. */
  isLostBy(error: unknown): boolean {
    if (!this.isUp) return true;
    if (this.#transport instanceof ChildTransport) return false;
    if (error instanceof SdkHttpError) return error.status === 404 || error.status === 410;
    return error instanceof TypeError; // what a fetch that reached nobody throws
  }

  /** Resolves when nothing is left of it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#transport.close();
  }

  #garbage(line: string): void {
    if (this.#told.has('')) return;
    this.#told.add('');
    this.#events.onNotice(
      'garbage',
      `wrote what is no message, which is passed over: ${JSON.stringify(line.slice(0, 200))}`,
    );
  }

  #refused(method: string): Error {
    if (!this.#told.has(method) && this.#told.size < 20) {
      this.#told.add(method);
      this.#events.onNotice('request-refused', `asked for '${method}', which is refused`);
    }
    return new ProtocolError(ProtocolErrorCode.MethodNotFound, `this client answers no '${method}'`);
  }
}

/** What a failure says, in words that carry no header and no body of an answer. */
export function causeOf(error: unknown): string {
  if (error instanceof SdkHttpError) {
    const redirect = /Redirect (?:to|from) .* not followed/.test(textOf(error));
    return redirect ? `answered ${error.status}, a redirect that is not followed` : `answered ${error.status}`;
  }
  if (error instanceof TypeError && error.cause !== undefined) return `cannot be reached: ${textOf(error.cause)}`;
  return textOf(error).replaceAll(/\s+/g, ' ').slice(0, maxCauseChars);
}
