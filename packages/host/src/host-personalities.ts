/** Who the agent of a host may be: its personalities, read and checked, as an agent takes them. */
import { defaultPersonality, type Personality } from '@treblehook/agent';
import { givenInline, HookError, ownFields, Setting, textOf, type ModelPort } from '@treblehook/types';
import type { HostOptions } from './host-options.js';
import { modelOf } from './models.js';
import { loadPersonality, parsePersonality, type HostPersonality, type LoadedPersonality } from './personality.js';

type Given = HostPersonality | LoadedPersonality | string | undefined;

/** All of a host, the one that it starts as first. Rejects with `TH_CONFIG_INVALID`. */
export async function readHostPersonalities({
  personality,
  personalities = [],
}: Pick<HostOptions, 'personality' | 'personalities'>): Promise<readonly LoadedPersonality[]> {
  const all = [await readOne(personality, 'personality')];
  for (const [at, one] of personalities.entries()) all.push(await readOne(one, `personalities[${at}]`));
  const ids = new Set<string>();
  for (const { personality: read, locate } of all) {
    const { id } = read;
    if (ids.has(id))
      new Setting(id, locate, ['id']).refuse(`another personality is called '${id}': rename one of them`);
    ids.add(id);
  }
  return all;
}

/** Those that stand in files, read again; the others as they are. Rejects with `TH_CONFIG_INVALID`. */
export const rereadPersonalities = (all: readonly LoadedPersonality[]): Promise<readonly LoadedPersonality[]> =>
  Promise.all(
    all.map(async (one) => {
      if (one.file === undefined) return one;
      const read = await loadPersonality(one.file);
      if (read.personality.id === one.personality.id) return read;
      const what = `it was '${one.personality.id}', and a personality keeps its id while the host runs: make the host anew`;
      return new Setting(read.personality.id, read.locate, ['id']).refuse(what);
    }),
  );

/** As the agent takes it. */
export function agentPersonality({ personality }: LoadedPersonality): Personality {
  const { id, system, model, plugins, tools, budgets } = ownFields(personality);
  return ownFields({
    id,
    ...(system !== undefined && { system }),
    ...(model !== undefined && { model }),
    ...(plugins !== undefined && { plugins }),
    ...(tools !== undefined && { tools }),
    ...(budgets !== undefined && { limits: budgets }),
  });
}

/**
 * The models by key, and the key to start from: that of the first personality, else the host's. Rejects with
 * `TH_MODEL_INVALID`, and with `TH_CONFIG_INVALID` where a personality names one.
 */
export async function readModels(
  { model, models = {}, modelOptions }: Pick<HostOptions, 'model' | 'models' | 'modelOptions'>,
  personalities: readonly LoadedPersonality[],
): Promise<{ readonly models: ReadonlyMap<string, ModelPort>; readonly model: string | ModelPort }> {
  const all = new Map(Object.entries(models));
  for (const { personality, locate } of personalities) {
    const own = personality.model;
    if (own === undefined || all.has(own)) continue;
    try {
      all.set(own, await modelOf(own, models, 'personality', modelOptions));
    } catch (error) {
      new Setting(own, locate, ['model']).refuse(textOf(error));
    }
  }
  const isNeeded = personalities.some(({ personality }) => personality.model === undefined);
  const start = personalities[0]?.personality.model;
  if (!isNeeded && start !== undefined) return { models: all, model: start };
  // A model without a name stands under its id; the agent refuses another one of that id.
  if (typeof model !== 'string') return { models: new Map([[model.modelId, model], ...all]), model };
  return { models: all.set(model, await modelOf(model, models, 'host', modelOptions)), model };
}

/** A host has the models that it was made with. Throws `TH_CONFIG_INVALID`. */
export function assertModels(
  personalities: readonly LoadedPersonality[],
  models: ReadonlyMap<string, ModelPort>,
): void {
  for (const { personality, locate } of personalities) {
    if (personality.model === undefined || models.has(personality.model)) continue;
    const what = `the host was made without the model '${personality.model}': use ${[...models.keys()].join(', ')}, or make the host anew`;
    new Setting(personality.model, locate, ['model']).refuse(what);
  }
}

async function readOne(given: Given, name: string): Promise<LoadedPersonality> {
  if (typeof given === 'string') return loadPersonality(given);
  if (given !== undefined && isLoaded(given)) {
    return ownFields({ ...given, personality: parsePersonality(given.personality, given.locate) });
  }
  const locate = givenInline(name);
  return { personality: parsePersonality(given ?? defaultPersonality, locate), locate };
}

function isLoaded(given: HostPersonality | LoadedPersonality): given is LoadedPersonality {
  if (typeof given === 'object' && given !== null) return Object.hasOwn(given, 'locate');
  throw new HookError('TH_OPTION_INVALID', { what: 'a personality is an object, or the path of a file' });
}
