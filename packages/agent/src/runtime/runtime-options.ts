/** The options of a runtime: what each agent makes of its own and of the runtime's. */
import { isHookError, longestTimerMs, ownFields, type ModelPort } from '@treblehook/types';
import type { AgentOptions, Clock } from '../contract.js';
import { agentOptionNames, systemClock } from '../options.js';
import { assertKnown, assertText, assertTexts, invalid, meant, whole } from '../read-option.js';
import { privateStore } from '../store/memory-store.js';
import type { ChannelRuntimeOptions } from './channel.js';
import { readChannels, type Channels } from './read-channels.js';
import type { AgentDefinition, Fetch, ModelSource, RuntimeOptions } from './runtime-contract.js';

export interface RuntimeSettings {
  /** In the order given, each whole. */
  readonly agents: ReadonlyMap<string, DefinedAgent>;
  readonly clock: Clock;
  readonly maxConcurrentTurns: number | undefined;
  readonly inboxCap: number;
  readonly inboxWaitMs: number;
  readonly maxDepth: number;
  readonly maxChildren: number;
  readonly fetch: Fetch;
  readonly channels: Channels | undefined;
  /** Of a store that was not given: drops a session that is closed and that nobody has named. */
  readonly forget: ((sessionId: string) => void) | undefined;
  readonly isShared: boolean;
}

export interface DefinedAgent {
  readonly options: AgentOptions;
  readonly description: string;
  /** Names of the agents that it may task. */
  readonly mayTask: readonly string[];
}

const own = {
  agents: true,
  fetch: true,
  maxConcurrentTurns: true,
  inboxCap: true,
  inboxWaitMs: true,
  maxDepth: true,
  maxChildren: true,
  channels: true,
  route: true,
} as const satisfies Record<Exclude<keyof RuntimeOptions, keyof AgentOptions>, true>;
/** Options of an agent that all agents of a runtime share. */
const shared = {
  registry: true,
  store: true,
  answerer: true,
  clock: true,
  ids: true,
  random: true,
  graceMs: true,
  lockWaitMs: true,
} as const satisfies Record<Exclude<keyof AgentOptions, keyof AgentDefinition | 'name'>, true>;
/** Options of an agent that a runtime cannot have for all. */
const ofOne = {
  name: true,
  formerNames: true,
  tools: true,
  personality: true,
  personalities: true,
  unguarded: true,
} as const satisfies Record<Exclude<keyof AgentOptions, keyof RuntimeOptions>, true>;
/** Options of a definition that no agent of its own has. */
const ofDefinition = { description: true, agents: true } as const satisfies Record<
  Exclude<keyof AgentDefinition, keyof AgentOptions>,
  true
>;

const without = (names: object, less: object): Record<string, true> =>
  Object.fromEntries(Object.keys(names).flatMap((name) => (Object.hasOwn(less, name) ? [] : [[name, true] as const])));

const runtimeNames = { ...without(agentOptionNames, ofOne), ...own };
const definitionNames = { ...without(agentOptionNames, { ...shared, name: true }), ...ofDefinition };

/** Throws `TH_OPTION_INVALID`. */
export function readRuntime(given: RuntimeOptions | ChannelRuntimeOptions): RuntimeSettings {
  if (typeof given !== 'object' || given === null) throw invalid('createRuntime takes an object of options');
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(ofOne, key)) throw invalid(`'${key}' is an option of one agent: give it in agents`);
  }
  assertKnown(given, runtimeNames, 'option');
  const {
    agents,
    fetch = globalThis.fetch,
    maxConcurrentTurns,
    inboxCap,
    inboxWaitMs,
    maxDepth,
    maxChildren,
    channels,
    route,
    ...base
  } = ownFields(given);
  if (typeof agents !== 'object' || agents === null || Object.keys(agents).length === 0) {
    throw invalid('agents must map names to definitions, at least one');
  }
  if (typeof fetch !== 'function') throw invalid('fetch must be a function');
  const { clock = systemClock } = base;
  const memory = base.store === undefined ? privateStore({ now: () => clock.date() }) : undefined;
  const store = base.store ?? memory!;
  const read = new Map<string, DefinedAgent>();
  for (const name of Object.keys(agents)) {
    assertText('the name of an agent', name);
    read.set(
      name,
      inAgent(name, () => definedOf(name, agents, { ...base, clock, store }, fetch)),
    );
  }
  if (channels === undefined && route !== undefined) throw invalid('route is for channels: give channels too');
  return Object.freeze({
    agents: read,
    forget: memory?.forget,
    isShared: memory === undefined,
    fetch,
    channels: channels === undefined ? undefined : readChannels(channels, route, base.registry, [...read.keys()]),
    clock,
    maxConcurrentTurns: whole('maxConcurrentTurns', maxConcurrentTurns, 1),
    inboxCap: whole('inboxCap', inboxCap, 0) ?? 100,
    maxDepth: whole('maxDepth', maxDepth, 0) ?? 3,
    maxChildren: whole('maxChildren', maxChildren, 0) ?? 16,
    inboxWaitMs: whole('inboxWaitMs', inboxWaitMs, 0, longestTimerMs) ?? 600_000,
  });
}

