/** A personality of which the command line decides the model. */
import type { LoadedPersonality } from '@treblehook/host';

/** The same without its model, so that the one that was asked for is taken. */
export function withoutModel({ personality, locate }: LoadedPersonality): LoadedPersonality {
  const { model: _, ...rest } = personality;
  return { personality: rest, locate };
}
