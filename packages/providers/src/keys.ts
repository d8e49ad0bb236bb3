/** Which variable of an environment holds the key of a provider. The host passes the environment; nothing here reads one. */
import { providerOf, urlOf, type ProviderName } from './model-string.js';

/** The keys of the houses are for the houses: a server at a URL of one's own gets a key of its own. */
export const keyVariables: Readonly<Record<ProviderName, string>> = Object.freeze({
  'openai-compatible': 'TREBLEHOOK_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
});

/** What a key is for that is sent to a URL of one's own, whichever dialect is spoken there. */
const ownVariable = keyVariables['openai-compatible'];
/** The houses' own endpoints, which get the houses' keys also when the model string names them. */
const houses: Readonly<Partial<Record<ProviderName, string>>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
};

/**
 * The API key for a model out of an environment such as `process.env`, blanks around it cut off; `undefined` when there is
 * none. Takes a provider's name or a whole model string. `OPENAI_API_KEY` and `ANTHROPIC_API_KEY` are given for the
 * endpoints of these houses alone: a model string with another URL gets `TREBLEHOOK_API_KEY`.
 */
export function keyFor(model: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const variable = keyVariableOf(model);
  const key = variable === undefined ? undefined : env[variable]?.trim();
  return key === '' ? undefined : key;
}

/** The variable that `keyFor` looks at; `undefined` when the model names no provider that there is. */
export function keyVariableOf(model: string): string | undefined {
  const provider = providerOf(model);
  if (provider === undefined) return undefined;
  const url = urlOf(model);
  return url === undefined || isOf(houses[provider], url) ? keyVariables[provider] : ownVariable;
}

function isOf(house: string | undefined, url: string): boolean {
  return house !== undefined && URL.canParse(url) && new URL(url).origin === house;
}
