/** What a step is compared by: one plain document, without what differs from run to run. */
import type { RunResult } from '@treblehook/agent';
import { isHookError, textOf, type Message, type ModelCallOptions, type Request } from '@treblehook/types';
import type { World } from './world.js';
import { messagesOfPrompt, shortHistory, shortMessages } from './transcript.js';

/** Starts to watch; the returned function gives what has happened since. */
export function watch(world: World): () => Record<string, unknown> {
  const from = {
    effects: world.effects.length,
    metrics: world.metrics.length,
    calls: world.model.calls.length,
    faults: world.faults.length,
  };
  return () => {
    const effects = world.effects.slice(from.effects);
    const fires: Record<string, number> = {};
    for (const effect of effects) {
      const name = typeof effect === 'string' ? effect : effect[0];
      fires[name] = (fires[name] ?? 0) + 1;
    }
    const metrics: Record<string, object[]> = {};
    for (const { sink, metric } of world.metrics.slice(from.metrics)) (metrics[sink] ??= []).push(metric);
    return {
      effects,
      fires,
      metrics,
      wire: world.model.calls.slice(from.calls).map(shortRequest),
      faults: world.faults.slice(from.faults).map(({ hook, id, code, key }) => ({ hook, id, code, key })),
    };
  };
}

function shortRequest({ prompt, tools = [] }: ModelCallOptions): object {
  return { ...shortHistory(messagesOfPrompt(prompt)), tools: tools.map(({ name }) => name) };
}

export function shortResult(result: RunResult): object {
  const { status, limit, reason, error, text, messages, toolCalls, turns, pending } = result;
  return {
    status,
    limit,
    reason,
    ...(status === 'failed' ? { error: shortError(error) } : {}),
    text,
    messages: shortMessages(messages),
    toolCalls: toolCalls.map(({ name, args, output, isError, outcome }) => ({ name, args, output, isError, outcome })),
    turns,
    pending: pending?.map(shortOfRequest),
  };
}

export const shortSession = (messages: readonly Message[], requests: readonly Request[]): object => ({
  ...shortHistory(messages),
  requests: requests.map(shortOfRequest),
});

/** Without its id, which nobody can know before. */
const shortOfRequest = ({ kind, prompt, url, data, expiresAt }: Request): object => ({
  kind,
  prompt,
  url,
  data,
  expiresAt,
});

/** With its cause, when it has one: a handler's error carries the one that it stands for. */
export function shortError(error: unknown): object {
  const cause = error instanceof Error ? error.cause : undefined;
  return {
    message: textOf(error),
    code: isHookError(error) ? error.code : undefined,
    cause: cause === undefined ? undefined : shortError(cause),
  };
}
