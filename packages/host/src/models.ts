/** From names to models: keys of the host's own, the embedded one, and model strings. */
import { offlineModel } from '@treblehook/agent';
import { resolveModel, type ModelOptions } from '@treblehook/providers';
import { didYouMean, HookError, type ModelPort } from '@treblehook/types';

/** Who named a model: the program that made the host, or a personality, which may be a file of somebody else. */
export type NamedBy = 'host' | 'personality';

/**
 * Options of a model string, such as its key; the host reads no environment. A URL in a model that a personality named is
 * the choice of whoever wrote it: it must get no key that was not meant for it.
 */
export type ModelOptionsOf = (model: string, namedBy: NamedBy) => ModelOptions;

/** The name of the embedded model. */
const offline = 'offline';

/**
 * The model behind a name: a key of `models`, `offline`, or `provider:id[@url]`. Rejects with `TH_MODEL_INVALID`, which
 * says what there is.
 */
export async function modelOf(
  name: string,
  models: Readonly<Record<string, ModelPort>>,
  namedBy: NamedBy,
  optionsOf: ModelOptionsOf = () => ({}),
): Promise<ModelPort> {
  if (Object.hasOwn(models, name)) return models[name]!;
  if (name === offline) return offlineModel();
  if (name.includes(':')) return resolveModel(name, optionsOf(name, namedBy));
  const names = [...Object.keys(models), offline];
  const what = didYouMean(name, names) ?? `use ${names.join(', ')} or provider:id[@url]`;
  throw new HookError('TH_MODEL_INVALID', { model: name, what });
}
