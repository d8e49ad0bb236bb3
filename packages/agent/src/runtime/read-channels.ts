/** What is read of channels: their options, a message that comes in, and where it goes. */
import {
  channelHooks,
  HookError,
  ownFields,
  type AgentHooks,
  type ChannelHooks,
  type ChannelMessage,
  type HookRegistry,
} from '@treblehook/types';
import { assertText, invalid, meant } from '../read-option.js';
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
    assertText(`${what}.platform`, platform);
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
export function readMessage(given: unknown, platforms: Iterable<string>): ChannelMessage {
  if (typeof given !== 'object' || given === null) throw refused('it must be { platform, chatId, text }');
  const { platform, chatId, text } = ownFields(given as ChannelMessage);
  const message = { platform, chatId, text };
  for (const name of messageNames) {
    if (typeof message[name] !== 'string' || message[name] === '') {
      throw refused(`${name} must be a text that is not empty`);
    }
  }
  const known = [...platforms];
  if (!known.includes(platform)) throw refused(`no channel is of the platform '${platform}'${meant(platform, known)}`);
  return Object.freeze(ownFields(message));
}

/** Throws `TH_OPTION_INVALID`, and what `route` throws. */
export function placeOf(
  message: ChannelMessage,
  route: Route,
  agents: readonly string[],
): { readonly agent: string; readonly sessionId: string } {
  const given: unknown = route(message);
  const isObject = typeof given === 'object' && given !== null;
  const { agent, sessionId = `${message.platform}:${message.chatId}` } = ownFields(
    (isObject ? given : { agent: given }) as { readonly agent: string; readonly sessionId?: string },
  );
  if (typeof agent !== 'string')
    throw invalid('route must give the name of an agent, or { agent, sessionId? }, at once');
  if (!agents.includes(agent)) throw invalid(`route gave '${agent}', which is no agent${meant(agent, agents)}`);
  assertText('sessionId of route', sessionId);
  return ownFields({ agent, sessionId });
}

const refused = (what: string): HookError => new HookError('TH_MESSAGE_INVALID', { what });
