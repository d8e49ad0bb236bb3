/** Retries: which faults of a model call are transient, and how long to wait before another attempt. */
import { isHookError, isTransientStatus, retryAfterMs } from '@treblehook/types';
import type { RetryOptions } from '../contract.js';

/** https://nodejs.org/api/errors.html and https://github.com/nodejs/undici/blob/main/docs/docs/api/Errors.md */
const networkCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** Errors are wrapped in errors; deeper than this nobody wraps. */
const maxCauses = 8;

/**
 * True for 408, 409, 429, every 5xx and a broken connection. A status decides alone. Errors of our own providers carry
 * `details.status`, or `details.retryable` when they know better; those of the AI SDK `statusCode` and `isRetryable`.
 */
export function isTransient(error: unknown): boolean {
  for (const one of causesOf(error)) {
    const status = statusOf(one);
    if (status !== undefined) return isTransientStatus(status);
  }
  for (const one of causesOf(error)) {
    if (isHookError(one) && (one.code === 'TH_MODEL_UNREACHABLE' || one.code === 'TH_MODEL_STREAM')) {
      return one.details['retryable'] !== false;
    }
    const { name, code, isRetryable } = one as { name?: unknown; code?: unknown; isRetryable?: unknown };
    if (name === 'AbortError') return false;
    if (isRetryable === true || (typeof code === 'string' && networkCodes.has(code))) return true;
  }
  return false;
}

/**
 * ms to wait behind failed attempt `attempt`. What the endpoint asks for in `Retry-After` is the least; `random` (0 up to
 * 1) spreads the waits, so that many callers do not come back at once.
 */
export function delayOf(
  error: unknown,
  attempt: number,
  { baseMs, maxDelayMs }: Required<RetryOptions>,
  now: number,
  random: number,
): number {
  const own = Math.min(maxDelayMs, baseMs * 2 ** (attempt - 1));
  const asked = retryAfterOf(error, now);
  const wait = asked === undefined ? own * (0.5 + random / 2) : asked + (random * own) / 2;
  return Math.round(wait);
}

/** What the endpoint asked for, ms. `now`, ms since the epoch, is the base of a date. */
export function retryAfterOf(error: unknown, now: number): number | undefined {
  for (const one of causesOf(error)) {
    const ours = isHookError(one) ? one.details['retryAfterMs'] : undefined;
    if (typeof ours === 'number' && ours >= 0) return ours;
    const headers = (one as { responseHeaders?: unknown }).responseHeaders;
    if (typeof headers !== 'object' || headers === null) continue;
    const asked = fromHeaders(headers as Record<string, unknown>, now);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

/** Both forms of https://www.rfc-editor.org/rfc/rfc9110#field.retry-after, and the ms form that some endpoints add. */
function fromHeaders(headers: Record<string, unknown>, now: number): number | undefined {
  let after: string | undefined;
  for (const key of Object.keys(headers)) {
    const name = key.toLowerCase();
    const value = headers[key];
    if (typeof value !== 'string') continue;
    if (name === 'retry-after-ms' && /^\d+(\.\d+)?$/.test(value.trim())) return Number(value);
    if (name === 'retry-after') after = value.trim();
  }
  return retryAfterMs(after, now);
}

function statusOf(error: object): number | undefined {
  if (isHookError(error)) {
    const { status } = error.details;
    return typeof status === 'number' ? status : undefined;
  }
  const { statusCode, status } = error as { statusCode?: unknown; status?: unknown };
  return typeof statusCode === 'number' ? statusCode : typeof status === 'number' ? status : undefined;
}

function* causesOf(error: unknown): Generator<object> {
  let one = error;
  for (let depth = 0; depth < maxCauses && typeof one === 'object' && one !== null; depth++) {
    yield one;
    one = (one as { cause?: unknown }).cause;
  }
}
