/** The options of an agent: each checked, each with its default, none ignored. */
import { AbortFan, frozen } from '@treblehook/core';
import { longestTimerMs, ownFields, settingsFault, type ModelPort, type ModelSettings } from '@treblehook/types';
import { readAround } from './around.js';
import type { SessionLease } from './session/session-lease.js';
import { privateStore } from './store/memory-store.js';
import { withPersonality, type Config, type ReadPersonality } from './config.js';
import type { AgentOptions, Clock, RetryOptions } from './contract.js';
import { readIds } from './ids.js';
import { noLimits, readLimits, tighter } from './read-limits.js';
import { assertModels, readModels } from './read-models.js';
import { assertKnown, assertText, assertTexts, invalid, meant, whole } from './read-option.js';
import { readPersonalities } from './read-personalities.js';
import type { Entrance } from './run/entrance.js';
import type { Price } from './run/metrics.js';
import { readHooks } from './plain-hooks.js';
import type { RegisteredTool } from './door/registered-tool.js';
import { pluginsOf, registered, toolboxOf, type Toolbox } from './door/toolbox.js';

export const agentOptionNames: Readonly<Record<keyof AgentOptions, true>> = {
  model: true,
  models: true,
  tools: true,
  registry: true,
  personality: true,
  personalities: true,
  name: true,
  formerNames: true,
  onAsk: true,
  hooks: true,
  around: true,
  onMetric: true,
  prices: true,
  store: true,
  answerer: true,
  maxConcurrentTools: true,
  unguarded: true,
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
const retryDefaults: Required<RetryOptions> = { attempts: 4, baseMs: 500, maxDelayMs: 20_000, maxTotalMs: 120_000 };

export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  date: () => Date.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, Math.min(ms, longestTimerMs));
    return () => clearTimeout(timer);
  },
});
/** Throws `TH_OPTION_INVALID` and `TH_TOOL_INVALID`. */
export function readOptions(given: AgentOptions, entrance?: Entrance): Config {
  if (typeof given !== 'object' || given === null) throw invalid('createAgent takes an object of options');
  assertKnown(given, agentOptionNames, 'option');
  const options = ownFields(given);
  const {
    registry,
    tools = [],
    name = 'agent',
    formerNames = [],
    onAsk,
    store,
    answerer,
    onMetric,
    unguarded,
    cwd,
  } = options;
  if (typeof registry?.scoped !== 'function') throw invalid('registry: give the one that createHookRegistry made');
  if (!Array.isArray(tools)) throw invalid('tools must be a list of tools');
  if (onAsk !== undefined && onAsk !== 'deny') throw invalid(`onAsk is '${String(onAsk)}': it can only be 'deny'`);
  assertText('name', name);
  assertTexts('formerNames', formerNames);
  if (store !== undefined && typeof store?.append !== 'function')
    throw invalid('store is none: use memoryStore or sqliteStore');
  if (answerer !== undefined && typeof answerer?.answer !== 'function')
    throw invalid('answerer must have a function answer');
  if (answerer !== undefined && onAsk !== undefined)
    throw invalid("answerer and onAsk: 'deny' contradict one another: leave one of them out");
  if (onMetric !== undefined && typeof onMetric !== 'function') throw invalid('onMetric must be a function');
  if (unguarded !== undefined) assertText('unguarded', unguarded);
  if (cwd !== undefined) assertText('cwd', cwd);
  const { clock = systemClock, random = Math.random } = options;
  for (const name of ['now', 'date', 'after'] as const) {
    if (typeof clock?.[name] !== 'function') throw invalid(`clock must have a function ${name}`);
  }
  const hasPrices = Object.keys(options.prices ?? {}).length > 0;
  const { limits = {} } = options;
  const ownLimits = Object.freeze({ ...noLimits, ...readLimits('limits', limits, hasPrices) });
  const own = store === undefined ? privateStore({ now: () => clock.date() }) : undefined;
  const ids = readIds(options.ids);
  if (typeof random !== 'function') throw invalid('random must be a function');
  const personalities = readPersonalities(options, hasPrices);
  const { models, model: ownModel } = readModels(options);
  const all = registered(tools);
  const base: Unmade = {
    name,
    formerNames: frozen([...formerNames]),
    path: frozen([name]),
    above: frozen([]),
    registry,
    models,
    modelKeys: frozen([...models.keys()]),
    ownModel,
    aborts: new AbortFan(),
    guards: frozen([]),
    hooks: readHooks(options.hooks),
    around: readAround(options.around),
    onMetric,
    prices: readPrices(options.prices, models),
    store: store ?? own!,
    forget: own?.forget,
    isShared: own === undefined,
    leases: new Set<SessionLease>(),
    over: undefined,
    answerer,
    maxConcurrentTools: whole('maxConcurrentTools', options.maxConcurrentTools, 1) ?? 8,
    onAsk,
    unguarded,
    cwd,
    settings: readSettings(options.settings, toolboxOf(all, firstOf(personalities))),
    ownLimits,
    retry: readRetry(options.retry),
    maxResultChars: whole('maxResultChars', options.maxResultChars, 1) ?? 80_000,
    graceMs: whole('graceMs', options.graceMs, 0, longestTimerMs) ?? 1_000,
    lockWaitMs: whole('lockWaitMs', options.lockWaitMs, 0, longestTimerMs) ?? 30_000,
    clock,
    ids,
    random,
    description: '',
    entrance,
    tasks: undefined,
    share: undefined,
    parent: undefined,
  };
  return madeOf(base, all, personalities);
}

