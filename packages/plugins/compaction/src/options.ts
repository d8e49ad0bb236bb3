/** What a compaction is told, and the check of it. */
import type { Awaitable, CallModel, CountTokens, Message } from '@treblehook/types';
import { budgetRange, didYouMean, estimateTokens, HookError, isBudget, ownFields, tokenTally } from '@treblehook/types';
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
  /**
   * Default `estimateTokens`. Called with lists of messages, single ones too, and with the tools of a request; what it gives
   * for a list must be the sum of its parts, since what was counted before is not counted again.
   */
  readonly countTokens?: CountTokens;
  /** First stage, without a model: tool results over `maxChars` (2,000) are cut in the middle; nothing more if that is enough. Default: off. */
  readonly prune?: boolean | { readonly maxChars?: number };
  /** Given what will be dropped or cut, as it was. It must finish before anything is; a failure keeps the history. */
  readonly flush?: (dropping: readonly Message[], signal: AbortSignal) => Awaitable<unknown>;
  /** ms for `flush` and `summarize` of one model call together. Default 108,000; the tenant takes no more than nine tenths of its budget. */
  readonly timeoutMs?: number;
}

/** What the tenant takes: it serves every agent of its registry. */
export interface CompactionTenantOptions extends CompactionOptions {
  /**
   * By the name of an agent (the last of `origin.agentPath`): options in place of the others, or `false`: nothing of this
   * agent is compacted.
   */
  readonly agents?: Readonly<Record<string, Partial<CompactionOptions> | false>>;
}

/** The options with their defaults filled in. */
export interface Settings {
  readonly maxTokens: number;
  readonly keepTail: number;
  /** Tokens that are reserved for a summary that is not written yet. */
  readonly summaryShare: number;
  readonly summarize: NonNullable<CompactionOptions['summarize']>;
  readonly count: CountTokens;
  /** The same for the request in hand: of one that goes on where the last one ended, only what is new is counted. */
  readonly tally: CountTokens;
  /** `undefined`: results are not pruned. */
  readonly pruneChars: number | undefined;
  readonly flush: CompactionOptions['flush'];
  readonly timeoutMs: number;
}

const known = ['maxTokens', 'keepTail', 'summarize', 'countTokens', 'prune', 'flush', 'timeoutMs'];
/** Where a refusal says that it stands. */
const here = ' (compaction)';
/** Below this a cut result would be little but the mark of the cut. */
const leastPruneChars = 200;

/** Which settings hold for the agent of that name; `undefined`: it is not compacted. Throws `TH_OPTION_INVALID`. */
export function settingsByAgent(given: CompactionTenantOptions): (agent: string | undefined) => Settings | undefined {
  const { agents, ...rest } = optionsOf(given, here);
  const house = settingsOf(rest);
  if (agents === undefined) return () => house;
  if (typeof agents !== 'object' || agents === null || Array.isArray(agents))
    refuse("agents must be { '<name of an agent>': { … } or false }", here);
  const byName = new Map<string, Settings | undefined>();
  for (const [name, own] of Object.entries(agents)) {
    const where = ` (compaction of '${name}')`;
    byName.set(name, own === false ? undefined : settingsOf({ ...rest, ...optionsOf(own, where) }, where));
  }
  return (agent) => (agent !== undefined && byName.has(agent) ? byName.get(agent) : house);
}

function optionsOf<T extends Partial<CompactionTenantOptions>>(given: T, where: string): T {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return ownFields(given);
  return refuse(
    where === here
      ? 'the options are no object; give at least { maxTokens }'
      : 'what holds for one agent must be an object of options, or false',
    where,
  );
}

/** Throws `TH_OPTION_INVALID`. */
export function settingsOf(given: CompactionOptions, where = here): Settings {
  const options = optionsOf(given, where);
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const mend = key === 'agents' ? 'the options of one agent name no others' : didYouMean(key, known);
    refuse(`'${key}' is no option: ${mend ?? `options are ${known.join(', ')}`}`, where);
  }
  const { maxTokens, prune, flush } = options;
  if (!isWhole(maxTokens, 1)) refuse('maxTokens must be a whole number of tokens from 1, such as 100_000', where);
  const keepTail = options.keepTail ?? Math.floor(maxTokens / 5);
  if (!isWhole(keepTail, 0) || keepTail >= maxTokens) {
    refuse(`keepTail must be a whole number of tokens from 0 to below maxTokens (${maxTokens})`, where);
  }
  const timeoutMs = options.timeoutMs ?? 108_000;
  if (!isBudget(timeoutMs)) refuse(`timeoutMs must be ${budgetRange}`, where);
  for (const key of ['summarize', 'countTokens', 'flush'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function') refuse(`${key} must be a function`, where);
  }
  const count = checkedCount(options.countTokens ?? estimateTokens, where);
  const summaryShare = Math.max(1, Math.floor(maxTokens / 10));
  return {
    maxTokens,
    keepTail,
    summaryShare,
    summarize: options.summarize ?? ((older) => extractiveSummary(older, summaryShare)),
    count,
    tally: tokenTally(count),
    pruneChars: pruneCharsOf(prune, where),
    flush,
    timeoutMs,
  };
}

function pruneCharsOf(prune: CompactionOptions['prune'], where: string): number | undefined {
  if (prune === undefined || prune === false) return undefined;
  if (prune !== true && (typeof prune !== 'object' || prune === null))
    refuse('prune must be true, false or { maxChars }', where);
  const maxChars = (prune === true ? undefined : ownFields(prune).maxChars) ?? 2_000;
  if (!isWhole(maxChars, leastPruneChars))
    refuse(`prune.maxChars must be a whole number of characters from ${leastPruneChars}`, where);
  return maxChars;
}

/** A count that is no number would make every history seem to fit. */
function checkedCount(count: CountTokens, where: string): CountTokens {
  return (messages, tools) => {
    const tokens = tools === undefined ? count(messages) : count(messages, tools);
    if (!Number.isFinite(tokens) || tokens < 0)
      refuse(`countTokens gave ${String(tokens)}; it must give a number from 0`, where);
    return tokens;
  };
}

const isWhole = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least;

function refuse(what: string, where: string): never {
  throw new HookError('TH_OPTION_INVALID', { what, where });
}
