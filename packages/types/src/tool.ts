/** Tools: what a host or a plugin registers, and what a request shows of it. */
import type { JsonObject, JsonValue } from './json.js';
import type { Origin } from './origin.js';
import type { HookCaller } from './registrar.js';
import type { Answer, Pending } from './request.js';
import type { StandardSchema } from './standard-schema.js';

/** A tool as a request shows it: no way to run it. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
}

/** Who a tool is. A changed definition is another tool: no grant or clearance carries over. */
export interface ToolIdentity {
  /** `host`, `plugin:<id>` or `mcp:<server>`. */
  readonly source: string;
  readonly name: string;
  /** SHA-256 (hex) of the definition: name, description, input schema, concurrency, paths, commands, urls, annotations. */
  readonly digest: string;
}

/** What a tool says of its arguments, by their names: whoever judges a call need not guess. */
export interface ArgumentKinds {
  /** File paths, relative to the agent's `cwd`; `toolEndWithPath` fires once for each. One called `cwd` is where `commands` run. */
  readonly paths?: readonly string[];
  /** Command lines, as texts or as `{ shell: line }`, or lists of a program and its arguments. */
  readonly commands?: readonly string[];
  /** URLs. */
  readonly urls?: readonly string[];
}

/** The names of the hints, as MCP has them; each is true or false. */
export const toolHints = Object.freeze(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const);

/** What a tool says of itself. Hints, which nothing proves: a rule may be stricter for them, never looser. */
export interface ToolAnnotations {
  /** A name for people. */
  readonly title?: string;
  /** It changes nothing. */
  readonly readOnlyHint?: boolean;
  /** What it changes may be lost. */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean;
  /** It reaches what is outside of its own world, such as the web. */
  readonly openWorldHint?: boolean;
}

/** A tool as guards see it: what it does not declare is not here. */
export interface GuardedTool extends ToolIdentity, ArgumentKinds {
  readonly annotations?: ToolAnnotations;
}

export interface ToolResult {
  readonly output: string;
  readonly isError: boolean;
  readonly metadata?: JsonObject;
}

export interface ToolContext {
  /** Aborts with the run. A body that ignores it is reported as possibly still running. */
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly origin: Origin;
  /**
   * Calls another tool of this agent, as the model would: rewritten, sealed, guarded, told. A refusal is an error result.
   * Rejects with `TH_ARGS_INVALID` for a name that is no text and for arguments that are no plain JSON, and with
   * `TH_DISPOSED` behind the body's end.
   */
  readonly callTool: (name: string, args: JsonValue) => Promise<ToolResult>;
  /**
   * Fires the points that the tool's plugin owns, under the allowlist and the signal of the run in hand; of a tool of the
   * host or of a server there are none. Each member, `hasHandlers` and `generation` too, throws or rejects with
   * `TH_NOT_YOURS` for a point of somebody else, and with `TH_DISPOSED` behind the body's end. Made when it is first read.
   */
  readonly fire: HookCaller<any>;
  /** What was answered to the body's own `pending` request, on the start behind it. */
  readonly answer?: Answer;
}

/** What a body may give. */
export type ToolAnswer = string | ToolResult | Pending;

export interface Tool<Args = any> extends ArgumentKinds {
  readonly name: string;
  readonly description: string;
  /** Any Standard Schema. Its JSON Schema is read from `~standard.jsonSchema`, else from `inputSchema`. */
  readonly input: StandardSchema<any, Args>;
  /** JSON Schema for the model, when the schema library cannot give one. */
  readonly inputSchema?: JsonObject;
  /** Only `'safe'` lets neighbouring calls run together. */
  readonly concurrency?: 'safe' | 'exclusive' | ((args: Args) => 'safe' | 'exclusive');
  /** Shown to the guards, as part of the definition. */
  readonly annotations?: ToolAnnotations;
  /**
   * Whose it is, for a tool that is not the host's own; said by the host, which puts tools together. Of a server: its
   * `name` then begins with this and `/`. Of a plugin, by its id: its `name` stays bare, and it is offered to those
   * personalities alone whose `plugins` have the id.
   */
  readonly source?: `mcp:${string}` | `plugin:${string}`;
  /** A returned string stands for `{ output, isError: false }`. A throw is an error result. `pending(…)` suspends the call. */
  readonly execute: (args: Args, ctx: ToolContext) => ToolAnswer | PromiseLike<ToolAnswer>;
}

/** Spells a tool with its arguments inferred from the schema. It checks nothing: registration does. */
export function defineTool<S extends StandardSchema<any, any>>(
  tool: Omit<Tool, 'input' | 'execute' | 'concurrency'> & {
    readonly input: S;
    readonly concurrency?: 'safe' | 'exclusive' | ((args: Output<S>) => 'safe' | 'exclusive');
    readonly execute: (args: Output<S>, ctx: ToolContext) => ToolAnswer | PromiseLike<ToolAnswer>;
  },
): Tool<Output<S>> {
  return tool;
}
type Output<S> = S extends StandardSchema<any, infer O> ? O : never;
