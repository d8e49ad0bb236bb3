/** The transport of a server at a URL: streamable HTTP, whose timers and streams end with it. */
import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type RequestId,
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
  /** Those without an answer. */
  readonly #requests = new Map<RequestId, AbortController>();
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
      onmessage: (message: JSONRPCMessage) => this.#take(message),
      onerror: (error: Error) => this.onerror?.(error),
    } satisfies Partial<Transport>);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const given = options as InnerOptions | undefined;
    if (!isJSONRPCRequest(message)) {
      await this.#inner.send(message, given);
      return this.#cancelledBy(message);
    }
    const { id } = message;
    const request = new AbortController();
    this.#requests.set(id, request);
    const onRequestStreamEnd = (): void => {
      // it comes too late for a request that has its answer
      this.#take({ jsonrpc: '2.0', id, error: { code: streamEnded, message: 'its answer broke off' } });
    };
    try {
      await this.#inner.send(message, { ...given, requestSignal: request.signal, onRequestStreamEnd });
    } catch (error) {
      this.#requests.delete(id);
      throw error;
    }
  }

  #take(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#requests.delete(message.id);
    this.onmessage?.(message);
  }

  /** What nobody waits for any more holds no socket. */
  #cancelledBy(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.['requestId'] as RequestId;
    this.#requests.get(id)?.abort();
    this.#requests.delete(id);
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
