/** One server over its life: connected, lost, connected again; its tools, and the calls of them. */
import { HookError, isHookError, type Tool, type ToolContext, type ToolResult } from '@treblehook/types';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { Backoff } from './backoff.js';
import { resultOf } from './call-result.js';
import { causeOf, Connection } from './connection.js';
import type { McpNoticeKind, McpServerDescription } from './contract.js';
import type { Definition } from './definition.js';
import { listTools } from './listing.js';
import { failure, type Tell } from './notices.js';
import { changesOf, offeredTools, type OfferedTools } from './offered-tools.js';
import type { ReadOptions, ReadServer } from './read-servers.js';
import { untilAborted } from './until-aborted.js';

export class McpServer {
  readonly name: string;
  readonly source: `mcp:${string}`;
  readonly isOptional: boolean;
  readonly #server: ReadServer;
  readonly #options: ReadOptions;
  readonly #tell: Tell;
  readonly #backoff: Backoff;
  /** Ends what is under way when the server is closed. */
  readonly #end = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #connection: Connection | undefined;
  #tools: OfferedTools = new Map();
  /** Why it is down, as far as it is. */
  #down: string | undefined;
  #wasUp = false;
  /** What was said of the last list: it is not said again of the next. */
  #remarks: ReadonlySet<string> = new Set();
  /** Counts what the server says about changes of its list; `#listed` is the count at the last listing. */
  #changes = 0;
  #listed = -1;
  #opening: Promise<Connection> | undefined;

  constructor(server: ReadServer, options: ReadOptions, tell: Tell) {
    this.name = server.name;
    this.source = `mcp:${server.name}`;
    this.isOptional = server.optional;
    this.#server = server;
    this.#options = options;
    this.#tell = tell;
    this.#backoff = new Backoff(options);
  }

  get tools(): readonly Tool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  describe(): McpServerDescription {
    const { name, source } = this;
    const { says, instructions, isUp = false } = this.#connection ?? {};
    return Object.freeze({
      name,
      source,
      state: this.#end.signal.aborted ? 'closed' : isUp ? 'connected' : 'down',
      tools: Object.freeze(this.tools.map((tool) => tool.name)),
      ...(says === undefined ? {} : { says: Object.freeze({ name: says.name, version: says.version }) }),
      ...(instructions === undefined ? {} : { instructions }),
    });
  }

  /** Connects it if it is down, and lists its tools anew. Rejects with `TH_MCP_FAILED`. */
  async refresh(): Promise<void> {
    const current = this.#opening;
    if (current !== undefined) await current.catch(() => {}); // swallows: it is tried again here
    this.#changes++;
    await this.#ready();
  }

