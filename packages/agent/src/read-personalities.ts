/** Who an agent may be: its personalities, each checked, and the one that it is when nobody says. */
import { frozen } from '@treblehook/core';
import { ownFields } from '@treblehook/types';
import type { ReadPersonality } from './config.js';
import type { AgentOptions, Personality } from './contract.js';
import { readLimits } from './read-limits.js';
import { assertKnown, assertText, assertTexts, invalid } from './read-option.js';

/** What an agent starts as when nobody says: no system text, no plugins, all tools. */
export const defaultPersonality: Personality = Object.freeze({ id: 'default' });

const personalityNames: Readonly<Record<keyof Personality, true>> = {
  id: true,
  system: true,
  plugins: true,
  tools: true,
  model: true,
  limits: true,
};

/**
 * By id, the one that the agent starts as first. `before`: who it may be already; what is not given stays. Throws
 * `TH_OPTION_INVALID`.
 */
export function readPersonalities(
  { personality, personalities }: Pick<AgentOptions, 'personality' | 'personalities'>,
  hasPrices: boolean,
  before?: ReadonlyMap<string, ReadPersonality>,
): ReadonlyMap<string, ReadPersonality> {
  const [was, ...others] = before?.values() ?? [];
  if (personalities !== undefined && !Array.isArray(personalities))
    throw invalid('personalities must be a list of personalities');
  const first =
    personality === undefined && was !== undefined
      ? was
      : readPersonality('personality', personality === undefined ? defaultPersonality : personality, hasPrices);
  const rest =
    (personalities as readonly Personality[] | undefined)?.map((one, at) =>
      readPersonality(`personalities[${at}]`, one, hasPrices),
    ) ?? others;
  const all = new Map([[first.id, first]]);
  for (const [at, one] of rest.entries()) {
    if (all.has(one.id)) throw invalid(`personalities[${at}]: another personality has the id '${one.id}'`);
    all.set(one.id, one);
  }
  return all;
}

function readPersonality(what: string, personality: Personality, hasPrices: boolean): ReadPersonality {
  if (typeof personality !== 'object' || personality === null) throw invalid(`${what} must be an object`);
  const { id, system = '', plugins = [], tools, model, limits } = ownFields(personality);
  assertKnown(personality, personalityNames, `key of ${what}`);
  assertText(`${what}.id`, id);
  if (typeof system !== 'string') throw invalid(`${what}.system must be a text`);
  assertTexts(`${what}.plugins`, plugins);
  if (tools !== undefined) assertTexts(`${what}.tools`, tools);
  if (model !== undefined) assertText(`${what}.model`, model);
  return frozen(
    ownFields({
      id,
      system,
      plugins: [...plugins],
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(model === undefined ? {} : { model }),
      ...(limits === undefined ? {} : { limits: readLimits(`${what}.limits`, limits, hasPrices) }),
    }),
  );
}
