/** Which key of the environment goes with a model, and which never does. */
import type { ModelOptionsOf } from '@treblehook/host';
import { keyFor } from '@treblehook/providers';
import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/** Of the houses that let nobody in without one. */
const variables = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

/** A URL behind the id: the request goes where the text says, not to the provider's own house. */
const ownUrl = /@[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The key for a model that the person named. A URL that a personality file names gets none: whoever wrote the file chose
 * where the request goes. Throws `UsageError` for a model that cannot be called without a key.
 */
export const keysOf =
  (env: Io['env'], say: (line: string) => void): ModelOptionsOf =>
  (model, namedBy) => {
    const apiKey = keyFor(model, env);
    if (ownUrl.test(model) && namedBy === 'personality') {
      if (apiKey !== undefined) {
        say(`'${model}' is named by the personality, so no key is sent to its URL: name it by --model to send yours`);
      }
      return {};
    }
    // A string that is no model at all is refused by the provider, with what is wrong with it.
    const house = (['openai', 'anthropic'] as const).find((name) => model.startsWith(`${name}:`));
    if (house !== undefined && apiKey === undefined && /:[^@\s]+$/.test(model)) {
      throw new UsageError(`'${model}' needs an API key: set ${variables[house]}`);
    }
    return { apiKey };
  };
