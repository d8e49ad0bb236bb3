/** What the cache gave, session by session, as the provider has reported it. */
import type { ModelUsage } from '@treblehook/types';

export interface PromptCacheStats {
  readonly sessionId: string;
  /** Model calls of which the provider has told what the cache gave or took. */
  readonly calls: number;
  /** Calls of which it has told nothing: no hit, and no miss either. */
  readonly unreported: number;
  /** Tokens of the requests of `calls`, those of the cache included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Share of `inputTokens` that was read from the cache, 0 to 1; absent: nothing was reported. */
  readonly hitRate?: number;
}

/** Sessions that are counted at once; of more, the one that has rested longest is forgotten. */
const most = 10_000;
type Counts = { -readonly [K in Exclude<keyof PromptCacheStats, 'sessionId' | 'hitRate'>]: number };

export class Stats {
  readonly #bySession = new Map<string, Counts>();

  count(sessionId: string, usage: ModelUsage | undefined): void {
    const zero = { calls: 0, unreported: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const counts = this.#bySession.get(sessionId) ?? zero;
    this.#bySession.delete(sessionId);
    this.#bySession.set(sessionId, counts);
    if (this.#bySession.size > most) this.#bySession.delete(this.#bySession.keys().next().value as string);
    const { total, noCache, cacheRead: read, cacheWrite: write } = usage?.inputTokens ?? {};
    const all = total ?? (noCache === undefined ? undefined : noCache + (read ?? 0) + (write ?? 0));
    if (all === undefined || (read === undefined && write === undefined)) {
      counts.unreported += 1;
      return;
    }
    counts.calls += 1;
    counts.inputTokens += all;
    counts.cacheReadTokens += read ?? 0;
    counts.cacheWriteTokens += write ?? 0;
  }

  /** Of one session, which is forgotten with it; `undefined`: it has called no model. */
  take(sessionId: string): PromptCacheStats | undefined {
    const counts = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    return counts && statsOf(sessionId, counts);
  }

  takeAll(): readonly PromptCacheStats[] {
    const all = [...this.#bySession].map(([sessionId, counts]) => statsOf(sessionId, counts));
    this.#bySession.clear();
    return all;
  }
}

const statsOf = (sessionId: string, counts: Counts): PromptCacheStats =>
  Object.freeze({
    sessionId,
    ...counts,
    ...(counts.inputTokens === 0 ? {} : { hitRate: counts.cacheReadTokens / counts.inputTokens }),
  });
