/** Who ended a chain: the handler that set a terminal key of a pipeline, or claimed. */
import type { HandlerRef } from '@treblehook/types';
import { Returned } from './frozen.js';

/** A private field on the amendment itself, as the mark is: it holds nothing alive and shows nothing to who lacks it. */
class Ended extends Returned {
  readonly #by: HandlerRef;
  constructor(amendment: object, by: HandlerRef) {
    super(amendment);
    this.#by = by;
  }
  static by(amendment: object): HandlerRef | undefined {
    return #by in amendment ? amendment.#by : undefined;
  }
}

/** The same amendment. To be said before it is frozen: a frozen object may take no more fields. */
export function noteEnd<T extends object>(amendment: T, by: HandlerRef): T {
  new Ended(amendment, by);
  return amendment;
}

/** Of an amendment or a claim as the fire gave it: the handler whose terminal key or claim ended the chain, if one did. */
export const endedBy = (amendment: object): HandlerRef | undefined => Ended.by(amendment);
