/** Which key of the environment goes with a model, and which never does. */
import type { ModelOptionsOf } from '@treblehook/host';
import { keyFor, keyVariableOf, urlOf } from '@treblehook/providers';
import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/** The houses let nobody in without a key. A string that is no model is refused by the provider, with what is wrong. */
const atTheHouse = /^(?:openai|anthropic):[^@\s]+$/;

/**
 * The key for a model that the person named. A URL that a personality file, or `other`, names gets none: whoever wrote it
 * chose where the request goes. Throws `UsageError` for a model that cannot be called without a key.
 */
export const keysOf =
  (env: Io['env'], say: (line: string) => void, other?: string): ModelOptionsOf =>
  (model, namedBy) => {
    const apiKey = keyFor(model, env);
    if (urlOf(model) !== undefined && (other !== undefined || namedBy === 'personality')) {
      if (apiKey !== undefined) {
        const by = namedBy === 'personality' ? 'the personality' : other;
        say(`'${model}' is named by ${by}, so no key is sent to its URL: name it by --model to send yours`);
      }
      return {};
    }
    if (apiKey === undefined && atTheHouse.test(model)) {
      throw new UsageError(`'${model}' needs an API key: set ${keyVariableOf(model)}`);
    }
    return { apiKey };
  };
