/** The shape of a policy. It can deny and ask; there is no allow. */
import type { ToolAnnotations } from '@treblehook/types';
import type { HostTest } from './hosts/host-test.js';
import type { CommandTest } from './commands/command-test.js';
import type { PathTest } from './paths/path-test.js';
import type { Predicate } from './predicate.js';

/** Rules, or a word on the tools that no rule names, or both. */
export type Policy = PolicyParts & (Required<Pick<PolicyParts, 'rules'>> | Required<Pick<PolicyParts, 'unlisted'>>);

/** A policy as it was read: with rules, if only an empty list of them. */
export type ReadPolicy = PolicyParts & Required<Pick<PolicyParts, 'rules'>>;

export interface PolicyParts {
  /** In no order: the strictest of those that match wins. Default: none. */
  readonly rules?: readonly Rule[];
  /**
   * What happens to tools that no rule names (a bare `*` names none): one word for all, or one for each source: `host`,
   * `plugin`, `mcp`, or one of them (`plugin:acme`, `mcp:files`), which goes before its kind. Default: `ask` for plugins'
   * and for MCP tools, `silent` for the host's own.
   */
  readonly unlisted?: Unlisted | { readonly [S in ToolSource]?: Unlisted };
  /** What happens when it cannot be told whether a rule matches: a command that cannot be read, a path that leads in circles. Default: `deny`. */
  readonly unknown?: 'deny' | 'ask';
  /** `dry-run`: it decides nothing, and tells what it would have said. Default: `enforce`. */
  readonly mode?: 'enforce' | 'dry-run';
}

/** Where tools come from: the host, plugins, servers of MCP; with a name behind it, one plugin or one server. */
export type ToolSource = 'host' | 'plugin' | 'mcp' | `plugin:${string}` | `mcp:${string}`;

export type Unlisted = 'deny' | 'ask' | 'silent';

/** A rule matches a call when everything that it says holds. */
export interface Rule {
  /** Names the rule in verdicts; without one it is `#<position>`, counted from 1. */
  readonly id?: string;
  /** Name globs: of a tool's name, or of its source and name (`mcp:files/read`, `plugin:acme/*`). */
  readonly tools: string | readonly string[];
  /** Globs over the ids of personalities. Left out: each. */
  readonly personalities?: string | readonly string[];
  /** JSON pointer (RFC 6901) into the sealed arguments → predicate. */
  readonly when?: Readonly<Record<string, Predicate>>;
  /** Of a path that the call names: an argument that its tool declares as one, or one in a command. */
  readonly paths?: PathTest;
  /** Of a URL that the call names: an argument that its tool declares as one, or one in a command. */
  readonly hosts?: HostTest;
  /** Of a simple command in an argument that the tool declares as a command. */
  readonly commands?: CommandTest;
  /** What the tool says of itself, by the names of MCP; what it does not say counts as MCP's default. */
  readonly annotations?: ToolAnnotations;
  /** There is no allow: what no rule names is left to `unlisted` and to the other guards. */
  readonly decision: 'deny' | 'ask';
  /** Told to the model (`deny`) or asked of a person (`ask`). */
  readonly reason: string;
  /** `deny` only: the run ends after this call's result. */
  readonly halt?: true;
}
