/** A question that a person leaves open: how the answerer says so, and how the warning about it is known. */

const left = 'the question is left for later';

/** Thrown by an answerer that has no answer and means it: the request stays open. */
export class LeftForLater extends Error {
  override readonly name = 'LeftForLater';
  constructor() {
    super(left);
  }
}

/** The agent warns of an answerer that gives no answer; here the person has decided so. */
export const isLeftForLater = ({ message, code }: Error & { readonly code?: unknown }): boolean =>
  code === 'TH_ANSWERER_FAILED' && message.includes(left);
