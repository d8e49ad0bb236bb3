/** Which variable of an environment holds the key of a provider. The host passes the environment; nothing here reads one. */
import { providerOf, type ProviderName } from './model-string.js';

/** A server of one's own gets a key of its own: the key of OpenAI is never sent to it. */
export const keyVariables: Readonly<Record<ProviderName, string>> = Object.freeze({
  'openai-compatible': 'TREBLEHOOK_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
});

/**
 * The API key for a provider out of an environment such as `process.env`, blanks around it cut off; `undefined` when there
 * is none. Takes a provider's name or a whole model string.
 */
export function keyFor(model: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const provider = providerOf(model);
  const key = provider === undefined ? undefined : env[keyVariables[provider]]?.trim();
  return key === '' ? undefined : key;
}
