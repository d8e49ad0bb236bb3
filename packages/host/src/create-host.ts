/** One agent put together: registry, house tenants, personalities, policy, plugins. */
import { createAgent, type Agent } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { install as installCompaction } from '@treblehook/plugin-compaction';
import { install as installRouteGate } from '@treblehook/plugin-route-gate';
import {
  HookError,
  ownFields,
  type AgentHooks,
  type HookRegistry,
  type NamesOf,
  type Plugin,
  type PointDescription,
  type Tool,
} from '@treblehook/types';
import { assertOptions, type HostOptions } from './host-options.js';
import {
  agentPersonality,
  assertModels,
  readHostPersonalities,
  readModels,
  rereadPersonalities,
} from './host-personalities.js';
import { allOf, idleParts, warningsOf, type HostParts } from './host-warnings.js';
import { HostPolicy } from './host-policy.js';
import { checkPlugins } from './personality-names.js';
import { assertOrder } from './plugins/order-faults.js';
import type { PluginLogEntry } from './plugins/plugin-api.js';
import { catalogueOf, PluginSet, type FailedPlugin } from './plugins/plugin-set.js';
import { assertSeats, readNextUse, readUses, type PluginUse } from './plugins/plugin-use.js';
import { defaultCompaction, defaultRoutes } from './tenant-defaults.js';
import { watchFiles } from './watch-files.js';

export interface Host {
  readonly agent: Agent;
  readonly registry: HookRegistry<AgentHooks>;
  /** Each hook point, or the one of that name (else `TH_UNKNOWN_HOOK`), with its plan under the first personality's allowlist. */
  readonly plan: (hook?: NamesOf<AgentHooks>) => readonly PointDescription[];
  /** Ids of the plugins that stand, in their order. */
  readonly plugins: readonly string[];
  /** Plugins that failed, with what they threw. */
  readonly failed: readonly FailedPlugin[];
  /** Matchers that match nothing, plugins that failed or are silent, tools that nothing guards. */
  readonly warnings: readonly HookError[];
  /**
   * Sets up another edition of a plugin, then puts it in the place of the one that stands in one step: a fire sees the old
   * handlers or the new, a run has the tools that it began with, the seat is kept, and so are the settings and what is
   * declared unless others are given with it. What the old one gave to `onDispose` is
   * called when the last run that began before is over. Rejects with what failed, and then the old one stands;
   * `TH_OPTION_INVALID` for a plugin that this host was not given.
   */
  readonly reload: (next: Plugin | PluginUse) => Promise<void>;
  /**
   * Reads the files of personalities again, and the policies that they name: the next run is of the new, the guards ask the
   * new policy at once; what matches nothing is told, as at the start. The operator's own policy is not read again. Rejects
   * with `TH_CONFIG_INVALID`, with `strict` also with `TH_MATCHES_NOTHING`, and then nothing has changed.
   */
  readonly refresh: () => Promise<void>;
  /** Closes every session, then takes the plugins away. Idempotent. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the registry, installs the tenants `compaction`, `route-gate` and `tool-policy`, then the plugins, then the agent.
 * Nothing is sent. Rejects with `TH_CONFIG_INVALID` (file, line and mend), `TH_MODEL_INVALID`, `TH_OPTION_INVALID`,
 * `TH_ID_TAKEN`, `TH_TOOL_INVALID`, `TH_ROUTE_UNKNOWN`, and with the fault of an order or a lock; with `strict: true` also
 * with `TH_MATCHES_NOTHING` and with what a plugin threw. What a plugin did until then is taken back.
 */
export async function createHost(given: HostOptions): Promise<Host> {
  assertOptions(given);
  const options = ownFields(given);
  const { tools = [], order, locks, budgets, compaction, routes, strict = false } = options;
  const onWarning = options.onWarning ?? toProcess;
  let personalities = await readHostPersonalities(options);
  const uses = readUses(options.plugins ?? []);
  const pluginIds = uses.map(({ id }) => id);
  const standing = new Map(uses.map((use) => [use.id, use]));
  assertSeats(uses, order);
  for (const one of personalities) checkPlugins(one, pluginIds);
  const { models, model } = await readModels(options, personalities);

  const { catalogue, failed: unmet } = catalogueOf(uses);
  const registry = createHookRegistry(catalogue as AgentHooks, {
    ...(order && { order }),
    ...(locks && { locks }),
    ...(budgets && { budgets }),
    plugins: pluginIds,
  });
  installCompaction(registry, { ...defaultCompaction, ...compaction });
  installRouteGate(registry, routes ?? defaultRoutes([...models.keys()]));
  const policy = await HostPolicy.install(registry, options, personalities);
  const set = new PluginSet({
    registry,
    // what is no tool at all is refused by the agent, with its place
    toolNames: new Set(tools.flatMap((tool: Tool | undefined) => tool?.name ?? [])),
    onLog: options.onLog ?? ((entry) => told(entry, onWarning)),
    onFault: onWarning,
    setupMs: 10_000,
    disposeMs: 1000,
    ...options.pluginTimes,
  });
  await set.start(uses, unmet);
  try {
    const { failed } = set;
    if (strict && failed[0] !== undefined) throw failed[0].error;
    assertOrder(registry, pluginIds, failed);
    const agent = createAgent(
      ownFields({
        ...agentOptionsOf(options),
        model,
        models: Object.fromEntries(models),
        tools: [...tools, ...set.tools],
        registry,
        personality: agentPersonality(personalities[0]!),
        personalities: personalities.slice(1).map(agentPersonality),
      }),
    );
    const partsNow = (): HostParts => ({
      options,
      agent,
      registry,
      personalities,
      models,
      pluginIds,
      layers: policy.layers,
      tools: [...tools, ...set.tools],
      failed: set.failed,
    });
    const idle = idleParts(partsNow());
    if (strict && idle.length > 0) throw allOf(idle);
    const warnings = warningsOf(partsNow(), idle);
    for (const warning of warnings) onWarning(warning);

    const refreshNow = async (): Promise<void> => {
      const next = await rereadPersonalities(personalities);
      for (const one of next) checkPlugins(one, pluginIds);
      assertModels(next, models);
      const { layers, swap } = await policy.prepare(next);
      // what is said of them at the start is said of them now
      const parts: HostParts = { ...partsNow(), personalities: next, layers };
      const found = idleParts(parts);
      if (strict && found.length > 0) throw allOf(found);
      const [first, ...others] = next.map(agentPersonality);
      void agent.update({ personality: first!, personalities: others });
      swap();
      for (const warning of warningsOf(parts, found)) {
        if (!warnings.some(({ message }) => message === warning.message)) onWarning(warning);
      }
      personalities = next;
    };
    let refreshed: Promise<void> = Promise.resolve();
    // one after another: what was read first must not come into force last
    const refresh = (): Promise<void> => (refreshed = refreshed.catch(() => {}).then(refreshNow));
    const unwatch =
      options.watch === true ? watchFiles(() => policy.filesOf(personalities), refresh, onWarning) : () => {};
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      unwatch();
      await agent.close();
      await set.close();
    };
    return Object.freeze({
      agent,
      registry,
      plan: (hook?: NamesOf<AgentHooks>) => planOf(registry, personalities[0]!.personality.plugins ?? [], hook),
      get plugins() {
        return set.ids;
      },
      get failed() {
        return set.failed;
      },
      warnings,
      reload: async (next: Plugin | PluginUse) => {
        const use = readNextUse(next, 'the plugin to reload', (id) => standing.get(id));
        if (!standing.has(use.id)) {
          const what = `the host was made without the plugin '${use.id}': make it anew with it`;
          throw new HookError('TH_OPTION_INVALID', { what });
        }
        await set.replace(use, (all) => agent.update({ tools: [...tools, ...all] }));
        standing.set(use.id, use);
      },
      refresh,
      close: () => (closed ??= close()),
    });
  } catch (error) {
    await set.close();
    throw error;
  }
}

