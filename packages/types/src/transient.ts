/** Which faults of a model endpoint pass by themselves, and how long the server asks to wait. */

/** Transient by status: 408, 409, 429 and 5xx, with 529, Anthropic's "overloaded", among them. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status <= 599);
}

/**
 * Reads `Retry-After` (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after): ms from `now` (ms since the epoch), never
 * negative; `undefined` for a value that is neither seconds nor a date.
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // a date begins with the name of its day; `Date.parse` alone would read `-1` and other numbers as years
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
