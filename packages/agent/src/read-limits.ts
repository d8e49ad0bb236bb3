/** Limits of a run: each checked, and of two each the smaller. */
import { frozen } from '@treblehook/core';
import type { Limits } from './config.js';
import type { AgentLimits } from './contract.js';
import { assertKnown, invalid, positive, whole } from './read-option.js';

export const noLimits: Limits = {
  steps: 100,
  toolCalls: undefined,
  tokens: undefined,
  cost: undefined,
  wallMs: undefined,
  deniedSteps: undefined,
};

/** Those that are set, frozen. `what`: where they stand. Throws `TH_OPTION_INVALID`. */
export function readLimits(what: string, limits: AgentLimits, hasPrices: boolean): AgentLimits {
  assertKnown(limits, noLimits, `key of ${what}`);
  const read: { -readonly [K in keyof AgentLimits]: AgentLimits[K] } = {};
  for (const key of Object.keys(limits) as (keyof AgentLimits)[]) {
    const at = `${what}.${key}`;
    const limit = key === 'cost' ? positive(at, limits[key]) : whole(at, limits[key], 1);
    if (limit !== undefined) read[key] = limit;
  }
  if (read.cost !== undefined && !hasPrices)
    throw invalid(`${what}.cost counts by prices: give the price of each model`);
  return frozen(read);
}

/** Of each limit the smaller. */
export function tighter(limits: Limits, others: AgentLimits | undefined): Limits {
  if (others === undefined) return limits;
  const read: Record<string, number | undefined> = { ...limits };
  for (const [key, limit] of Object.entries(others) as [keyof AgentLimits, number][]) {
    read[key] = Math.min(limits[key] ?? limit, limit);
  }
  return Object.freeze(read as Limits);
}
