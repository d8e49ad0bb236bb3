/** The script of a wire server: one reply per request, the same words for every dialect. */

/** A streamed answer. Left out: what it does not have. */
export interface Answer {
  /** One delta each. */
  readonly text?: string | readonly string[];
  readonly reasoning?: { readonly text: string; readonly signature?: string } | { readonly redacted: string };
  readonly calls?: readonly ScriptedCall[];
  /** The wire's own word, such as `length` or `max_tokens`. Default: `stop` or its like, with calls that of calls. */
  readonly finish?: string;
  /** `null`: none is reported, where the dialect allows that. */
  readonly usage?: ScriptedUsage | null;
  /** Reports that come before that one: each is of all that was used so far. */
  readonly earlier?: readonly ScriptedUsage[];
  /** Bytes per write. Default: one event each. */
  readonly chop?: number;
  /** The body ends when this has settled; all events have been sent by then. */
  readonly ends?: Promise<unknown>;
  readonly stop?: Stop;
}
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** A string is taken as the JSON text itself. */
  readonly args: unknown;
}
export interface ScriptedUsage {
  /** All of the prompt, what the cache gave and took included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/**
 * Where and how an answer breaks, in events from its start. `cut`: the socket is destroyed. `end`: the body ends in good
 * order. `hang`: nothing more comes. `garbage`: what is no JSON comes in an event. An object: the dialect's error event.
 */
export interface Stop {
  readonly after: number;
  readonly how: 'cut' | 'end' | 'hang' | 'garbage' | { readonly type: string; readonly message: string };
}

/** An error status. `body` in place of the dialect's error body; `hang`: the body never ends. */
export interface Failure {
  readonly status: number;
  readonly message?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hang?: true;
}

/** A body as it stands, with status 200. */
export interface Raw {
  readonly raw: string;
  readonly type?: string;
  /** The body never ends. */
  readonly hang?: true;
}

/** The socket is destroyed before an answer. */
export interface Drop {
  readonly drop: true;
}

export type Reply = Answer | Failure | Raw | Drop;
export type Script = readonly (Reply | ((request: WireRequest) => Reply | Promise<Reply>))[];

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came. */
  readonly text: string;
  /** The parsed body. */
  readonly body: any;
  /** The client's port: the same for requests on one connection. */
  readonly port: number | undefined;
  /** When the response is over or its socket is closed, whoever did it. */
  readonly closed: Promise<void>;
}

/** What a dialect adds to the server. */
export interface WireDialect {
  readonly path: string;
  readonly keyOf: (headers: WireRequest['headers']) => string | undefined;
  /** The whole answer as SSE events. */
  readonly events: (answer: Answer, request: WireRequest) => string[];
  readonly errorEvent: (type: string, message: string) => string;
  readonly errorBody: (status: number, message: string) => string;
  /** What the real API would refuse in a request. */
  readonly fault: (body: any) => string | undefined;
}

export const words = (text: Answer['text']): readonly string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : text;

/** The JSON text of a call's arguments, in pieces as a stream brings them. */
export function pieces({ args }: ScriptedCall): string[] {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return text.match(/.{1,6}/gsu) ?? [];
}
