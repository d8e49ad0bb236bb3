/** What an agent is made of, read and checked; and the same under another personality, or under a parent. */
import type { AbortFan } from '@treblehook/core';
import type { AgentHooks, HookRegistry, ModelPort, ModelSettings, SessionStore } from '@treblehook/types';
import type { ReadAround } from './around.js';
import type { AgentLimits, Answerer, Clock, Ids, Personality, RetryOptions } from './contract.js';
import type { RegisteredTool } from './door/registered-tool.js';
import type { Toolbox } from './door/toolbox.js';
import type { ReadHooks } from './plain-hooks.js';
import type { Entrance } from './run/entrance.js';
import type { MetricSink, Price } from './run/metrics.js';

export interface Config {
  readonly name: string;
  /** Names of the agents from the root to this one. */
  readonly path: readonly string[];
  readonly registry: HookRegistry<AgentHooks>;
  readonly models: ReadonlyMap<string, ModelPort>;
  /** The keys of `models`. */
  readonly modelKeys: readonly string[];
  /** The key that each call starts from. */
  readonly model: string;
  /** All that it was given. */
  readonly tools: readonly RegisteredTool[];
  /** Those that the personality may offer. */
  readonly toolbox: Toolbox;
  /** One listener on a caller's signal, however many runs it was given to. */
  readonly aborts: AbortFan;
  readonly personality: ReadPersonality;
  /** Ids of plugins whose guards are asked, beside those of the personality. */
  readonly guards: readonly string[];
  readonly hooks: ReadHooks | undefined;
  readonly around: ReadAround | undefined;
  readonly onMetric: MetricSink | undefined;
  readonly prices: Readonly<Record<string, Price>>;
  readonly store: SessionStore;
  /** Of a store that was not given, and that nobody else can use: drops what is closed. */
  readonly forget: ((sessionId: string) => void) | undefined;
  readonly answerer: Answerer | undefined;
  readonly maxConcurrentTools: number;
  readonly onAsk: 'deny' | undefined;
  readonly unguarded: string | undefined;
  readonly cwd: string | undefined;
  readonly settings: ModelSettings;
  readonly limits: Limits;
  readonly retry: Required<RetryOptions>;
  readonly maxResultChars: number;
  readonly graceMs: number;
  readonly lockWaitMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  /** Where runs wait for their turn among those of a runtime. */
  readonly entrance: Entrance | undefined;
}
export type Limits = { readonly [K in keyof AgentLimits]-?: number | undefined };
export type ReadPersonality = Required<Pick<Personality, 'id' | 'system' | 'plugins'>> &
  Pick<Personality, 'tools' | 'model'>;
