/** What a call has used: as the provider has reported it, estimated where it has not, and what that costs. */
import { estimateTokens, ownFields, type Frozen, type LLMOutcome, type ModelUsage } from '@treblehook/types';

/** Per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: that of input. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Used {
  readonly tokens: number;
  /** `undefined`: the model has no price. */
  readonly cost: number | undefined;
  readonly isEstimated: boolean;
}

const million = 1_000_000;
/** A count that is none was not reported: a negative one would give budget back. */
const counted = (tokens: number | undefined): number | undefined =>
  tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;

/** Cached tokens are part of the input, reasoning tokens of the output: neither is counted twice. */
export function usedBy(
  { usage, response }: Pick<Frozen<LLMOutcome>, 'usage' | 'response'>,
  price: Price | undefined,
  inputGuess: number,
): Used {
  const { read, write, fresh, output } = countsOf(usage);
  // most failed calls cost nothing: where one has answered nothing, nothing is guessed
  const input = fresh ?? (response === undefined || read + write > 0 ? 0 : inputGuess);
  const answer = output ?? (response === undefined ? 0 : estimateTokens([response.message]));
  return {
    tokens: input + read + write + answer,
    cost: price && costOf(price, { fresh: input, read, write, output: answer }),
    isEstimated: response !== undefined && (fresh === undefined || output === undefined),
  };
}

function countsOf(usage: Frozen<ModelUsage> | undefined) {
  const { total, noCache, cacheRead, cacheWrite } = ownFields<Partial<ModelUsage['inputTokens']>>(
    usage?.inputTokens ?? {},
  );
  const { total: out, text, reasoning } = ownFields<Partial<ModelUsage['outputTokens']>>(usage?.outputTokens ?? {});
  const read = counted(cacheRead) ?? 0;
  const write = counted(cacheWrite) ?? 0;
  const all = counted(total);
  const parts =
    counted(text) === undefined && counted(reasoning) === undefined
      ? undefined
      : (counted(text) ?? 0) + (counted(reasoning) ?? 0);
  return {
    read,
    write,
    fresh: counted(noCache) ?? (all === undefined ? undefined : Math.max(0, all - read - write)),
    output: counted(out) ?? parts,
  };
}

export function costOf(
  price: Price,
  tokens: { readonly fresh: number; readonly output: number; readonly read?: number; readonly write?: number },
): number {
  const { fresh, output, read = 0, write = 0 } = tokens;
  const { input, cacheRead = input, cacheWrite = input } = price;
  return (fresh * input + read * cacheRead + write * cacheWrite + output * price.output) / million;
}
