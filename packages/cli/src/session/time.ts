/** A moment as it is shown: the same wherever it is read. */

/** `2026-01-31 09:30:00Z`, from ms since the epoch. */
export const timeText = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
