/** The hook points of a model call: the request that is built, the request that is sent, what came of it. */
import { defineHooks } from './define-hooks.js';
import { checkLLMAmendment } from './check-llm-amendment.js';
import { modifyingHook, voidHook } from './hook-point.js';
import { compactionHooks } from './hooks-compaction.js';
import type { JsonObject } from './json.js';
import type { Message } from './message.js';
import type { ModelFinishReason, ModelUsage } from './model-port.js';
import type { FromRun } from './origin.js';
import type { ToolDescriptor } from './tool.js';

/** A closed set: provider options and headers are the host's. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string };
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
  readonly responseFormat?: { readonly type: 'text' } | { readonly type: 'json'; readonly schema?: JsonObject };
  /**
   * Positions in `messages`, from 0 and rising, at most four: the provider may keep what it has read up to the end of each.
   * For Anthropic, whose cache has to be marked; on every other wire it changes nothing. A position behind the end is passed over.
   */
  readonly cacheAfter?: readonly number[];
}

/** What a run says about its kind of work: `run(input, { job })`. */
export interface Job {
  readonly class: string;
  readonly justification?: string;
}

export interface LLMRequest extends FromRun {
  /** The front system text first; every result behind its call; no call open. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  /** The names that the personality may offer. */
  readonly toolSet: readonly string[];
  /** A key of the agent's models. */
  readonly model: string;
  readonly models: readonly string[];
  readonly settings: ModelSettings;
  /** User or system messages sent behind the last message of this request only. */
  readonly inject: readonly Message[];
  readonly job?: Job | undefined;
  /** What for, when a handler makes the call by `ctx.callModel`; absent: it is the call of a turn. */
  readonly purpose?: string | undefined;
}

export interface LLMAmendment {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly inject: readonly Message[];
  /** In place of all that is injected up to here, the run's context included. */
  readonly replaceInject: readonly Message[];
  readonly model: string;
  readonly settings: ModelSettings;
  /** Why nothing may be sent. */
  readonly veto: string;
}

export interface LLMAttempt extends LLMRequest {
  /** From 1; a retry counts one more. */
  readonly attempt: number;
}

export interface ModelOutput extends FromRun {
  readonly kind: 'text' | 'reasoning';
  /** The whole block. */
  readonly text: string;
}

export interface ModelOutputAmendment {
  readonly text: string;
  /** Why the block must not be seen: it is in no event, result or history. */
  readonly withhold: string;
}

export interface LLMAnswer {
  readonly message: Message;
  /** What the provider sent, chunk by chunk; kept when somebody listens, and not when output was rewritten or withheld. */
  readonly raw?: readonly unknown[];
}

export interface LLMOutcome extends FromRun {
  readonly model: string;
  /** As of its request. */
  readonly purpose?: string | undefined;
  readonly response?: LLMAnswer;
  readonly error?: unknown;
  readonly usage?: ModelUsage;
  readonly finishReason?: ModelFinishReason;
  readonly attempts: number;
  readonly ms: number;
}

const request = {
  origin: 'object',
  messages: 'array',
  tools: 'array',
  toolSet: 'strings',
  model: 'string',
  models: 'strings',
  settings: 'object',
  inject: 'array',
  job: 'object?',
  purpose: 'string?',
} as const;

export const llmHooks = defineHooks({
  beforeLLM: modifyingHook<LLMRequest, LLMAmendment>({
    discipline: 'pipeline',
    summary: 'Before each model call: the request can be rewritten, routed or vetoed.',
    fields: request,
    keys: {
      messages: 'array',
      tools: 'array',
      inject: 'array',
      replaceInject: 'array',
      model: 'string',
      settings: 'object',
      veto: 'string',
    },
    collect: ['inject'],
    replaces: { replaceInject: 'inject' },
    terminal: ['veto'],
    order: ['hooks?', '*', 'compaction?', 'route-gate?', 'redact?', 'prompt-cache?'],
    locks: { 'route-gate': ['model'] },
    check: checkLLMAmendment,
    aka: ['before_llm_call', 'beforeModel', 'before_model_resolve', 'transformContext'],
  }),
  ...compactionHooks, // while the request is built
  llmRequest: voidHook<LLMAttempt>({
    summary: 'Once per attempt: the request as it is sent.',
    fields: { ...request, attempt: 'number' },
    aka: ['llm_input'],
  }),
  beforeOutput: modifyingHook<ModelOutput, ModelOutputAmendment>({
    discipline: 'pipeline',
    summary: 'A block of text or reasoning is finished: it can be rewritten or withheld before anybody sees it.',
    fields: { origin: 'object', kind: 'string', text: 'string' },
    keys: { text: 'string', withhold: 'string' },
    terminal: ['withhold'],
    aka: ['before_output', 'experimental.text.complete'],
  }),
  afterLLM: voidHook<LLMOutcome>({
    summary: 'Once per model call, failed ones too: the answer, its usage and its duration.',
    fields: {
      origin: 'object',
      model: 'string',
      purpose: 'string?',
      response: 'object?',
      error: 'any?',
      usage: 'object?',
      finishReason: 'object?',
      attempts: 'number',
      ms: 'number',
    },
    aka: ['llm_output', 'afterModel', 'after_llm_call'],
  }),
});
