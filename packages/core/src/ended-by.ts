/** Who ended a pipeline: the handler that set a terminal key. */
import type { HandlerRef } from '@treblehook/types';

/** Keyed by the amendments that fires resolve to: it holds nothing alive and shows nothing to who lacks them. */
const enders = new WeakMap<object, HandlerRef>();

export function noteEnd(amendment: object, by: HandlerRef): void {
  enders.set(amendment, by);
}

/** Of an amendment as `fireModifying` gave it: the handler whose terminal key ended the pipeline, if one did. */
export const endedBy = (amendment: object): HandlerRef | undefined => enders.get(amendment);
