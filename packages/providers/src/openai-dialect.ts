/** OpenAI's chat completions, as OpenAI and as the servers that speak after it serve them. */
import type { ModelCallOptions, ModelMessage } from '@treblehook/types';
import { withObjectInputs, withOptions, type Connection, type Dialect } from './dialect.js';
import { openaiUsage } from './usage.js';

/** Under this name the package gives and takes what belongs to the provider. */
const compatible = 'openaiCompatible';

export const openaiCompatible: Dialect = {
  endsAtDone: true,
  keyHeaders: ['authorization'],
  load: async ({ modelId, url, apiKey, headers, fetch }: Connection) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: compatible,
      baseURL: url,
      apiKey,
      headers: { ...headers },
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
    return provider.chatModel(modelId);
  },
  spell: (call) => spell(call, compatible, (message) => withThoughtSignatures(withObjectInputs(message))),
  usage: openaiUsage,
};

export const openai: Dialect = {
  url: 'https://api.openai.com/v1',
  endsAtDone: true,
  keyHeaders: ['authorization'],
  load: async ({ modelId, url, apiKey, headers, fetch }: Connection) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: url, apiKey, headers: { ...headers }, fetch }).chat(modelId);
  },
  spell: (call) => spell(call, 'openai', withObjectInputs),
  usage: openaiUsage,
};

function spell(
  { reasoning, ...call }: ModelCallOptions,
  provider: string,
  message: (message: ModelMessage) => ModelMessage,
): ModelCallOptions {
  const effort = reasoning === undefined || reasoning === 'provider-default' ? undefined : reasoning;
  return {
    ...call,
    prompt: call.prompt.map(message),
    ...(effort === undefined ? {} : { providerOptions: withOptions(call, provider, { reasoningEffort: effort }) }),
  };
}

/**
 * Gemini, behind its OpenAI-compatible endpoint, wants the signature of a call back. The package gives it under the
 * provider's name and takes it back under `google`.
 */
function withThoughtSignatures(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant') return message;
  const content = message.content.map((part) => {
    const { thoughtSignature, ...others } = part.providerOptions?.[compatible] ?? {};
    if (part.type !== 'tool-call' || thoughtSignature === undefined) return part;
    return {
      ...part,
      providerOptions: { ...part.providerOptions, [compatible]: others, google: { thoughtSignature } },
    };
  });
  return { ...message, content };
}
