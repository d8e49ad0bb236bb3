/** Who an agent may be: its personalities, each checked, and the one that it is when nobody says. */
import { frozen } from '@treblehook/core';
import { ownFields } from '@treblehook/types';
import type { ReadPersonality } from './config.js';
import type { AgentOptions, Personality } from './contract.js';
import { assertKnown, assertText, assertTexts, invalid } from './read-option.js';

/** What an agent starts as when nobody says: no system text, no plugins, all tools. */
export const defaultPersonality: Personality = Object.freeze({ id: 'default' });

const personalityNames: Readonly<Record<keyof Personality, true>> = {
  id: true,
  system: true,
  plugins: true,
  tools: true,
  model: true,
};

/** By id, the one that the agent starts as first. */
export function readPersonalities({
  personality,
  personalities = [],
}: AgentOptions): ReadonlyMap<string, ReadPersonality> {
  if (!Array.isArray(personalities)) throw invalid('personalities must be a list of personalities');
  const first = readPersonality('personality', personality === undefined ? defaultPersonality : personality);
  const all = new Map([[first.id, first]]);
  for (const [at, one] of (personalities as readonly Personality[]).entries()) {
    const read = readPersonality(`personalities[${at}]`, one);
    if (all.has(read.id)) throw invalid(`personalities[${at}]: another personality has the id '${read.id}'`);
    all.set(read.id, read);
  }
  return all;
}

function readPersonality(what: string, personality: Personality): ReadPersonality {
  if (typeof personality !== 'object' || personality === null) throw invalid(`${what} must be an object`);
  const { id, system = '', plugins = [], tools, model } = ownFields(personality);
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
    }),
  );
}
