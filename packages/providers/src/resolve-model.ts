/** From a model string to a model port. */
import { didYouMean } from '@treblehook/types';
import { anthropic } from './anthropic-dialect.js';
import type { Call } from './call.js';
import type { Dialect } from './dialect.js';
import { keyVariables } from './keys.js';
import { parseModel, wrong, type ProviderName } from './model-string.js';
import { openai, openaiCompatible } from './openai-dialect.js';
import type { ProviderModel } from './provider-model.js';
import { providerPort } from './provider-port.js';
import { secretsOf } from './secrets.js';
import { spelledAlike, watched, type Fetch } from './transport.js';

export interface ModelOptions {
  /** Sent as the provider wants it. Needed for the houses' own endpoints; with a URL of your own it may be left out. */
  readonly apiKey?: string | undefined;
  /** Sent with each request, over those of the provider package. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The transport. Default: the global `fetch` at the time of each call. */
  readonly fetch?: Fetch | undefined;
}

const dialects: Readonly<Record<ProviderName, Dialect>> = { 'openai-compatible': openaiCompatible, openai, anthropic };
const optionNames = ['apiKey', 'headers', 'fetch'];

/**
 * Resolves `provider:id[@url]` and imports the package of that provider, no other. Nothing is sent, and no environment is
 * read (`keyFor` picks the key out of one).
 *
 * Throws `TH_MODEL_INVALID`. The port's calls reject, or their streams throw, with
 * - `TH_MODEL_HTTP` `{ endpoint, status, body, retryAfterMs, retryable }`: `body` redacted, at most 2,000 characters;
 * - `TH_MODEL_UNREACHABLE` `{ endpoint, retryable }`: no answer came;
 * - `TH_MODEL_STREAM` `{ endpoint, kind, type, retryable }`: `kind` is `cut`, `garbage` or `error`, the last with the
 *   `type` that the provider reports;
 * - `TH_MODEL_REQUEST` `{ endpoint }`: the dialect cannot express it, nothing was sent;
 * - the reason of the caller's signal, as it is.
 *
 * There are no retries inside.
 */
export async function resolveModel(model: string, options: ModelOptions = {}): Promise<ProviderModel> {
  const { provider, id, url: given } = parseModel(model);
  const dialect = dialects[provider];
  const { apiKey, headers, fetch } = checked(model, options);
  const named = Object.keys(headers).some((name) => dialect.keyHeaders.includes(name.toLowerCase()));
  if (given === undefined && apiKey === '' && !named) {
    throw wrong(
      model,
      `it needs an API key: give one as \`apiKey\` (the variable for it is ${keyVariables[provider]})`,
    );
  }
  const url = given ?? dialect.url ?? '';
  const calls = new WeakMap<AbortSignal, Call>();
  const transport: Fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  const inner = await dialect.load({
    modelId: id,
    url,
    apiKey,
    headers,
    fetch: watched(transport, calls, dialect.endsAtDone),
  });
  const secrets = [...(apiKey === '' ? [] : [apiKey]), ...secretsOf(Object.entries(headers))];
  return providerPort(inner, { provider, url, dialect, secrets, calls });
}

interface Checked {
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch | undefined;
}

/** Checks here what a transport would refuse with the value in its message. */
function checked(model: string, options: ModelOptions): Checked {
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue;
    throw wrong(
      model,
      `there is no option '${name}': ${didYouMean(name, optionNames) ?? `use ${optionNames.join(', ')}`}`,
    );
  }
  const { apiKey = '', headers = {}, fetch } = options;
  if (typeof apiKey !== 'string') throw wrong(model, '`apiKey` is no text');
  if (!isHeader('authorization', apiKey)) {
    throw wrong(model, '`apiKey` holds a character that no header can carry: is there a line break in it?');
  }
  if (typeof headers !== 'object' || headers === null) throw wrong(model, '`headers` is no map of texts');
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !isHeader(name, value)) {
      throw wrong(model, `the header '${name}' has a name or a value that cannot be sent`);
    }
  }
  if (fetch !== undefined && typeof fetch !== 'function') throw wrong(model, '`fetch` is no function');
  return { apiKey, headers: spelledAlike(headers), fetch };
}

function isHeader(name: string, value: string): boolean {
  try {
    return !/[\r\n]/.test(value) && new Headers([[name, value]]).has(name);
  } catch {
    return false; // swallows the TypeError, which quotes the value
  }
}
