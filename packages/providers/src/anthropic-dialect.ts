/** Anthropic's messages. */
import type { ModelCallOptions, ModelMessage } from '@treblehook/types';
import { withObjectInputs, withOptions, type Connection, type Dialect } from './dialect.js';
import { anthropicUsage } from './usage.js';

export const anthropic: Dialect = {
  url: 'https://api.anthropic.com/v1',
  keyHeaders: ['x-api-key', 'authorization'],
  load: async ({ modelId, url, apiKey, headers, fetch }: Connection) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: url, apiKey, headers: { ...headers }, fetch })(modelId);
  },
  spell: ({ reasoning, ...call }, modelId) => ({
    ...call,
    prompt: withWireIds(systemFirst(call.prompt).flatMap(filled).map(withObjectInputs)),
    ...(reasoning === undefined || reasoning === 'provider-default'
      ? {}
      : { providerOptions: withOptions(call, 'anthropic', thinking(reasoning, modelId)) }),
  }),
  usage: anthropicUsage,
};

/** The dialect has one place for system text, in front: what stands behind is appended there, a block of its own. */
function systemFirst(prompt: readonly ModelMessage[]): ModelMessage[] {
  return [...prompt.filter(({ role }) => role === 'system'), ...prompt.filter(({ role }) => role !== 'system')];
}

/** Leaves out blank texts, and messages that hold nothing else: the API refuses both. */
function filled(message: ModelMessage): ModelMessage[] {
  if (message.role === 'system') return message.content.trim() === '' ? [] : [message];
  if (message.role === 'tool') return [message];
  const content = message.content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content } as ModelMessage];
}

/**
 * Ids of calls are `[a-zA-Z0-9_-]+` and unique in a request (https://docs.claude.com/en/api/messages). Those that another
 * provider gave may be neither; a result follows its call.
 */
function withWireIds(prompt: readonly ModelMessage[]): ModelMessage[] {
  const taken = new Set<string>();
  const open = new Map<string, string>();
  const wireId = (id: string): string => {
    const plain = id.replace(/[^\w-]/g, '_') || 'call';
    let unique = plain;
    for (let n = 2; taken.has(unique); n++) unique = `${plain}_${n}`;
    taken.add(unique);
    open.set(id, unique);
    return unique;
  };
  return prompt.map((message) => {
    if (message.role === 'assistant') {
      const content = message.content.map((part) =>
        part.type === 'tool-call' ? { ...part, toolCallId: wireId(part.toolCallId) } : part,
      );
      return { ...message, content };
    }
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) => ({
      ...part,
      toolCallId: open.get(part.toolCallId) ?? part.toolCallId,
    }));
    return { ...message, content };
  });
}

type Effort = Exclude<ModelCallOptions['reasoning'], undefined | 'provider-default'>;

/**
 * Tokens to think with, for models that take a number: at least 1,024
 * (https://docs.claude.com/en/docs/build-with-claude/extended-thinking), and under the smallest output limit of a model
 * that thinks, 32,000.
 */
const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 12_288,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** Up to 4.5 a model takes a number of tokens; later ones take an effort. */
const takesBudget = /claude-3-7|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?(-latest)?$/;

function thinking(effort: Effort, modelId: string): Record<string, unknown> {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (takesBudget.test(modelId)) return { thinking: { type: 'enabled', budgetTokens: budgets[effort] } };
  return { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort };
}
