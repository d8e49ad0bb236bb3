/** What `connectMcp` takes and gives. */
import type { Tool } from '@treblehook/types';

/** A server that is a child process and speaks over its standard streams. */
export interface McpStdioServer {
  /** A program, not a line of a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * All that the process gets of the environment, beside `PATH` and `HOME` of this one (on Windows also what no program
   * starts without). Nothing else is handed on.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the folder of this process. */
  readonly cwd?: string;
  /** A failure to connect is a notice, and the server has no tools until a `refresh` succeeds. Default `false`. */
  readonly optional?: boolean;
}

/** A server at a URL that speaks streamable HTTP. */
export interface McpHttpServer {
  /** `http:` or `https:`, without a user and a password. */
  readonly url: string | URL;
  /** Sent with each request to the origin of `url` and nowhere else; they stand in no error, notice or description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the one of the platform. It is asked with `redirect: 'manual'` and must honour that. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** As of a server over stdio. */
  readonly optional?: boolean;
}

export type McpServerSettings = McpStdioServer | McpHttpServer;

export interface McpOptions {
  /** For starting a server, its handshake and the whole list of its tools. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** For one call. Progress does not extend it. Default 120,000. */
  readonly callTimeoutMs?: number;
  /** What a server process gets to end by itself, behind the end of its input and again behind SIGTERM. Default 2,000. */
  readonly closeGraceMs?: number;
  /** After a failure that follows another: `baseMs`, doubled each time, at most `maxMs`. Default 500 and 30,000. */
  readonly backoff?: { readonly baseMs?: number; readonly maxMs?: number };
  /** Tools of one server; those beyond are left out, with a notice. Default 500. */
  readonly maxTools?: number;
  /** Of one message of a server, in bytes; a longer one ends the connection. Default 10 MiB. */
  readonly maxMessageBytes?: number;
  /** Gives up connecting; what was started is ended. It has no effect later. */
  readonly signal?: AbortSignal;
  /**
   * Told what no result tells. Without it, what should be seen to (`tool-refused`, `tools-cut`, `server-failed`,
   * `tools-changed`) is a process warning. What it throws is one, too.
   */
  readonly onNotice?: (notice: McpNotice) => void;
}

/**
 * - `tool-refused`: a tool is left out; `text` says why. The others stay.
 * - `tools-cut`: the server lists more than `maxTools`.
 * - `list-changed`: the server says that its tools have changed. They are listed anew at the next call or `refresh`.
 * - `tools-changed`: a new list differs from the one before; `text` names what is new, gone and changed.
 * - `server-failed`: the connection is lost, or could not be made.
 * - `reconnected`: it stands again.
 * - `garbage`: what a server wrote is no message; told once for each connection.
 * - `request-refused`: a server has asked for something (sampling, elicitation, roots); told once for each method.
 * - `progress`: of a call.
 */
export type McpNoticeKind =
  | 'tool-refused'
  | 'tools-cut'
  | 'list-changed'
  | 'tools-changed'
  | 'server-failed'
  | 'reconnected'
  | 'garbage'
  | 'request-refused'
  | 'progress';

export interface McpNotice {
  readonly kind: McpNoticeKind;
  readonly server: string;
  /** The tool's full name. */
  readonly tool?: string;
  readonly callId?: string;
  readonly text: string;
}

/** What is known of a server: plain data, without settings. */
export interface McpServerDescription {
  readonly name: string;
  /** The source of its tools: `mcp:<name>`. */
  readonly source: `mcp:${string}`;
  readonly state: 'connected' | 'down' | 'closed';
  /** Names of its tools. */
  readonly tools: readonly string[];
  /** What the server says that it is. */
  readonly says?: { readonly name: string; readonly version: string };
  /** What the server says about its use: words of a stranger. */
  readonly instructions?: string;
}

export interface McpServers {
  /**
   * The tools of all servers, as they were listed last; each is one of the agent's once it is given to it. A tool whose
   * definition has changed since, or that is gone, answers each call with an error.
   */
  readonly tools: readonly Tool[];
  readonly describe: () => readonly McpServerDescription[];
  /**
   * Connects what is down, whatever the backoff says, and lists all tools anew. Rejects with `TH_MCP_FAILED` of the first
   * server that fails and is not `optional`; the others are refreshed all the same.
   */
  readonly refresh: () => Promise<void>;
  /** Ends every connection and every server process; open calls are answered with an error. Idempotent. */
  readonly close: () => Promise<void>;
}
