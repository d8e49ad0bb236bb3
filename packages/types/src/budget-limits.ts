/** What a budget may be: as long as a timer can wait, and no longer. */

/** Longest delay of a timer, ms: https://nodejs.org/api/timers.html (2^31 - 1). */
export const longestTimerMs = 2_147_483_647;
export const budgetRange = `a whole number from 1 to ${longestTimerMs} (ms)`;
export const isBudget = (ms: unknown): ms is number =>
  Number.isInteger(ms) && (ms as number) >= 1 && (ms as number) <= longestTimerMs;
