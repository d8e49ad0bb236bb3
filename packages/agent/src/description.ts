/** What an agent says of itself. */
import { frozen } from '@treblehook/core';
import type { GuardedTool, ModelSettings, ToolDescriptor } from '@treblehook/types';
import { aroundKinds } from './around.js';
import type { Config, ReadPersonality } from './config.js';
import type { AgentLimits, RetryOptions } from './contract.js';
import type { Price } from './run/metrics.js';

export interface AgentDescription {
  readonly name: string;
  readonly formerNames: readonly string[];
  /** What it is for, in a runtime, and the agents that it may task there. */
  readonly description: string;
  readonly agents: readonly string[];
  readonly personality: {
    readonly id: string;
    readonly system: string;
    readonly plugins: readonly string[];
    readonly tools: readonly string[] | undefined;
    readonly limits: AgentLimits | undefined;
  };
  /** What a session may switch to beside it. */
  readonly personalities: readonly (AgentDescription['personality'] & { readonly model: string })[];
  readonly model: string;
  readonly models: readonly { readonly key: string; readonly provider: string; readonly modelId: string }[];
  /** The tools that the personality may offer. */
  readonly tools: readonly (ToolDescriptor & GuardedTool & { readonly paths: readonly string[] })[];
  readonly onAsk: 'deny' | undefined;
  readonly unguarded: string | undefined;
  readonly cwd: string | undefined;
  readonly settings: ModelSettings;
  /** Of a run as the personality. */
  readonly limits: Readonly<Record<keyof AgentLimits, number | undefined>>;
  readonly retry: Readonly<Required<RetryOptions>>;
  /** The kinds of plain hooks that are attached. */
  readonly hooks: readonly string[];
  /** The kinds of wrappers that are attached. */
  readonly around: readonly string[];
  readonly hasMetricSink: boolean;
  readonly prices: Readonly<Record<string, Price>>;
  readonly hasAnswerer: boolean;
  readonly maxConcurrentTools: number;
  readonly maxResultChars: number;
  readonly graceMs: number;
  readonly lockWaitMs: number;
}

export function descriptionOf(config: Config): AgentDescription {
  const {
    name,
    formerNames,
    personality,
    model,
    models,
    toolbox,
    onAsk,
    answerer,
    maxConcurrentTools,
    hooks,
    around,
    onMetric,
    prices,
    unguarded,
    cwd,
    settings,
  } = config;
  const { limits, retry, maxResultChars, graceMs, lockWaitMs } = config;
  const others = [...config.personalities.values()].filter((one) => one !== personality);
  return frozen({
    name,
    formerNames,
    description: config.description,
    agents: config.tasks?.agents ?? [],
    personality: personalityOf(personality),
    personalities: others.map((one) => ({ ...personalityOf(one), model: one.model ?? config.ownModel })),
    model,
    models: [...models].map(([key, { provider, modelId }]) => ({ key, provider, modelId })),
    tools: toolbox.offered.map(({ descriptor, guarded, paths }) => ({ ...descriptor, ...guarded, paths })),
    onAsk,
    unguarded,
    cwd,
    settings,
    limits: { ...limits },
    retry: { ...retry },
    hooks: Object.keys(hooks ?? {}),
    around: aroundKinds.filter((kind) => around?.[kind] !== undefined),
    hasMetricSink: onMetric !== undefined,
    prices,
    hasAnswerer: answerer !== undefined,
    maxConcurrentTools,
    maxResultChars,
    graceMs,
    lockWaitMs,
  });
}

const personalityOf = ({ id, system, plugins, tools, limits }: ReadPersonality): AgentDescription['personality'] => ({
  id,
  system,
  plugins,
  tools,
  limits,
});
