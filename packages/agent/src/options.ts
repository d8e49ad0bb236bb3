/** The options of an agent: each checked, each with its default, none ignored. */
import { AbortFan, frozen } from '@treblehook/core';
import { longestTimerMs, ownFields, settingsFault, type ModelPort, type ModelSettings } from '@treblehook/types';
import { readAround } from './around.js';
import type { SessionLease } from './session/session-lease.js';
import { privateStore } from './store/memory-store.js';
import { withPersonality, type Config, type Limits, type ReadPersonality } from './config.js';
import type { AgentLimits, AgentOptions, Clock, RetryOptions } from './contract.js';
import { readIds } from './ids.js';
import { assertKnown, assertText, assertTexts, invalid, meant, positive, whole } from './read-option.js';
import { readPersonalities } from './read-personalities.js';
import type { Entrance } from './run/entrance.js';
import type { Price } from './run/metrics.js';
import { readHooks } from './plain-hooks.js';
import { registered, toolboxOf, type Toolbox } from './door/toolbox.js';

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
const noLimits: Limits = {
  steps: 100,
  toolCalls: undefined,
  tokens: undefined,
  cost: undefined,
  wallMs: undefined,
  deniedSteps: undefined,
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
  const limits = readLimits(options.limits);
  if (limits.cost !== undefined && Object.keys(options.prices ?? {}).length === 0) {
    throw invalid('limits.cost counts by prices: give the price of each model');
  }
  const own = store === undefined ? privateStore({ now: () => clock.date() }) : undefined;
  const ids = readIds(options.ids);
  if (typeof random !== 'function') throw invalid('random must be a function');
  const personalities = readPersonalities(options);
  const [personality] = [...personalities.values()] as [ReadPersonality];
  const { models, model: ownModel } = readModels(options, personalities);
  const all = registered(tools);
  const toolbox = toolboxOf(all, personality.tools);
  const config: Config = Object.freeze({
    name,
    formerNames: frozen([...formerNames]),
    path: frozen([name]),
    above: frozen([]),
    registry,
    models,
    modelKeys: frozen([...models.keys()]),
    model: personality.model ?? ownModel,
    ownModel,
    tools: all,
    toolbox,
    aborts: new AbortFan(),
    personality,
    personalities,
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
    settings: readSettings(options.settings, toolbox),
    limits,
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
  });
  for (const one of personalities.values()) assertFits(withPersonality(config, one));
  return config;
}

/** What a personality offers must go with the rest. */
function assertFits({ toolbox, cwd, settings }: Config): void {
  const pathTool = toolbox.offered.find(({ paths }) => paths.length > 0);
  if (pathTool !== undefined && cwd === undefined) {
    throw invalid(`cwd is missing: the tool '${pathTool.name}' declares paths, say which folder they are relative to`);
  }
  readSettings(settings, toolbox);
}

function readModels(
  { model, models = {} }: AgentOptions,
  personalities: ReadonlyMap<string, ReadPersonality>,
): { models: ReadonlyMap<string, ModelPort>; model: string } {
  if (typeof models !== 'object' || models === null) throw invalid('models must map names to models');
  const all = new Map<string, ModelPort>();
  for (const key of Object.keys(models)) all.set(key, port(`models.${key}`, models[key]));
  let first = model as string;
  if (typeof model !== 'string') {
    const bare = port('model', model);
    first = bare.modelId;
    if (all.has(first) && all.get(first) !== bare)
      throw invalid(`models has another '${first}' than the given model: name that key as model, or call it otherwise`);
    all.set(first, bare);
  }
  const assertKey = (what: string, key: string): void => {
    const mend = key === 'offline' ? ': the embedded model is offlineModel(), give that' : meant(key, all.keys());
    if (!all.has(key)) throw invalid(`${what} '${key}' is no key of models${mend}`);
  };
  assertKey('model', first);
  const [own] = personalities.keys();
  for (const { id, model: preferred = first } of personalities.values()) {
    assertKey(id === own ? 'personality.model' : `the model of '${id}',`, preferred);
  }
  return { models: all, model: first };
}

function port(what: string, model: unknown): ModelPort {
  const { doStream, modelId, provider } = (model ?? {}) as Partial<ModelPort>;
  if (typeof doStream === 'function' && typeof modelId === 'string' && typeof provider === 'string') {
    return model as ModelPort;
  }
  throw invalid(`${what} is no model: it needs provider, modelId and doStream`);
}

function readSettings(settings: ModelSettings = {}, { toolSet }: Toolbox): ModelSettings {
  const what = settingsFault(settings, toolSet);
  if (what !== undefined) throw invalid(what);
  return frozen(settings);
}

function readLimits(limits: AgentLimits = {}): Limits {
  assertKnown(limits, noLimits, 'key of limits');
  const read: Record<string, number | undefined> = { ...noLimits };
  for (const key of Object.keys(limits) as (keyof AgentLimits)[]) {
    read[key] =
      key === 'cost'
        ? positive(`limits.${key}`, limits[key])
        : (whole(`limits.${key}`, limits[key], 1) ?? noLimits[key]);
  }
  return Object.freeze(read as Limits);
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
