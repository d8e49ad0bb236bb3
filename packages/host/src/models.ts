/** From names to models: keys of the host's own, the embedded one, and model strings. */
import { offlineModel } from '@treblehook/agent';
import { resolveModel, type ModelOptions } from '@treblehook/providers';
import { HookError, nearestName, type ModelPort } from '@treblehook/types';

/** Options of a model string, such as its key; the host reads no environment. */
export type ModelOptionsOf = (model: string) => ModelOptions;

/** The name of the embedded model. */
const offline = 'offline';

/**
 * The model behind a name: a key of `models`, `offline`, or `provider:id[@url]`. Rejects with `TH_MODEL_INVALID`, which
 * says what there is.
 */
export async function modelOf(
  name: string,
  models: Readonly<Record<string, ModelPort>>,
  optionsOf: ModelOptionsOf = () => ({}),
): Promise<ModelPort> {
  if (Object.hasOwn(models, name)) return models[name]!;
  if (name === offline) return offlineModel();
  if (name.includes(':')) return resolveModel(name, optionsOf(name));
  const names = [...Object.keys(models), offline];
  const near = nearestName(name, names);
  const mend = near === undefined ? `use ${names.join(', ')} or provider:id[@url]` : `did you mean '${near}'?`;
  throw new HookError('TH_MODEL_INVALID', { model: name, what: mend });
}
