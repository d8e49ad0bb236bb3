/** What a compaction is told, and the check of it. */
import type { Awaitable, CallModel, Message, ToolDescriptor } from '@treblehook/types';
import { budgetRange, didYouMean, estimateTokens, HookError, isBudget, ownFields } from '@treblehook/types';
import { extractiveSummary } from './extract.js';

export interface SummarizeContext {
  /** Aborts with the run, and when `timeoutMs` is over. */
  readonly signal: AbortSignal;
  /** The host's way to call a model; the tenant has it when the host gives one, `compactor()` never. */
  readonly callModel?: CallModel;
}

export interface CompactionOptions {
  /** Tokens of one request: system text, messages, tool schemas and injected messages together. At or under it nothing is done. */
  readonly maxTokens: number;
  /** Tokens of the newest turns that are kept as they are. Default: a fifth of `maxTokens`. The current turn is kept beyond it while it fits. */
  readonly keepTail?: number;
  /**
   * The text that stands in place of `older`, which begins with an earlier summary if there is one. Default: extracts
   * taken by rule, which say so. A blank text, a throw and running over time are failed attempts.
   */
  readonly summarize?: (older: readonly Message[], context: SummarizeContext) => Awaitable<string>;
  /** Default `estimateTokens`. Called with lists of messages, single ones too, and with the tools of a request. */
  readonly countTokens?: (messages: readonly Message[], tools?: readonly ToolDescriptor[]) => number;
  /** First stage, without a model: tool results over `maxChars` (2,000) are cut in the middle; nothing more if that is enough. Default: off. */
  readonly prune?: boolean | { readonly maxChars?: number };
  /** Given what will be dropped or cut, as it was. It must finish before anything is; a failure keeps the history. */
  readonly flush?: (dropping: readonly Message[], signal: AbortSignal) => Awaitable<unknown>;
  /** ms for `flush` and `summarize` of one model call together. Default 108,000; the tenant takes no more than nine tenths of its budget. */
  readonly timeoutMs?: number;
}

/** The options with their defaults filled in. */
export interface Settings {
  readonly maxTokens: number;
  readonly keepTail: number;
  /** Tokens that are reserved for a summary that is not written yet. */
  readonly summaryShare: number;
  readonly summarize: NonNullable<CompactionOptions['summarize']>;
  readonly count: (messages: readonly Message[], tools?: readonly ToolDescriptor[]) => number;
  /** `undefined`: results are not pruned. */
  readonly pruneChars: number | undefined;
  readonly flush: CompactionOptions['flush'];
  readonly timeoutMs: number;
}

const known = ['maxTokens', 'keepTail', 'summarize', 'countTokens', 'prune', 'flush', 'timeoutMs'];
/** Below this a cut result would be little but the mark of the cut. */
const leastPruneChars = 200;

/** Throws `TH_OPTION_INVALID`. */
export function settingsOf(given: CompactionOptions): Settings {
  if (typeof given !== 'object' || given === null) refuse('the options are no object; give at least { maxTokens }');
  const options = ownFields(given);
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    refuse(`'${key}' is no option: ${didYouMean(key, known) ?? `options are ${known.join(', ')}`}`);
  }
  const { maxTokens, prune, flush } = options;
  if (!isWhole(maxTokens, 1)) refuse('maxTokens must be a whole number of tokens from 1, such as 100_000');
  const keepTail = options.keepTail ?? Math.floor(maxTokens / 5);
  if (!isWhole(keepTail, 0) || keepTail >= maxTokens) {
    refuse(`keepTail must be a whole number of tokens from 0 to below maxTokens (${maxTokens})`);
  }
  const timeoutMs = options.timeoutMs ?? 108_000;
  if (!isBudget(timeoutMs)) refuse(`timeoutMs must be ${budgetRange}`);
  for (const key of ['summarize', 'countTokens', 'flush'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function') refuse(`${key} must be a function`);
  }
  const summaryShare = Math.max(1, Math.floor(maxTokens / 10));
  return {
    maxTokens,
    keepTail,
    summaryShare,
    summarize: options.summarize ?? ((older) => extractiveSummary(older, summaryShare)),
    count: checkedCount(options.countTokens ?? estimateTokens),
    pruneChars: pruneCharsOf(prune),
    flush,
    timeoutMs,
  };
}

function pruneCharsOf(prune: CompactionOptions['prune']): number | undefined {
  if (prune === undefined || prune === false) return undefined;
  if (prune !== true && (typeof prune !== 'object' || prune === null))
    refuse('prune must be true, false or { maxChars }');
  const maxChars = (prune === true ? undefined : ownFields(prune).maxChars) ?? 2_000;
  if (!isWhole(maxChars, leastPruneChars))
    refuse(`prune.maxChars must be a whole number of characters from ${leastPruneChars}`);
  return maxChars;
}

/** A count that is no number would make every history seem to fit. */
function checkedCount(count: NonNullable<CompactionOptions['countTokens']>): Settings['count'] {
  return (messages, tools) => {
    const tokens = tools === undefined ? count(messages) : count(messages, tools);
    if (!Number.isFinite(tokens) || tokens < 0)
      refuse(`countTokens gave ${String(tokens)}; it must give a number from 0`);
    return tokens;
  };
}

const isWhole = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least;

function refuse(what: string): never {
  throw new HookError('TH_OPTION_INVALID', { what, where: ' (compaction)' });
}
