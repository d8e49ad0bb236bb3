/** What a host is made of, and the check of it. */
import type { AgentOptions } from '@treblehook/agent';
import type { CompactionTenantOptions } from '@treblehook/plugin-compaction';
import type { RouteGateOptions } from '@treblehook/plugin-route-gate';
import type { InstallOptions, Policy } from '@treblehook/plugin-tool-policy';
import {
  budgetRange,
  didYouMean,
  HookError,
  isBudget,
  ownFields,
  textOf,
  type AgentHooks,
  type ModelPort,
  type Plugin,
  type RegistryOptions,
} from '@treblehook/types';
import type { ModelOptionsOf } from './models.js';
import { limitNames, type HostPersonality, type LoadedPersonality } from './personality.js';
import type { PluginLogEntry } from './plugins/plugin-api.js';
import type { PluginUse } from './plugins/plugin-use.js';
import type { PluginTimes } from './plugins/set-up.js';

/** What an agent takes, but for what the host makes itself; what a registry takes; and the parts of the host. */
export interface HostOptions
  extends
    Omit<AgentOptions, 'model' | 'personality' | 'personalities' | 'registry' | 'unguarded'>,
    Pick<RegistryOptions<AgentHooks>, 'order' | 'locks' | 'budgets'> {
  /** A key of `models`, `offline`, `provider:id[@url]`, or a model itself. A personality's own model stands in place of it. */
  readonly model: string | ModelPort;
  /**
   * Key and transport of a model that is named by a string, told who named it: give no key to a URL that a personality
   * names. The host reads no environment.
   */
  readonly modelOptions?: ModelOptionsOf;
  /** Inline, loaded, or the path of a YAML or JSON file. Default: `{ id: 'default' }`, which has no plugins. */
  readonly personality?: HostPersonality | LoadedPersonality | string;
  /** Further ones, which a session may be switched to; each with its own model, limits and policy. */
  readonly personalities?: readonly (HostPersonality | LoadedPersonality | string)[];
  /** Read files of personalities, and the policies that they name, again when they change. Default: `false`; see `refresh`. */
  readonly watch?: boolean;
  /**
   * Inline, or the path of a YAML or JSON file. Default: no rules, and a warning when a tool may change something and no
   * other guard stands; `{ rules: [] }` says that it is meant.
   */
  readonly policy?: Policy | string;
  /** A layer of the program that makes the host, called `default`: what holds beside whatever `policy` says. */
  readonly defaultPolicy?: Policy;
  /** A further layer, of the folder that the host works in; with the personality's own it can only tighten `policy`. */
  readonly projectPolicy?: Policy | string;
  /** Told what a policy in `dry-run` would have said of a call. Default: nobody is told. */
  readonly onDryRun?: InstallOptions['onDryRun'];
  /** In their order: what `definePlugin` makes, or that with its settings, `{ plugin, config }`. */
  readonly plugins?: readonly (Plugin | PluginUse)[];
  /** Default: 10 s for a setup, 1 s for each function that a plugin gave to `onDispose`. */
  readonly pluginTimes?: Partial<PluginTimes>;
  /** Told what plugins say. Default: warnings and errors of theirs are warnings of the host, the rest nobody is told. */
  readonly onLog?: (entry: PluginLogEntry) => void;
  /** Over the defaults, key by key; `agents` again over these, for one agent by its name. */
  readonly compaction?: Partial<CompactionTenantOptions>;
  /** In place of the default, which knows each model and moves none. */
  readonly routes?: RouteGateOptions;
  /**
   * A plugin that fails ends `createHost` with its error, and a rule, a pointer or a glob that matches nothing with
   * `TH_MATCHES_NOTHING`; say it when a plugin brings guards. Default: both are warnings, and the plugin is left out.
   */
  readonly strict?: boolean;
  /** Tools that could be offered and are not: how, by their names. A rule or a glob for one of them is told with it. */
  readonly spareTools?: Readonly<Record<string, string>>;
  /** Told each warning at once: a code and a text. Default: `process.emitWarning`. */
  readonly onWarning?: (warning: HookError) => void;
}

const known: Readonly<Record<keyof HostOptions, true>> = {
  model: true,
  models: true,
  modelOptions: true,
  personality: true,
  personalities: true,
  watch: true,
  policy: true,
  defaultPolicy: true,
  projectPolicy: true,
  onDryRun: true,
  plugins: true,
  pluginTimes: true,
  onLog: true,
  tools: true,
  compaction: true,
  routes: true,
  order: true,
  locks: true,
  budgets: true,
  strict: true,
  spareTools: true,
  onWarning: true,
  name: true,
  formerNames: true,
  onAsk: true,
  store: true,
  answerer: true,
  hooks: true,
  around: true,
  onMetric: true,
  prices: true,
  maxConcurrentTools: true,
  cwd: true,
  settings: true,
  limits: true,
  maxResultChars: true,
  retry: true,
  graceMs: true,
  lockWaitMs: true,
  clock: true,
  ids: true,
  random: true,
};

/** Refuses what would otherwise be passed over. Throws `TH_OPTION_INVALID` and `TH_ID_TAKEN`. */
export function assertOptions(options: HostOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('createHost takes an object of options');
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(known, key)) continue;
    const names = Object.keys(known);
    throw invalid(
      `'${key}' is no option of createHost: ${didYouMean(key, names) ?? `options are ${names.join(', ')}`}`,
    );
  }
  const own = ownFields(options);
  for (const key of ['strict', 'watch'] as const) {
    const value: unknown = own[key];
    if (value === undefined || typeof value === 'boolean') continue;
    throw invalid(`${key} is true or false, not ${typeof value === 'string' ? `'${value}'` : textOf(value)}`);
  }
  for (const [key, ms] of Object.entries(own.pluginTimes ?? {})) {
    if (!['setupMs', 'disposeMs'].includes(key))
      throw invalid(`'${key}' is no key of pluginTimes: use setupMs, disposeMs`);
    if (!isBudget(ms)) throw invalid(`pluginTimes.${key} must be ${budgetRange}`);
  }
  if (options.model === undefined) throw invalid("model is missing: give a model, or a name such as 'offline'");
  if (typeof own.model !== 'string' && typeof (Object(own.model) as ModelPort).modelId !== 'string') {
    throw invalid('model is no model: it needs provider, modelId and doStream');
  }
  if (options.tools !== undefined && !Array.isArray(options.tools)) throw invalid('tools must be a list of tools');
  if (options.personalities !== undefined && !Array.isArray(options.personalities)) {
    throw invalid('personalities must be a list of personalities, or of paths of their files');
  }
  const limit = Object.keys(own.budgets ?? {}).find((key) => Object.hasOwn(limitNames, key));
  if (limit !== undefined) {
    throw invalid(
      `'${limit}' is no hook point: budgets of createHost are those of handlers, in ms; write limits: { ${limit}: … } for a run`,
    );
  }
  for (const key of ['modelOptions', 'onWarning', 'onDryRun', 'onLog'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function') throw invalid(`${key} must be a function`);
  }
}

const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
