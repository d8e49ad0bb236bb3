/** Adding up what model calls used. */
import type { ModelUsage } from '@treblehook/types';

export const noUsage: ModelUsage = Object.freeze({
  inputTokens: Object.freeze({ total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }),
  outputTokens: Object.freeze({ total: undefined, text: undefined, reasoning: undefined }),
});

/** Frozen. A field that neither call reported stays `undefined`. `raw` belongs to one call and is left out. */
export function addUsage(sum: ModelUsage, more: ModelUsage): ModelUsage {
  const [a, b] = [sum.inputTokens, more.inputTokens];
  const [c, d] = [sum.outputTokens, more.outputTokens];
  return Object.freeze({
    inputTokens: Object.freeze({
      total: plus(a.total, b.total),
      noCache: plus(a.noCache, b.noCache),
      cacheRead: plus(a.cacheRead, b.cacheRead),
      cacheWrite: plus(a.cacheWrite, b.cacheWrite),
    }),
    outputTokens: Object.freeze({
      total: plus(c.total, d.total),
      text: plus(c.text, d.text),
      reasoning: plus(c.reasoning, d.reasoning),
    }),
  });
}

/** Tokens, as far as they were reported. */
export const totalOf = ({ inputTokens, outputTokens }: ModelUsage): number =>
  (inputTokens.total ?? 0) + (outputTokens.total ?? 0);

const plus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b;
