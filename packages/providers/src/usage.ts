/** Usage as the provider reported it: the packages write zero for what was not reported; here that is `undefined`. */
import type { ModelUsage } from '@treblehook/types';

/** A number of the provider's own report, by path. */
function reported(raw: unknown, ...path: string[]): number | undefined {
  let value = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'number' ? value : undefined;
}

/** `total` less what is known of its parts; `undefined` when either is not known. */
function rest(total: number | undefined, ...parts: (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (total === undefined || known.length === 0) return undefined;
  return Math.max(0, total - known.reduce((sum, part) => sum + part, 0));
}

/** https://platform.openai.com/docs/api-reference/chat-streaming: the prompt's tokens hold the cached ones. */
export function openaiUsage({ raw }: ModelUsage): ModelUsage {
  const input = reported(raw, 'prompt_tokens');
  const cacheRead = reported(raw, 'prompt_tokens_details', 'cached_tokens');
  const cacheWrite = reported(raw, 'prompt_tokens_details', 'cache_write_tokens');
  const output = reported(raw, 'completion_tokens');
  const reasoning = reported(raw, 'completion_tokens_details', 'reasoning_tokens');
  return {
    inputTokens: { total: input, noCache: rest(input, cacheRead, cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: rest(output, reasoning), reasoning },
    raw,
  };
}

/** https://docs.claude.com/en/api/messages-streaming: `input_tokens` are those beside the cache, so the package's sums hold. */
export function anthropicUsage({ inputTokens, outputTokens, raw }: ModelUsage): ModelUsage {
  const known = (sum: number | undefined, key: string): number | undefined => (sum === 0 ? reported(raw, key) : sum);
  return {
    inputTokens: {
      total: known(inputTokens.total, 'input_tokens'),
      noCache: known(inputTokens.noCache, 'input_tokens'),
      cacheRead: known(inputTokens.cacheRead, 'cache_read_input_tokens'),
      cacheWrite: known(inputTokens.cacheWrite, 'cache_creation_input_tokens'),
    },
    outputTokens: { ...outputTokens, total: known(outputTokens.total, 'output_tokens') },
    raw,
  };
}
