/** What an agent is made of, read and checked; and the same under another personality, or under a parent. */
import { frozen, type AbortFan } from '@treblehook/core';
import {
  ownFields,
  type AgentHooks,
  type HookRegistry,
  type ModelPort,
  type ModelSettings,
  type PersonalityNarrowing,
  type SessionStore,
  type TaskBudget,
  type TaskParent,
  type ToolContext,
} from '@treblehook/types';
import type { ReadAround } from './around.js';
import type { AgentLimits, Answerer, Clock, Ids, Personality, RetryOptions } from './contract.js';
import type { RegisteredTool } from './door/registered-tool.js';
import { toolboxOf, type Toolbox } from './door/toolbox.js';
import type { ReadHooks } from './plain-hooks.js';
import { tighter } from './read-limits.js';
import type { ToolCall } from './calls/tool-call.js';
import { least, type Share } from './run/budget.js';
import type { Entrance } from './run/entrance.js';
import type { MetricSink, Price } from './run/metrics.js';
import type { RunState } from './run/run-state.js';
import type { PricesOf } from './session/child-log.js';
import type { SessionLease } from './session/session-lease.js';

export interface Config {
  readonly name: string;
  /** Of sessions that are its own too. */
  readonly formerNames: readonly string[];
  /** Names of the agents from the root to this one. */
  readonly path: readonly string[];
  /** Of a child: the personalities of the agents above it, from the root. */
  readonly above: readonly string[];
  readonly registry: HookRegistry<AgentHooks>;
  readonly models: ReadonlyMap<string, ModelPort>;
  /** The keys of `models`. */
  readonly modelKeys: readonly string[];
  /** The key that each call starts from. */
  readonly model: string;
  /** All that it was given. */
  readonly tools: readonly RegisteredTool[];
  /** Plugins that have given it tools, to it or to the agent of the task that it is the child of. */
  readonly toolPlugins: ReadonlySet<string>;
  /** Those that the personality may offer. */
  readonly toolbox: Toolbox;
  /** One listener on a caller's signal, however many runs it was given to. */
  readonly aborts: AbortFan;
  readonly personality: ReadPersonality;
  /** By id, those that it may be: the one that it starts as is the first. */
  readonly personalities: ReadonlyMap<string, ReadPersonality>;
  /** The key of a personality that names none. */
  readonly ownModel: string;
  /** Ids of plugins whose guards are asked, beside those of the personality. */
  readonly guards: readonly string[];
  readonly hooks: ReadHooks | undefined;
  readonly around: ReadAround | undefined;
  readonly onMetric: MetricSink | undefined;
  readonly prices: Readonly<Record<string, Price>>;
  readonly store: SessionStore;
  /** Of a store that was not given, and that nobody else can use: drops a session that is closed and that nobody has named. */
  readonly forget: ((sessionId: string) => void) | undefined;
  /** Of a runtime: aborts at the end of its shutdown, when nothing is waited for any more. */
  readonly over: AbortSignal | undefined;
  /** The store was given, and others may have it too: a lease has to be renewed. */
  readonly isShared: boolean;
  /** Leases that this process has, of all agents that share a runtime. */
  readonly leases: Set<SessionLease>;
  readonly answerer: Answerer | undefined;
  readonly maxConcurrentTools: number;
  readonly onAsk: 'deny' | undefined;
  readonly unguarded: string | undefined;
  readonly cwd: string | undefined;
  readonly settings: ModelSettings;
  /** Of a run as the personality. */
  readonly limits: Limits;
  /** Whatever the personality. */
  readonly ownLimits: Limits;
  readonly retry: Required<RetryOptions>;
  readonly maxResultChars: number;
  readonly graceMs: number;
  readonly lockWaitMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  /** What it is for, as an agent that may task it reads it. */
  readonly description: string;
  /** Where runs wait for their turn among those of a runtime. */
  readonly entrance: Entrance | undefined;
  /** Runs the agents that it may task. */
  readonly tasks: TaskPort | undefined;
  /** Of a child: what it shares of its parent's budget, and the call that it is for. */
  readonly share: Share | undefined;
  readonly parent: TaskParent | undefined;
}

