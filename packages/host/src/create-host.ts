/** One agent put together: registry, house tenants, personality, policy, plugins. */
import { createAgent, type Agent, type AgentLimits } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { install as installCompaction } from '@treblehook/plugin-compaction';
import { install as installRouteGate } from '@treblehook/plugin-route-gate';
import { install as installToolPolicy, parsePolicy, unmatchedTools } from '@treblehook/plugin-tool-policy';
import {
  agentHooks,
  givenInline,
  Setting,
  textOf,
  type AgentHooks,
  type HookRegistry,
  type ModelPort,
  type NamesOf,
  type PointDescription,
  type Tool,
} from '@treblehook/types';
import { assertOptions, type HostOptions } from './host-options.js';
import { modelOf } from './models.js';
import { checkNames, loadPersonality, parsePersonality, type LoadedPersonality } from './personality.js';
import { failureOf, registerPlugins, type FailedPlugin } from './plugins.js';
import { loadPolicy } from './policy-file.js';
import { defaultCompaction, defaultRoutes } from './tenant-defaults.js';

export interface Host {
  readonly agent: Agent;
  readonly registry: HookRegistry<AgentHooks>;
  /** Each hook point, with its plan under the personality's allowlist. */
  readonly plan: () => readonly PointDescription[];
  /** Plugins that failed, with what they threw. */
  readonly failed: readonly FailedPlugin[];
  /** Matchers that match nothing, plugins that failed. */
  readonly warnings: readonly string[];
  /** Closes every session. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the registry, installs the tenants `compaction`, `route-gate` and `tool-policy`, then the plugins, then the agent.
 * Nothing is sent. Rejects with `TH_CONFIG_INVALID` (file, line and mend), `TH_MODEL_INVALID`, `TH_OPTION_INVALID`,
 * `TH_ID_TAKEN`, `TH_TOOL_INVALID`, `TH_ROUTE_UNKNOWN`, and with the fault of an order or a lock.
 */
export async function createHost(options: HostOptions): Promise<Host> {
  assertOptions(options);
  const {
    model: _model,
    models: _models,
    modelOptions: _modelOptions,
    personality: who,
    policy: rules,
    plugins = [],
    tools = [],
    compaction,
    routes,
    order,
    locks,
    budgets,
    strict = false,
    onWarning = (warning) => process.emitWarning(warning, 'TreblehookWarning'),
    limits,
    ...agentOptions
  } = options;
  const loaded = await readPersonality(who);
  const policy = typeof rules === 'string' ? await loadPolicy(rules) : parsePolicy(rules ?? { rules: [] });
  const { models, model } = await readModels(options, loaded);
  const { budgets: runBudgets, model: _own, ...personality } = loaded.personality;
  const pluginIds = plugins.map(({ id }) => id);
  // What is no tool at all is refused by the agent, with its place.
  const toolNames = tools.flatMap((tool: Tool | undefined) => tool?.name ?? []);
  const idle = checkNames(loaded, { plugins: pluginIds, tools: toolNames });

  const registry = createHookRegistry(agentHooks, {
    ...(order && { order }),
    ...(locks && { locks }),
    ...(budgets && { budgets }),
    plugins: pluginIds,
  });
  installCompaction(registry, { ...defaultCompaction, ...compaction });
  installRouteGate(registry, routes ?? defaultRoutes([...models.keys()]));
  installToolPolicy(registry, policy);
  const failed = registerPlugins(registry, plugins);
  if (strict && failed[0] !== undefined) throw failed[0].error;
  const agent = createAgent({
    ...agentOptions,
    model,
    models: Object.fromEntries(models),
    tools,
    registry,
    personality,
    limits: tighter(limits, runBudgets),
  });

  const unmatched = unmatchedTools(
    policy,
    toolNames.map((name) => ({ source: 'host', name })),
  ).map(
    ({ rule, glob, near }) =>
      `policy rule ${rule}: '${glob}' matches no tool${near === undefined ? '' : `: did you mean '${near}'?`}`,
  );
  const warnings = Object.freeze([...idle, ...unmatched, ...failed.map(failureOf)]);
  for (const warning of warnings) onWarning(warning);
  const allowlist = personality.plugins ?? [];
  return Object.freeze({
    agent,
    registry,
    plan: () =>
      registry.describe().hooks.map((point) => ({
        ...point,
        plan: registry.plan(point.name as NamesOf<AgentHooks>, allowlist),
      })),
    failed,
    warnings,
    close: () => agent.close(),
  });
}

async function readPersonality(who: HostOptions['personality']): Promise<LoadedPersonality> {
  if (typeof who === 'string') return loadPersonality(who);
  if (who !== undefined && 'locate' in who) {
    return { personality: parsePersonality(who.personality, who.locate), locate: who.locate };
  }
  return { personality: parsePersonality(who ?? { id: 'default' }), locate: givenInline('personality') };
}

/** The models by key, and the key to start from: the personality's, else the host's. */
async function readModels(
  { model, models = {}, modelOptions }: HostOptions,
  { personality, locate }: LoadedPersonality,
): Promise<{ readonly models: ReadonlyMap<string, ModelPort>; readonly model: string | ModelPort }> {
  const all = new Map(Object.entries(models));
  const own = personality.model;
  if (own !== undefined) {
    try {
      all.set(own, await modelOf(own, models, modelOptions));
    } catch (error) {
      new Setting(own, locate, ['model']).refuse(textOf(error));
    }
    return { models: all, model: own };
  }
  // A model without a name stands under its id; the agent refuses another one of that id.
  if (typeof model !== 'string') return { models: new Map([[model.modelId, model], ...all]), model };
  return { models: all.set(model, await modelOf(model, models, modelOptions)), model };
}

/** Of each limit the smaller: a personality can only tighten. */
function tighter(limits: AgentLimits = {}, budgets: AgentLimits = {}): AgentLimits {
  const both: { -readonly [K in keyof AgentLimits]: AgentLimits[K] } = { ...limits };
  for (const key of Object.keys(budgets) as (keyof AgentLimits)[]) {
    both[key] = Math.min(budgets[key] ?? Infinity, limits[key] ?? Infinity);
  }
  return both;
}
