/** Requests, answers and a real registry for the tests of this package. */
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type LLMOutcome, type LLMRequest, type Message, type ModelUsage } from '@treblehook/types';
import { install, type RouteDecision, type RouteGateOptions } from '../src/index.js';

export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

export function request(more: Partial<LLMRequest> & { personality?: string; sessionId?: string } = {}): LLMRequest {
  const { personality = 'default', sessionId = 'session', ...rest } = more;
  return {
    origin: { runId: 'run', sessionId, agentPath: ['agent'], personality, turn: 0 },
    messages: [user('hello there, what is new?')],
    tools: [],
    toolSet: [],
    model: 'big',
    models: ['big', 'small', 'local', 'long'],
    settings: {},
    inject: [],
    ...rest,
  };
}

export const usage = (input: Partial<ModelUsage['inputTokens']>, output: number | undefined): ModelUsage => ({
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});

export function outcome(model: string, given: ModelUsage | undefined, more: Partial<LLMOutcome> = {}): LLMOutcome {
  return {
    origin: request().origin,
    model,
    response: { message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(4_000) }] } },
    attempts: 1,
    ms: 1,
    ...(given === undefined ? {} : { usage: given }),
    ...more,
  };
}

/** One route for each tier, and `long` with a wide window. */
export const routes = {
  big: { tier: 'frontier', price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }, contextWindow: 1_000 },
  small: { tier: 'cheap', price: { input: 1, output: 2 }, contextWindow: 1_000 },
  local: { tier: 'own', price: { input: 0, output: 0 }, contextWindow: 1_000 },
  long: { tier: 'cheap', price: { input: 3, output: 6 }, contextWindow: 100_000 },
};

export function house(options: RouteGateOptions) {
  const registry = createHookRegistry(agentHooks);
  const decisions: RouteDecision[] = [];
  const uninstall = install(registry, { onDecision: (decision) => void decisions.push(decision), ...options });
  registry.verify();
  return {
    registry,
    decisions,
    uninstall,
    fire: async (payload: LLMRequest) => registry.fireModifying('beforeLLM', payload, 'all'),
    spend: async (payload: LLMOutcome) => registry.fireVoid('afterLLM', payload, 'all'),
  };
}