/** What the executor knows of tasks. */
export interface TaskPort {
  /** Names of the agents. */
  readonly agents: readonly string[];
  /** By which they are tasked. */
  readonly tool: RegisteredTool;
  /** The body of this call is about to start, with this `ctx`. */
  readonly attach: (ctx: ToolContext, run: RunState, call: ToolCall) => void;
  /** Of the agents of the runtime. */
  readonly pricesOf: PricesOf;
}
export type Limits = { readonly [K in keyof AgentLimits]-?: number | undefined };
/** It inherits nothing. */
export type ReadPersonality = Required<Pick<Personality, 'id' | 'system' | 'plugins'>> &
  Pick<Personality, 'tools' | 'model' | 'limits'>;

/**
 * An agent as another one of its personalities, which may be narrowed: tools, plugins, model and limits are that one's. Guards
 * stay, so a plugin that is narrowed away is silent and its guards are asked all the same.
 */
export function withPersonality(config: Config, personality: ReadPersonality, narrow?: PersonalityNarrowing): Config {
  const { plugins, tools } = ownFields(narrow ?? {});
  const isLeft = (id: string): boolean => plugins?.includes(id) ?? true;
  const left = personality.plugins.filter(isLeft);
  const silenced = personality.plugins.filter((id) => !isLeft(id));
  const less = plugins === undefined ? personality : withPlugins(personality, left);
  const toolbox = toolboxOf(config.tools, less);
  return Object.freeze({
    ...config,
    personality: less,
    model: personality.model ?? config.ownModel,
    limits: tighter(config.ownLimits, personality.limits),
    toolbox: tools === undefined ? toolbox : toolboxOf(toolbox.offered, { plugins: less.plugins, tools }),
    guards: silenced.length === 0 ? config.guards : frozen([...new Set([...config.guards, ...silenced])]),
  });
}

export const withPlugins = (personality: ReadPersonality, plugins: readonly string[]): ReadPersonality =>
  frozen(ownFields({ ...personality, plugins }));

/** What a stage of `subagentSpawning` may decide of a child. */
export interface ChildTerms {
  readonly budget: TaskBudget;
  readonly model: string;
  readonly share: Share;
  readonly call: ToolCall;
  /** It may give tasks itself. */
  readonly mayTask: boolean;
}

/**
 * An agent as the child of a run: tools, plugins and limits are those that both have; the guards are those of both;
 * the parent's store, answerer and setting of asks are its own.
 */
export function childOf(child: Config, { config: parent, sessionId }: RunState, terms: ChildTerms): Config {
  const { budget, model, share, call, mayTask } = terms;
  const { callId } = call.origin;
  const { digest } = call.sealed!;
  const ofParent = parent.personality.plugins;
  const { personality } = child;
  const less = withPlugins(
    personality,
    personality.plugins.filter((id) => ofParent.includes(id)),
  );
  const tools = child.tools.filter((tool) =>
    tool.isRun ? mayTask : parent.toolbox.offered.some((one) => isSameTool(one, tool)),
  );
  const limits = Object.freeze({ ...child.limits, ...least(limitsOf(child.limits), budget) });
  return Object.freeze({
    ...child,
    path: frozen([...parent.path, child.name]),
    above: frozen([...parent.above, parent.personality.id]),
    model,
    tools,
    toolbox: toolboxOf(tools, less),
    personality: less,
    personalities: new Map([[less.id, less]]),
    guards: frozen([...new Set([...parent.guards, ...ofParent, ...child.guards, ...personality.plugins])]),
    limits,
    ownLimits: limits,
    store: parent.store,
    isShared: parent.isShared,
    forget: undefined, // its log is dropped with its parent's
    answerer: parent.answerer,
    onAsk: parent.onAsk ?? child.onAsk,
    unguarded: parent.unguarded === undefined ? undefined : child.unguarded,
    entrance: undefined, // it has its place in its parent's turn
    share,
    parent: frozen({ sessionId, callId, digest, terms: { budget, model } }),
  });
}

const isSameTool = ({ identity: one }: RegisteredTool, { identity: other }: RegisteredTool): boolean =>
  one.source === other.source && one.name === other.name && one.digest === other.digest;

const inTaskBudget: Readonly<Record<keyof TaskBudget, true>> = {
  steps: true,
  toolCalls: true,
  tokens: true,
  cost: true,
  wallMs: true,
};

/** The limits that a task's budget speaks of, without those that are not set. */
export function limitsOf(limits: Limits): TaskBudget {
  const set: { -readonly [K in keyof TaskBudget]: TaskBudget[K] } = {};
  for (const key of Object.keys(inTaskBudget) as (keyof TaskBudget)[]) {
    const limit = limits[key];
    if (limit !== undefined) set[key] = limit;
  }
  return set;
}
