/** The transport under a provider package: it closes the door on redirects and turns what is no answer into errors. */
import { isTransientStatus, retryAfterMs, HookError } from '@treblehook/types';
import type { Call } from './call.js';
import { cleanCause, codeIn } from './clean-cause.js';
import { errorBody, line, messageIn, parsed } from './error-body.js';
import { endingAtDone } from './done-marker.js';

export type Fetch = typeof globalThis.fetch;

/** Characters of an error body that the error shows. */
const shownBody = 2_000;
/** Characters of the provider's own words in the message. */
const shownWords = 300;

const networkWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: is the server running there?',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be looked up',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
};

/**
 * Wraps `fetch` for one model. `calls` finds the call by the signal that the provider package passes on. A call that is
 * not in it goes through untouched. `endsAtDone`: the dialect ends an answer with `[DONE]`, and its package waits for the
 * end of the body.
 */
export function watched(fetch: Fetch, calls: WeakMap<AbortSignal, Call>, endsAtDone = false): Fetch {
  return async (input, init) => {
    const call = init?.signal ? calls.get(init.signal) : undefined;
    if (call === undefined) return fetch(input, init);
    const headers = filled(new Headers(init?.headers));
    call.endpoint = endpointOf(input instanceof Request ? input.url : String(input));
    call.sent = true;
    let response: Response;
    try {
      // a redirect would carry the key to wherever the answer says
      response = await fetch(input, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      if (call.signal.aborted) throw error;
      throw unreachable(call, error);
    }
    if (!response.ok) throw await statusFault(call, response);
    const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'text/event-stream') call.oddType = type ?? 'of no media type';
    return endsAtDone ? endingAtDone(response) : response;
  };
}

/** Leaves out what a provider package sends in place of a key when there is none: `Bearer` alone, an empty key. */
function filled(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([, value]) => value !== '' && !/^bearer\s*$/i.test(value)));
}

/** One spelling per name: the packages put theirs under `Authorization` and lower-case names, and both would be sent. */
export function spelledAlike<V extends string | undefined>(headers: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lower = name.toLowerCase();
      return [lower === 'authorization' ? 'Authorization' : lower, value];
    }),
  );
}

/** A URL without what may be secret in it. */
function endpointOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

/** What fetch itself refuses, by its words; the next attempt would be refused as well. https://fetch.spec.whatwg.org/#port-blocking */
const neverPasses: ReadonlySet<string> = new Set(['bad port']);

function unreachable(call: Call, error: unknown): HookError {
  const { redact, endpoint } = call;
  const cause = cleanCause(error, redact);
  const code = codeIn(cause);
  const words = code === undefined ? undefined : networkWords[code];
  const inner = cause.cause instanceof Error ? cause.cause.message : cause.message;
  const what = words === undefined ? line(inner, shownWords) : `${words} (${code})`;
  const retryable = !neverPasses.has(inner);
  return new HookError('TH_MODEL_UNREACHABLE', { endpoint: redact(endpoint), what, retryable, cause });
}

async function statusFault(call: Call, response: Response): Promise<HookError> {
  const receivedAt = Date.now();
  const { status, statusText, headers } = response;
  const body = await errorBody(call, response);
  const { redact, endpoint } = call;
  const words = line(messageIn(parsed(body)) ?? body, shownWords);
  return new HookError('TH_MODEL_HTTP', {
    endpoint: redact(endpoint),
    status,
    what: redact(`${words || statusText || 'it gave no reason'}${mend(response, endpoint)}`),
    body: body.slice(0, shownBody),
    retryAfterMs: retryAfterMs(headers.get('retry-after'), receivedAt),
    retryable: isTransientStatus(status),
  });
}

function mend({ status, headers }: Response, url: string): string {
  if (status === 401 || status === 403) return ' (check the API key)';
  if (status === 404) return ' (check the model id and the base URL)';
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  const target = location === null ? undefined : placeOf(location, url);
  return target === undefined ? '' : ` (it redirects to ${target}: give that as base URL)`;
}

/** Where a redirect leads, without what may be secret in it: user name, password, query, fragment. */
function placeOf(location: string, from: string): string | undefined {
  try {
    return endpointOf(new URL(location, from).href);
  } catch {
    return undefined; // swallows a location that is no URL: it may hold anything
  }
}
