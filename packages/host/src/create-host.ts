/** One agent put together: registry, house tenants, personality, policy, plugins. */
import { createAgent, defaultPersonality, type Agent, type AgentLimits, type AgentOptions } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { install as installCompaction } from '@treblehook/plugin-compaction';
import { install as installRouteGate } from '@treblehook/plugin-route-gate';
import { compilePolicy, install as installToolPolicy } from '@treblehook/plugin-tool-policy';
import {
  agentHooks,
  givenInline,
  HookError,
  ownFields,
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
import { idleBudgets } from './idle-budgets.js';
import { idlePaths } from './idle-paths.js';
import { idleTenants } from './idle-tenants.js';
import { modelOf } from './models.js';
import {
  checkNames,
  loadPersonality,
  parsePersonality,
  type HostPersonality,
  type LoadedPersonality,
  type PersonalityBudgets,
} from './personality.js';
import { assertOrder, assertSeats, failureOf, registerPlugins, silentPlugins, type FailedPlugin } from './plugins.js';
import { idleRules, readLayers, type LoadedLayer } from './policy-file.js';
import { defaultCompaction, defaultRoutes } from './tenant-defaults.js';

export interface Host {
  readonly agent: Agent;
  readonly registry: HookRegistry<AgentHooks>;
  /** Each hook point, or the one of that name (else `TH_UNKNOWN_HOOK`), with its plan under the personality's allowlist. */
  readonly plan: (hook?: NamesOf<AgentHooks>) => readonly PointDescription[];
  /** Plugins that failed, with what they threw. */
  readonly failed: readonly FailedPlugin[];
  /** Matchers that match nothing, plugins that failed or are silent, tools that nothing guards. */
  readonly warnings: readonly HookError[];
  /** Closes every session. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the registry, installs the tenants `compaction`, `route-gate` and `tool-policy`, then the plugins, then the agent.
 * Nothing is sent. Rejects with `TH_CONFIG_INVALID` (file, line and mend), `TH_MODEL_INVALID`, `TH_OPTION_INVALID`,
 * `TH_ID_TAKEN`, `TH_TOOL_INVALID`, `TH_ROUTE_UNKNOWN`, and with the fault of an order or a lock; with `strict: true` also
 * with `TH_MATCHES_NOTHING` and with what a plugin threw.
 */
export async function createHost(given: HostOptions): Promise<Host> {
  assertOptions(given);
  const options = ownFields(given);
  const {
    model: _model,
    models: _models,
    modelOptions: _modelOptions,
    personality: who,
    policy: rules,
    defaultPolicy,
    projectPolicy,
    onDryRun,
    plugins = [],
    tools = [],
    compaction,
    routes,
    order,
    locks,
    budgets,
    strict = false,
    spareTools = {},
    onWarning = ({ message, code }) => process.emitWarning(message, { type: 'TreblehookWarning', code }),
    limits,
    ...agentOptions
  } = options;
  const loaded = await readPersonality(who);
  assertSeats(plugins, order);
  const { models, model } = await readModels(options, loaded);
  const { prices } = agentOptions;
  const running = {
    model,
    models: Object.fromEntries(models),
    ...(limits && { limits }),
    ...(prices && { prices }),
  };
  const { budgets: runBudgets, policy: personalityPolicy, model: _own, ...rest } = loaded.personality;
  const layers = await readLayers({ policy: rules, defaultPolicy, projectPolicy, personalityPolicy });
  const personality = ownFields(rest);
  const pluginIds = plugins.map(({ id }) => id);
  // What is no tool at all is refused by the agent, with its place.
  const toolNames = tools.flatMap((tool: Tool | undefined) => tool?.name ?? []);
  const idleGlobs = checkNames(loaded, { plugins: pluginIds, tools: toolNames, spare: spareTools });

  const registry = createHookRegistry(agentHooks, {
    ...(order && { order }),
    ...(locks && { locks }),
    ...(budgets && { budgets }),
    plugins: pluginIds,
  });
  installCompaction(registry, { ...defaultCompaction, ...compaction });
  installRouteGate(registry, routes ?? defaultRoutes([...models.keys()]));
  const { cwd } = agentOptions;
  installToolPolicy(registry, layers, ownFields({ ...(cwd && { cwd }), ...(onDryRun && { onDryRun }) }));
  const failed = registerPlugins(registry, plugins);
  if (strict && failed[0] !== undefined) throw failed[0].error;
  assertOrder(registry, pluginIds, failed);
  const agent = createAgent(
    ownFields({
      ...agentOptions,
      ...running,
      tools,
      registry,
      personality,
      ...(runBudgets && { limits: tighter(running, runBudgets) }),
    }),
  );

  const allowlist = personality.plugins ?? [];
  const guards = registry.plan('toolPolicy', allowlist).filter(({ silenced }) => !silenced);
  const named = tools.map(({ source, name }: Tool) => ({ source: source ?? 'host', name }));
  const idle = [
    ...idleGlobs,
    ...layers.flatMap((layer) => idleRules(layer, named, agent.describe().tools, spareTools)),
    ...layers.flatMap((layer) => idlePaths(layer, tools)),
    ...idleBudgets(registry, budgets ?? {}),
    ...idleTenants({ compaction, routes }, agentOptions.name ?? 'agent', [...models.keys(), keyOf(options.model)]),
  ];
  if (strict && idle.length > 0) throw allOf(idle);
  const warnings = Object.freeze([
    ...idle,
    ...(layers.every(({ policy }) => policy.rules.length === 0) && rules === undefined && guards.length === 1
      ? unguarded(agent, tools, layers)
      : []),
    ...silentPlugins(pluginIds, failed, personality.id, allowlist),
    ...failed.map(failureOf),
  ]);
  for (const warning of warnings) onWarning(warning);
  return Object.freeze({
    agent,
    registry,
    plan: (hook?: NamesOf<AgentHooks>) => {
      if (hook !== undefined) registry.plan(hook); // refuses a name that is no point
      return registry.describe().hooks.flatMap((point) => {
        if (hook !== undefined && point.name !== hook) return [];
        return [{ ...point, plan: registry.plan(point.name as NamesOf<AgentHooks>, allowlist) }];
      });
    },
    failed,
    warnings,
    close: () => agent.close(),
  });
}

async function readPersonality(who: HostOptions['personality']): Promise<LoadedPersonality> {
  if (typeof who === 'string') return loadPersonality(who);
  if (who !== undefined && isLoaded(who)) {
    return { personality: parsePersonality(who.personality, who.locate), locate: who.locate };
  }
  return { personality: parsePersonality(who ?? defaultPersonality), locate: givenInline('personality') };
}

/** What matches nothing, as one error. */
function allOf(idle: readonly HookError[]): HookError {
  const [first, ...others] = idle;
  if (others.length === 0) return first!;
  const { what, ...place } = first!.details;
  const all = [what, ...others.map(({ message }) => message)].join('; ');
  return new HookError('TH_MATCHES_NOTHING', { ...place, what: all, faults: idle });
}

const isLoaded = (who: HostPersonality | LoadedPersonality): who is LoadedPersonality => Object.hasOwn(who, 'locate');

/** A policy without rules is silent, and silence clears: that is said, unless the host has said itself that it is meant. */
function unguarded(agent: Agent, tools: readonly Tool[], layers: readonly LoadedLayer[]): readonly HookError[] {
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

/** The models by key, and the key to start from: the personality's, else the host's. */
async function readModels(
  { model, models = {}, modelOptions }: HostOptions,
  { personality, locate }: LoadedPersonality,
): Promise<{ readonly models: ReadonlyMap<string, ModelPort>; readonly model: string | ModelPort }> {
  const all = new Map(Object.entries(models));
  const own = personality.model;
  if (own !== undefined) {
    try {
      all.set(own, await modelOf(own, models, 'personality', modelOptions));
    } catch (error) {
      new Setting(own, locate, ['model']).refuse(textOf(error));
    }
    return { models: all, model: own };
  }
  // A model without a name stands under its id; the agent refuses another one of that id.
  if (typeof model !== 'string') return { models: new Map([[model.modelId, model], ...all]), model };
  return { models: all.set(model, await modelOf(model, models, 'host', modelOptions)), model };
}

/** Of each limit the smaller: a personality can only tighten, and what the agent's own default allows is no exception. */
function tighter(
  given: Pick<AgentOptions, 'model' | 'models' | 'limits' | 'prices'>,
  budgets: PersonalityBudgets,
): AgentLimits {
  // An agent of these limits alone says what holds without the personality; it is never run.
  const bare = createAgent({ ...given, registry: createHookRegistry(agentHooks) }).describe().limits;
  const both: { -readonly [K in keyof AgentLimits]: AgentLimits[K] } = ownFields(bare as AgentLimits);
  for (const key of Object.keys(budgets) as (keyof PersonalityBudgets)[]) {
    both[key] = Math.min(budgets[key] ?? Infinity, both[key] ?? Infinity);
  }
  return both;
}
