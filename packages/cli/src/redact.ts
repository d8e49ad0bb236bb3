/** The last look at a text before it leaves: no key of the environment, no password of a URL is in it. */
import { keyFor, type ProviderName } from '@treblehook/providers';

const providers = Object.keys({
  'openai-compatible': true,
  openai: true,
  anthropic: true,
} satisfies Record<ProviderName, true>);

/** A key that short would be found in ordinary words. */
const shortest = 8;

/** Puts `[redacted]` where a key of `env` or the user part of a URL stands. */
export function redactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const keys = providers.map((name) => keyFor(name, env) ?? '').filter((key) => key.length >= shortest);
  return (text) => {
    const clean = keys.reduce((left, key) => left.replaceAll(key, '[redacted]'), text);
    return clean.replaceAll(/(\w:\/\/)[^\s/@]+@/g, '$1[redacted]@');
  };
}
