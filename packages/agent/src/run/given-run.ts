/** What a run has before it begins: its id, since the claim of its message has its origin, and the chat that it is for. */
import type { Chat } from '@treblehook/types';
import type { RunOptions } from '../contract.js';

export interface GivenRun {
  readonly id: string;
  readonly chat: Chat;
}

/** Beside the options and not on them: nobody else can choose the id of a run, or where its reply goes. */
const given = new WeakMap<RunOptions, GivenRun>();

/** Gives the options. */
export function withGiven(options: RunOptions, run: GivenRun): RunOptions {
  given.set(options, run);
  return options;
}

export const givenTo = (options: RunOptions): GivenRun | undefined => given.get(options);