/** An option that is refused says of which agent. */
export function inAgent<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isHookError(error) || error.code !== 'TH_OPTION_INVALID') throw error;
    throw invalid(`agents.${name}: ${error.message}`);
  }
}

function definedOf(
  name: string,
  agents: RuntimeOptions['agents'],
  base: Omit<RuntimeOptions, 'agents' | 'channels' | 'route'>,
  fetch: Fetch,
): DefinedAgent {
  const given = agents[name]!;
  if (typeof given !== 'object' || given === null) throw invalid('a definition must be an object');
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(shared, key)) throw invalid(`'${key}' is one for all agents: give it to the runtime`);
  }
  assertKnown(given, definitionNames, 'option of a definition');
  const definition = defined(given);
  const {
    model,
    models,
    prices,
    answerer,
    description = '',
    agents: mayTask = [],
    ...rest
  } = { ...base, ...definition };
  if (typeof description !== 'string') throw invalid('description must be a text');
  assertTexts('agents', mayTask);
  for (const one of formerNamesOf(definition)) {
    if (Object.hasOwn(agents, one))
      throw invalid(`formerNames has '${one}', which is an agent here, with sessions of its own`);
    const twin = Object.keys(agents).find((other) => other !== name && formerNamesOf(agents[other]).includes(one));
    if (twin !== undefined)
      throw invalid(`formerNames has '${one}', as '${twin}' has: its sessions are those of one agent`);
  }
  for (const one of mayTask) {
    if (Object.hasOwn(agents, one)) continue;
    const others = Object.keys(agents).filter((other) => other !== name);
    throw invalid(`agents names '${one}', which is none${meant(one, others)}`);
  }
  if (model === undefined) throw invalid('it has no model: give one in its definition, or to the runtime');
  const made = Object.fromEntries(
    Object.entries(models ?? {}).map(([key, source]) => [key, modelOf(`models.${key}`, source, fetch)]),
  );
  const first = typeof model === 'string' ? model : modelOf('model', model, fetch);
  const known = [...Object.keys(made), typeof first === 'string' ? first : first?.modelId];
  const options: AgentOptions = {
    ...rest,
    name,
    models: made,
    model: first,
    // the runtime's are for all of its models, of which this agent may have few
    ...(prices && { prices: definition.prices ?? pick(prices, known) }),
    // whoever says that nobody is asked has nobody to ask
    ...(answerer && definition.onAsk === undefined && { answerer }),
  };
  return { options, description, mayTask: [...mayTask] };
}

/** What is no list of texts is refused where the agent is made. */
const formerNamesOf = (definition: Partial<AgentDefinition> | undefined): readonly string[] =>
  Array.isArray(definition?.formerNames) ? definition.formerNames.filter((one) => typeof one === 'string') : [];

const pick = <T>(given: Readonly<Record<string, T>>, keys: readonly (string | undefined)[]): Record<string, T> =>
  Object.fromEntries(Object.entries(given).filter(([key]) => keys.includes(key)));

type Defined<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

/** Fields that say something, its own alone: `undefined` inherits, `{}` replaces. */
const defined = <T extends object>(given: T): Defined<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>;

function modelOf(what: string, source: ModelSource, fetch: Fetch): ModelPort {
  if (typeof source !== 'function') return source;
  const made: unknown = source(Object.freeze({ fetch }));
  if (made instanceof Promise) throw invalid(`${what} gave a promise: make the model before the runtime`);
  return made as ModelPort;
}
