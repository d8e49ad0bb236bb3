/** The transport of a server at a URL: streamable HTTP, whose timers and streams end with it. */
import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { cappedFetch } from './capped-fetch.js';
import { closedHere, type TransportLimits } from './child-transport.js';
import type { ReadServer } from './read-servers.js';

/** The same options, in a type that does not know of `undefined`. */
type InnerOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** For an event stream that breaks off; a call whose stream cannot be taken up again fails. */
const reconnection = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};
/** JSON-RPC leaves this range to implementations. */
const streamEnded = -32_000;

export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly hasPerRequestStream = true;
  readonly stderr = '';
  ended: string | undefined;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #graceMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #closing: Promise<void> | undefined;

  constructor(
    { url, headers = {}, fetch = globalThis.fetch }: NonNullable<ReadServer['http']>,
    limits: TransportLimits,
  ) {
    this.#graceMs = limits.closeGraceMs;
    this.#inner = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: cappedFetch((to, init) => fetch(to, init), limits.maxMessageBytes),
      redirectPolicy: 'same-origin',
      reconnectionOptions: reconnection,
      reconnectionScheduler: (reconnect, delay) => this.#later(reconnect, delay),
    });
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) => this.onmessage?.(message),
      onerror: (error: Error) => this.onerror?.(error),
    } satisfies Partial<Transport>);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const given = options as InnerOptions | undefined;
    if (!isJSONRPCRequest(message)) return this.#inner.send(message, given);
    const { id } = message;
    const onRequestStreamEnd = (): void => {
      // it comes too late for a request that has its answer
      const error = { code: streamEnded, message: 'its answer broke off' };
      this.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return this.#inner.send(message, { ...given, onRequestStreamEnd });
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  /** The server is told that the session is over, as far as it listens within the grace. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.ended ??= closedHere;
    this.onclose?.();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#graceMs)));
    await Promise.race([this.#inner.terminateSession().catch(() => {}), grace]); // swallows that nobody listens
    clearTimeout(timer);
    for (const one of this.#timers) clearTimeout(one);
    this.#timers.clear();
    await this.#inner.close();
  }

  #later(run: () => void, delayMs: number): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.ended === undefined) run();
    }, delayMs);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }
}
