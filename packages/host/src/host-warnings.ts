/** What a host was given and that says nothing: most often a misspelt name. */
import type { Agent } from '@treblehook/agent';
import { compilePolicy } from '@treblehook/plugin-tool-policy';
import { HookError, type AgentHooks, type HookRegistry, type ModelPort, type Tool } from '@treblehook/types';
import type { HostOptions } from './host-options.js';
import { idleBudgets } from './idle-budgets.js';
import { idlePaths } from './idle-paths.js';
import { idleTenants } from './idle-tenants.js';
import { checkTools } from './personality-names.js';
import type { LoadedPersonality } from './personality.js';
import { silentPlugins } from './plugins/order-faults.js';
import { failureOf, type FailedPlugin } from './plugins/plugin-set.js';
import { idleRules, type LoadedLayer } from './policy-file.js';

/** A host as far as its warnings know it. */
export interface HostParts {
  readonly options: HostOptions;
  readonly agent: Agent;
  readonly registry: HookRegistry<AgentHooks>;
  readonly personalities: readonly LoadedPersonality[];
  readonly layers: readonly LoadedLayer[];
  /** The host's and the plugins'. */
  readonly tools: readonly Tool[];
  readonly models: ReadonlyMap<string, ModelPort>;
  readonly pluginIds: readonly string[];
  readonly failed: readonly FailedPlugin[];
}

/** `TH_MATCHES_NOTHING`, each with its place. Throws `TH_CONFIG_INVALID` for a tool that a personality names and that is none. */
export function idleParts(parts: HostParts): readonly HookError[] {
  const { options, agent, registry, personalities, layers, tools, models, failed } = parts;
  const { spareTools = {}, budgets = {}, compaction, routes } = options;
  const named = tools.map(({ source = 'host', name }) => ({ source, name }));
  const { tools: offered } = agent.describe();
  return [
    ...personalities.flatMap((one) =>
      checkTools(
        one,
        named,
        spareTools,
        failed.map(({ id }) => id),
      ),
    ),
    ...layers.flatMap((layer) => idleRules(layer, named, offered, spareTools)),
    ...layers.flatMap((layer) => idlePaths(layer, tools)),
    ...idleBudgets(registry, budgets),
    ...idleTenants({ compaction, routes }, options.name ?? 'agent', [...models.keys(), keyOf(options.model)]),
  ];
}

/** Everything that is told at the start. */
export function warningsOf(parts: HostParts, idle: readonly HookError[]): readonly HookError[] {
  const { personalities, pluginIds, failed } = parts;
  const listed = new Set(personalities.flatMap(({ personality }) => personality.plugins ?? []));
  const who = personalities.map(({ personality }) => personality.id).join("', '");
  return Object.freeze([
    ...idle,
    ...(isUnguarded(parts) ? clearedCalls(parts) : []),
    ...silentPlugins(pluginIds, failed, who, [...listed]),
    ...failed.map(failureOf),
  ]);
}

/** What matches nothing, as one error. */
export function allOf(idle: readonly HookError[]): HookError {
  const [first, ...others] = idle;
  if (others.length === 0) return first!;
  const { what, ...place } = first!.details;
  const all = [what, ...others.map(({ message }) => message)].join('; ');
  return new HookError('TH_MATCHES_NOTHING', { ...place, what: all, faults: idle });
}

/** A policy without rules is silent, and silence clears: that is said, unless the host has said itself that it is meant. */
function isUnguarded({ options, registry, layers, personalities }: HostParts): boolean {
  if (options.policy !== undefined || layers.some(({ policy }) => policy.rules.length > 0)) return false;
  const { plugins = [] } = personalities[0]!.personality;
  return registry.plan('toolPolicy', plugins).filter(({ silenced }) => !silenced).length === 1;
}

function clearedCalls({ agent, tools, layers }: HostParts): readonly HookError[] {
  const safe = new Set(tools.filter(({ concurrency }) => concurrency === 'safe').map(({ name }) => name));
  const { decide } = compilePolicy(layers);
  const names = agent
    .describe()
    .tools.filter((tool) => !safe.has(tool.name) && decide({ tool, args: {} }) === undefined)
    .map(({ name }) => `'${name}'`);
  if (names.length === 0) return [];
  return [new HookError('TH_CALLS_CLEARED', { tools: names.join(', ') })];
}

/** A personality with a model of its own does not make the host's a misspelt one. */
const keyOf = (model: string | ModelPort): string => (typeof model === 'string' ? model : model.modelId);
