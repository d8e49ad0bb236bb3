/** Models with an address (`…@https://…`) in a config: where prompts and keys go, which takes consent. */
import { ownFields } from '@treblehook/types';
import type { LoadedPersonality } from '../personality.js';
import type { TakenItem } from './consent-item.js';
import { sha256 } from './read-bytes.js';

/** Whether a model string says where it is. */
export const isAddressed = (model: string | undefined): model is string => model?.includes('@') === true;

/** The model strings of a config that have one: its own, and those of its personalities. */
export const addressesOf = (model: string | undefined, own: readonly LoadedPersonality[]): readonly string[] => [
  ...new Set([model, ...own.map(({ personality }) => personality.model)].filter(isAddressed)),
];

/** The digest of a config does not cover personalities in files of their own: their addresses are its settings. */
export function withAddresses({ item, snapshot }: TakenItem, own: readonly LoadedPersonality[]): TakenItem {
  const placed = own.filter(({ file, personality }) => file !== undefined && isAddressed(personality.model));
  if (placed.length === 0) return { item, snapshot };
  const pairs = placed
    .map(({ personality: { id, model } }) => [id, model] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { item: Object.freeze({ ...item, settings: sha256(JSON.stringify(pairs)) }), snapshot };
}

/** Without its model, where that has an address. */
export function withoutAddress(one: LoadedPersonality): LoadedPersonality {
  const { model, ...rest } = one.personality;
  return isAddressed(model) ? { ...one, personality: Object.freeze(ownFields(rest)) } : one;
}