  /** Resolves when nothing is left of it. */
  async close(): Promise<void> {
    this.#end.abort(failure(this.name, 'was closed', undefined, ''));
    this.#drop();
    await this.#opening?.catch(() => {}); // swallows: it was told why it ended
    await Promise.all(this.#closing);
  }

  /** The connection, with a list of tools that the server has not called outdated. One attempt for all who wait. */
  #ready(): Promise<Connection> {
    if (this.#connection?.isUp === true && this.#listed === this.#changes && this.#opening === undefined) {
      return Promise.resolve(this.#connection);
    }
    return (this.#opening ??= this.#bring().finally(() => (this.#opening = undefined)));
  }

  async #bring(): Promise<Connection> {
    const { connectTimeoutMs } = this.#options;
    const timer = new AbortController();
    const timeout = setTimeout(
      () => timer.abort(new Error(`did not answer within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    const signal = AbortSignal.any([this.#end.signal, timer.signal]);
    let connection: Connection | undefined;
    try {
      signal.throwIfAborted();
      connection = this.#connection?.isUp === true ? this.#connection : await this.#connect(signal);
      await untilAborted(this.#list(connection, signal), signal);
      if (!connection.isUp) throw new Error(connection.ended);
      return connection;
    } catch (error) {
      const what: unknown = signal.aborted ? signal.reason : error;
      if (isHookError(what)) throw what; // it was closed
      const text = this.#told(what);
      const why = failure(this.name, text, what, this.#lastTried?.stderr ?? '');
      this.#down = why.message;
      this.#drop();
      this.#backoff.failed();
      if (this.#wasUp || this.isOptional) this.#notice('server-failed', text);
      throw why;
    } finally {
      clearTimeout(timeout);
    }
  }

  /** The last connection that was tried: it has the words of a process that did not live to answer. */
  #lastTried: Connection | undefined;

  async #connect(signal: AbortSignal): Promise<Connection> {
    const connection = new Connection(this.#server, this.#options, {
      onNotice: (kind, text) => this.#notice(kind, text),
      onListChanged: () => {
        if (this.#listed === this.#changes) this.#notice('list-changed', 'says that its tools have changed');
        this.#changes++;
      },
      onDown: (why) => {
        if (this.#connection !== connection || this.#opening !== undefined) return;
        this.#backoff.failed();
        this.#lost(why);
      },
    });
    this.#connection = this.#lastTried = connection;
    await untilAborted(connection.open({ signal, timeout: this.#options.connectTimeoutMs }), signal);
    return connection;
  }

  async #list(connection: Connection, signal: AbortSignal): Promise<void> {
    const { maxTools, connectTimeoutMs } = this.#options;
    const changes = this.#changes;
    const listing = connection.hasTools
      ? await listTools(connection, { maxTools, signal, timeoutMs: connectTimeoutMs })
      : { definitions: [], isCut: false };
    const { tools, remarks } = await offeredTools(this.source, listing, this.#tools, (...call) => this.#call(...call));
    signal.throwIfAborted();
    const before = this.#tools;
    this.#tools = tools;
    this.#listed = changes;
    const told = this.#remarks;
    this.#remarks = new Set(remarks.map(({ tool, text }) => `${tool} ${text}`));
    for (const { kind, tool, text } of remarks) if (!told.has(`${tool} ${text}`)) this.#notice(kind, text, tool);
    if (!this.#wasUp) this.#wasUp = true;
    else {
      const text = changesOf(before, tools);
      if (text !== undefined) this.#notice('tools-changed', text);
      if (this.#down !== undefined) this.#notice('reconnected', 'is connected again');
    }
    this.#down = undefined;
  }

  async #call(definition: Definition, args: unknown, { signal, callId }: ToolContext): Promise<ToolResult> {
    const error = (output: string): ToolResult => ({ output, isError: true });
    const who = `the MCP server '${this.name}'`;
    const { leftMs } = this.#backoff;
    if (this.#connection?.isUp !== true && leftMs > 0) {
      return error(`not called: ${this.#down ?? `${who} is down`}; it may be tried again in ${leftMs} ms`);
    }
    let connection: Connection;
    try {
      connection = await untilAborted(this.#ready(), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      return error(`not called: ${(thrown as HookError).message}`);
    }
    const { name } = definition;
    const now = this.#tools.get(name)?.definition.key;
    if (now === undefined) return error(`not called: ${who} has no tool '${name}' any more`);
    if (now !== definition.key) {
      return error(`not called: ${who} has changed '${name}' since: what it is now was not given to this agent`);
    }
    try {
      const given = await connection.request(
        'tools/call',
        { name, arguments: args },
        {
          signal: AbortSignal.any([signal, this.#end.signal]),
          timeout: this.#options.callTimeoutMs,
          onprogress: (progress) => this.#progress(definition, callId, progress),
        },
      );
      this.#backoff.succeeded();
      return resultOf(given);
    } catch (thrown) {
      signal.throwIfAborted();
      return error(this.#failedCall(connection, thrown));
    }
  }

  /** What a call that has no result says; a server that is gone is told to everybody. */
  #failedCall(connection: Connection, thrown: unknown): string {
    const who = `the MCP server '${this.name}'`;
    const unknown = 'what the call has done is not known';
    if (this.#end.signal.aborted) return `${who} was closed during the call; ${unknown}`;
    if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
      return `${who} did not answer within ${this.#options.callTimeoutMs} ms and was told to stop; ${unknown}`;
    }
    if (!connection.isLostBy(thrown)) return `${who} answered with an error: ${causeOf(thrown)}`;
    if (this.#connection !== connection && !connection.hasEnded) return `${this.#down ?? `${who} is down`}; ${unknown}`;
    const why = connection.isUp ? causeOf(thrown) : connection.ended;
    if (this.#connection === connection && this.#down === undefined) {
      this.#backoff.failed();
      this.#lost(why);
    }
    const { stderr } = connection;
    return `${who} ${why}; ${unknown}${stderr === '' ? '' : `. The end of its stderr: ${stderr}`}`;
  }

  #lost(why: string): void {
    const { stderr = '' } = this.#connection ?? {};
    this.#drop();
    this.#down = failure(this.name, why, undefined, stderr).message;
    this.#notice('server-failed', `${why}${stderr === '' ? '' : `. The end of its stderr: ${stderr}`}`);
  }

  /** Lets go of the connection; what is left of it ends by itself, and `close` waits for that. */
  #drop(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#listed = -1;
    if (connection === undefined) return;
    const closing = connection.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #told(error: unknown): string {
    const { stderr = '' } = this.#lastTried ?? {};
    const why = this.#lastTried?.hasEnded === true ? this.#lastTried.ended : causeOf(error);
    return stderr === '' ? why : `${why}. The end of its stderr: ${stderr}`;
  }

  #progress(
    { name }: Definition,
    callId: string,
    { progress, total, message }: { progress: number; total?: number | undefined; message?: string | undefined },
  ): void {
    const how = total === undefined ? String(progress) : `${progress} of ${total}`;
    const text = typeof message === 'string' ? `${how}: ${message}` : how;
    this.#tell({ kind: 'progress', server: this.name, tool: `${this.source}/${name}`, callId, text });
  }

  #notice(kind: McpNoticeKind, text: string, tool?: string): void {
    if (this.#end.signal.aborted) return;
    this.#tell({ kind, server: this.name, ...(tool === undefined ? {} : { tool }), text });
  }
}
