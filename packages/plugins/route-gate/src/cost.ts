/** What calls cost: from usage and prices, kept per session. */
import { estimateTokens, type Message, type ModelUsage } from '@treblehook/types';
import type { Price } from './options.js';

const million = 1_000_000;

export interface Cost {
  readonly amount: number;
  /** False: a token count or a price was missing, and the amount is an estimate or a lower bound. */
  readonly exact: boolean;
}

/** What stands in for counts that the provider did not report, tokens. */
export interface Guess {
  readonly input: number;
  readonly output: number;
}

/** Cached tokens are part of the input total, reasoning tokens of the output total; neither is counted twice. */
export function costOf(usage: ModelUsage | undefined, price: Price | undefined, guess: Guess): Cost {
  const { inputTokens: input, outputTokens: output } = usage ?? { inputTokens: undefined, outputTokens: undefined };
  const read = input?.cacheRead ?? 0;
  const write = input?.cacheWrite ?? 0;
  const fresh = input?.noCache ?? (input?.total === undefined ? undefined : Math.max(0, input.total - read - write));
  let exact = true;
  let amount = 0;
  const add = (tokens: number | undefined, guessed: number, rate: number | undefined, fallback?: number): void => {
    if (tokens === undefined) exact = false;
    const count = tokens ?? guessed;
    if (rate === undefined && count > 0) exact = false;
    amount += (count * (rate ?? fallback ?? 0)) / million;
  };
  add(fresh, guess.input, price?.input);
  add(read, 0, price?.cacheRead, price?.input);
  add(write, 0, price?.cacheWrite, price?.input);
  add(output?.total, guess.output, price?.output);
  return { amount, exact };
}

/** Without an answer nothing is guessed: most failed calls cost nothing, and what they cost nobody can say. */
export const guessOf = (inputTokens: number, answer: Message | undefined): Guess =>
  answer === undefined ? { input: 0, output: 0 } : { input: inputTokens, output: estimateTokens([answer]) };

export interface Purse {
  spent: number;
  /** Calls whose cost is estimated or a lower bound. */
  inexact: number;
  /** Of the request that was let through last, tokens: of a turn, and of a handler, whose call may be made meanwhile. */
  lastTokens: { turn: number; side: number };
}

/** Sessions whose spending is remembered; of more, the one that has rested longest goes. Each takes some hundred bytes. */
const most = 50_000;

export class Purses {
  readonly #bySession = new Map<string, Purse>();

  of(sessionId: string): Purse {
    const purse = this.#bySession.get(sessionId) ?? { spent: 0, inexact: 0, lastTokens: { turn: 0, side: 0 } };
    this.#bySession.delete(sessionId);
    this.#bySession.set(sessionId, purse);
    if (this.#bySession.size > most) this.#bySession.delete(this.#bySession.keys().next().value as string);
    return purse;
  }

  get size(): number {
    return this.#bySession.size;
  }
}
