/** What is read of channels: their options, a message that comes in, and where it goes. */
import { isPromised } from '@treblehook/core';
import {
  channelHooks,
  HookError,
  ownFields,
  textOf,
  type AgentHooks,
  type ChannelHooks,
  type ChannelMessage,
  type HookRegistry,
} from '@treblehook/types';
import { assertId, assertKnown, idFault, invalid, meant } from '../read-option.js';
import { memberOf } from '../run/shared-prototypes.js';
import type { Channel, Route } from './channel.js';

export interface Channels {
  readonly registry: HookRegistry<AgentHooks & ChannelHooks>;
  /** By platform, bound. */
  readonly senders: ReadonlyMap<string, Channel['send']>;
  readonly route: Route;
}

/** Throws `TH_OPTION_INVALID`. */
export function readChannels(
  given: unknown,
  route: unknown,
  registry: HookRegistry<AgentHooks>,
  agents: readonly string[],
): Channels {
  if (!Array.isArray(given) || given.length === 0) throw invalid('channels must be a list of channels, at least one');
  const senders = new Map<string, Channel['send']>();
  for (const [at, one] of (given as readonly Channel[]).entries()) {
    const what = `channels[${at}]`;
    if (typeof one !== 'object' || one === null) throw invalid(`${what} must be { platform, send }`);
    const platform = memberOf(one, 'platform') as string;
    const send = memberOf(one, 'send') as Channel['send'];
    assertId(`${what}.platform`, platform);
    if (platform.includes(':'))
      throw invalid(`${what}.platform '${platform}' has a colon, which parts it from chat ids`);
    if (typeof send !== 'function') throw invalid(`${what}.send must be a function`);
    if (senders.has(platform)) throw invalid(`${what}: there is a channel of '${platform}' already, and one sends`);
    senders.set(platform, (...args) => send.apply(one, args));
  }
  for (const [name, { model, discipline }] of Object.entries(channelHooks)) {
    const point = Object.hasOwn(registry.catalogue, name) ? Reflect.get(registry.catalogue, name) : undefined;
    if (point?.model === model && point?.discipline === discipline) continue;
    const mend = 'make it by createHookRegistry(defineHooks(agentHooks, channelHooks))';
    throw invalid(`the registry lacks the point '${name}' that channels fire: ${mend}`);
  }
  if (route === undefined && agents.length > 1) {
    throw invalid(`route is missing: say which agent a message goes to, there is ${agents.join(', ')}`);
  }
  if (route !== undefined && typeof route !== 'function') throw invalid('route must be a function');
  return {
    registry: registry as Channels['registry'],
    senders,
    route: (route as Route | undefined) ?? (() => agents[0]!),
  };
}

const messageNames = ['platform', 'chatId', 'text'] as const;

/** A copy that inherits nothing. Throws `TH_MESSAGE_INVALID`. */
export function readMessage(given: unknown): ChannelMessage {
  if (typeof given !== 'object' || given === null) throw refused('it must be { platform, chatId, text }');
  const { platform, chatId, text, ...more } = fieldsOf(given);
  const message = { platform, chatId, text };
  for (const key of Object.keys(more)) throw refused(`'${key}' is no field of a message${meant(key, messageNames)}`);
  for (const name of messageNames) {
    if (typeof message[name] !== 'string' || message[name] === '') {
      throw refused(`${name} must be a text that is not empty`);
    }
  }
  for (const name of ['platform', 'chatId'] as const) {
    const fault = idFault(message[name]);
    if (fault !== undefined) throw refused(`${name} ${fault}`);
  }
  if (platform.includes(':')) throw refused(`platform '${platform}' has a colon, which parts it from chat ids`);
  return Object.freeze(ownFields(message));
}

function fieldsOf(given: object): ChannelMessage {
  try {
    return ownFields(given as ChannelMessage);
  } catch (cause) {
    throw refused(`it cannot be read: ${textOf(cause)}`, cause); // a getter or a proxy may throw anything
  }
}

export function noChannel({ platform }: ChannelMessage, { senders }: Channels): HookError {
  return refused(`nobody claims it, and no channel is of the platform '${platform}'${meant(platform, senders.keys())}`);
}

interface Destination {
  readonly agent: string;
  readonly sessionId: string;
}

/** Throws `TH_OPTION_INVALID`. */
export function placeOf(message: ChannelMessage, route: Route, agents: readonly string[]): Destination {
  const { agent, sessionId = `${message.platform}:${message.chatId}` } = routed(message, route);
  if (typeof agent !== 'string') throw invalid(routeGives);
  if (!agents.includes(agent)) throw invalid(`route gave '${agent}', which is no agent${meant(agent, agents)}`);
  assertId('sessionId of route', sessionId);
  return ownFields({ agent, sessionId });
}

/** What it gives is copied as it is called: a getter or a proxy may throw anything, as the route itself may. */
function routed(message: ChannelMessage, route: Route): Partial<Destination> {
  let given: unknown;
  try {
    given = route(message);
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given) && !isPromised(given);
    given = isObject ? ownFields(given as object) : { agent: given };
  } catch (cause) {
    throw new HookError('TH_OPTION_INVALID', { what: `route failed: ${textOf(cause)}`, cause });
  }
  assertKnown(given as object, { agent: true, sessionId: true }, 'field of what route gives');
  return ownFields(given as Partial<Destination>);
}

const routeGives = 'route must give the name of an agent, or { agent, sessionId? }, at once';

const refused = (what: string, cause?: unknown): HookError =>
  new HookError('TH_MESSAGE_INVALID', { what, ...(cause === undefined ? {} : { cause }) });