/** What is the agent's own of the options of a host. */
function agentOptionsOf(options: HostOptions) {
  const {
    model: _model,
    models: _models,
    modelOptions: _modelOptions,
    personality: _personality,
    personalities: _personalities,
    watch: _watch,
    policy: _policy,
    defaultPolicy: _defaultPolicy,
    projectPolicy: _projectPolicy,
    onDryRun: _onDryRun,
    plugins: _plugins,
    pluginTimes: _pluginTimes,
    onLog: _onLog,
    compaction: _compaction,
    routes: _routes,
    order: _order,
    locks: _locks,
    budgets: _budgets,
    strict: _strict,
    spareTools: _spareTools,
    onWarning: _onWarning,
    ...own
  } = options;
  return own;
}

function planOf(registry: HookRegistry<AgentHooks>, allowlist: readonly string[], hook?: NamesOf<AgentHooks>) {
  if (hook !== undefined) registry.plan(hook); // refuses a name that is no point
  return registry.describe().hooks.flatMap((point) => {
    if (hook !== undefined && point.name !== hook) return [];
    return [{ ...point, plan: registry.plan(point.name as NamesOf<AgentHooks>, allowlist) }];
  });
}

const toProcess = ({ message, code }: HookError): void =>
  process.emitWarning(message, { type: 'TreblehookWarning', code });

/** Without anybody who listens to what plugins say, what is wrong is a warning. */
function told({ plugin, level, message }: PluginLogEntry, onWarning: (warning: HookError) => void): void {
  if (level !== 'warn' && level !== 'error') return;
  onWarning(new HookError('TH_PLUGIN_SAID', { plugin, what: message }));
}