/** What of an agent does not follow from its tools and its personalities. */
export type Unmade = Omit<
  Config,
  'tools' | 'toolPlugins' | 'toolbox' | 'personality' | 'personalities' | 'model' | 'limits'
>;

/** An agent of these tools and personalities, each of which must go with the rest. Throws as `readOptions`. */
export function madeOf(
  base: Unmade,
  tools: readonly RegisteredTool[],
  personalities: ReadonlyMap<string, ReadPersonality>,
): Config {
  assertModels(personalities, base.models);
  const personality = firstOf(personalities);
  const config: Config = Object.freeze({
    ...base,
    tools,
    toolPlugins: pluginsOf(tools),
    toolbox: toolboxOf(tools, personality),
    personality,
    personalities,
    model: personality.model ?? base.ownModel,
    limits: tighter(base.ownLimits, personality.limits),
  });
  for (const one of personalities.values()) assertFits(withPersonality(config, one));
  return config;
}

const firstOf = (personalities: ReadonlyMap<string, ReadPersonality>): ReadPersonality =>
  personalities.values().next().value!;

/** What a personality offers must go with the rest. */
function assertFits({ toolbox, cwd, settings }: Config): void {
  const pathTool = toolbox.offered.find(({ paths }) => paths.length > 0);
  if (pathTool !== undefined && cwd === undefined) {
    throw invalid(`cwd is missing: the tool '${pathTool.name}' declares paths, say which folder they are relative to`);
  }
  readSettings(settings, toolbox);
}

function readSettings(settings: ModelSettings = {}, { toolSet }: Toolbox): ModelSettings {
  const what = settingsFault(settings, toolSet);
  if (what !== undefined) throw invalid(what);
  return frozen(settings);
}

function readPrices(
  prices: Readonly<Record<string, Price>> = {},
  models: ReadonlyMap<string, ModelPort>,
): Readonly<Record<string, Price>> {
  const read: Record<string, Price> = {};
  for (const [key, price] of Object.entries(prices)) {
    if (!models.has(key)) throw invalid(`prices names '${key}', which is no key of models${meant(key, models.keys())}`);
    assertKnown(price, priceNames, `key of prices.${key}`);
    for (const [of, amount] of Object.entries(price)) {
      if (typeof amount !== 'number' || !(amount >= 0 && amount < Infinity)) {
        throw invalid(`prices.${key}.${of} must be a finite number from 0 up`);
      }
    }
    read[key] = price;
  }
  return frozen(read);
}
const priceNames: Readonly<Record<keyof Price, true>> = {
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
};

function readRetry(retry: RetryOptions = {}): Required<RetryOptions> {
  assertKnown(retry, retryDefaults, 'key of retry');
  const read = { ...retryDefaults };
  for (const key of Object.keys(retry) as (keyof RetryOptions)[]) {
    const [least, most] = key === 'attempts' ? [1] : [0, longestTimerMs];
    read[key] = whole(`retry.${key}`, retry[key], least, most) ?? retryDefaults[key];
  }
  return Object.freeze(read);
}
