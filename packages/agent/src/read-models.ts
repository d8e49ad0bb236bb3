/** The models of an agent: each a port, by its key, and who may start from which. */
import type { ModelPort } from '@treblehook/types';
import type { ReadPersonality } from './config.js';
import type { AgentOptions } from './contract.js';
import { invalid, meant } from './read-option.js';

/** With the key that each call starts from where the personality names none. Throws `TH_OPTION_INVALID`. */
export function readModels({ model, models = {} }: AgentOptions): {
  readonly models: ReadonlyMap<string, ModelPort>;
  readonly model: string;
} {
  if (typeof models !== 'object' || models === null) throw invalid('models must map names to models');
  const all = new Map<string, ModelPort>();
  for (const key of Object.keys(models)) all.set(key, port(`models.${key}`, models[key]));
  let first = model as string;
  if (typeof model !== 'string') {
    const bare = port('model', model);
    first = bare.modelId;
    if (all.has(first) && all.get(first) !== bare)
      throw invalid(`models has another '${first}' than the given model: name that key as model, or call it otherwise`);
    all.set(first, bare);
  }
  assertKey('model', first, all);
  return { models: all, model: first };
}

/** Refuses a personality whose model is none of them: the first is the one that the agent starts as. */
export function assertModels(
  personalities: ReadonlyMap<string, ReadPersonality>,
  models: ReadonlyMap<string, ModelPort>,
): void {
  const [own] = personalities.keys();
  for (const { id, model } of personalities.values()) {
    if (model === undefined) continue;
    assertKey(id === own ? 'personality.model' : `the model of '${id}',`, model, models);
  }
}

function assertKey(what: string, key: string, models: ReadonlyMap<string, ModelPort>): void {
  if (models.has(key)) return;
  const mend = key === 'offline' ? ': the embedded model is offlineModel(), give that' : meant(key, models.keys());
  throw invalid(`${what} '${key}' is no key of models${mend}`);
}

function port(what: string, model: unknown): ModelPort {
  const { doStream, modelId, provider } = (model ?? {}) as Partial<ModelPort>;
  if (typeof doStream === 'function' && typeof modelId === 'string' && typeof provider === 'string') {
    return model as ModelPort;
  }
  throw invalid(`${what} is no model: it needs provider, modelId and doStream`);
}
