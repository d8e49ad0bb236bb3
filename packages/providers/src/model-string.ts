/** The grammar of a model string, `provider:id[@url]`, and what it says when one is wrong. */
import { HookError, nearestName, textOf } from '@treblehook/types';

export const providers = ['openai-compatible', 'openai', 'anthropic'] as const;
export type ProviderName = (typeof providers)[number];

export interface ModelString {
  readonly provider: ProviderName;
  /** May itself hold `:`, `/` and `@`, such as `qwen3:8b` or `@cf/meta/llama-3`. */
  readonly id: string;
  /** `http:` or `https:`, without a slash at its end. */
  readonly url?: string;
}

const form: Readonly<Record<ProviderName, string>> = {
  'openai-compatible': 'openai-compatible:<id>@<base url>',
  openai: 'openai:<id>',
  anthropic: 'anthropic:<id>',
};
const forms = `${form['openai-compatible']}, ${form.openai}[@<base url>] or ${form.anthropic}[@<base url>]`;

/** What stands behind the base URL; whoever writes it there would send to it twice. */
const endpointPath = /\/(chat\/completions|completions|responses|messages)$/;

/** The first `@` that a scheme follows. */
const beforeUrl = /@[a-z][a-z0-9+.-]*:\/\//i;

/** The URL that a model string names, unchecked. */
export function urlOf(model: string): string | undefined {
  const at = model.search(beforeUrl);
  return at < 0 ? undefined : model.slice(at + 1);
}

/** The provider that a model string, or a provider name alone, begins with. */
export function providerOf(model: string): ProviderName | undefined {
  const name = model.split(':', 1)[0];
  return providers.find((provider) => provider === name);
}

/** Throws `TH_MODEL_INVALID`, which says what is wrong and shows the right form. */
export function parseModel(model: unknown): ModelString {
  if (typeof model !== 'string') throw wrong(textOf(model), `a model is a text: write ${forms}`);
  const colon = model.indexOf(':');
  if (colon < 1) throw wrong(model, `it names no provider: write ${forms}`);
  const provider = providerOf(model);
  if (provider === undefined) {
    const name = model.slice(0, colon);
    const near = nearestName(name, providers);
    const hint = near === undefined ? `write ${forms}` : `did you mean '${near}'? Write ${form[near as ProviderName]}`;
    throw wrong(model, `there is no provider '${name}': ${hint}`);
  }
  const { id, url } = split(model, model.slice(colon + 1), provider);
  if (id === '') throw wrong(model, `it names no model id: write ${form[provider]}`);
  if (/\s/.test(id)) throw wrong(model, `its id '${id}' holds a blank: write ${form[provider]}`);
  return { provider, id, ...(url === undefined ? {} : { url: baseUrl(model, url, provider) }) };
}

/** The URL begins behind the first `@` that a scheme follows, so that ids may hold `@` and URLs may be refused for it. */
function split(model: string, rest: string, provider: ProviderName): { id: string; url?: string } {
  const at = rest.search(beforeUrl);
  if (at >= 0) return { id: rest.slice(0, at), url: rest.slice(at + 1) };
  const loose = rest.lastIndexOf('@');
  if (loose > 0) {
    throw wrong(model, `behind the '@' stands no URL: write ${form[provider].split('@')[0]}@http://<host>:<port>/v1`);
  }
  if (provider !== 'openai-compatible') return { id: rest };
  throw wrong(
    model,
    `it names no base URL: write ${form[provider]}, such as ${provider}:qwen3@http://127.0.0.1:11434/v1`,
  );
}

function baseUrl(model: string, text: string, provider: ProviderName): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // swallows the TypeError of `URL`, which says less
    throw wrong(model, `'${hide(text)}' is no URL: write ${form[provider].split('@')[0]}@http://<host>:<port>/v1`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw wrong(model, `its base URL begins with '${url.protocol}': it must begin with http: or https:`);
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong(model, 'its base URL carries a user name or a password: give the key as `apiKey`, or as a header');
  }
  if (url.search !== '' || url.hash !== '') {
    throw wrong(
      model,
      "its base URL carries a '?' or a '#': give keys as `apiKey` or as a header, and nothing else there",
    );
  }
  const path = endpointPath.exec(url.pathname.replace(/\/+$/, ''))?.[0];
  if (path !== undefined) throw wrong(model, `its base URL ends in '${path}', which is added to it: leave that out`);
  return url.href.replace(/\/+$/, '');
}

/** What may be a secret in a URL is never printed: user name, password, query, fragment. */
function hide(text: string): string {
  return text.replace(/(:\/\/).*@/s, '$1…@').replace(/(:\/\/[^?#]*[?#]).*$/s, '$1…');
}

export function wrong(model: string, what: string): HookError {
  return new HookError('TH_MODEL_INVALID', { model: hide(model), what });
}
