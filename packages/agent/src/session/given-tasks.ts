/** The tasks that a run has given, as its records tell them: whose children count by no record of the run. */
import { closeClass } from '@treblehook/core';
import type { LoggedSeal, SessionRecord } from '@treblehook/types';

/** The name of the tool, which is the host's. */
export const taskName = 'task';

export interface GivenTask {
  readonly callId: string;
  /** From 1. */
  readonly attempt: number;
  readonly seal: LoggedSeal;
}

type OfCall = Extract<SessionRecord, { readonly type: 'started' | 'request' | 'attempt' | 'outcome' }>;

/**
 * A call of `task` may have several: one for each attempt, and for each of its arguments. What a child has used stands in
 * the record that ends its attempt; where none does, in its own log alone.
 */
export class GivenTasks {
  readonly #all = new Map<string, GivenTask>();
  readonly #left = new Map<string, GivenTask>();
  /** Of each call the last one. */
  readonly #last = new Map<string, string>();
  /** Of each call the last attempt that is over. */
  readonly #attempts = new Map<string, number>();

  take(record: OfCall): void {
    const { type, callId } = record;
    if (type === 'started') this.#given(callId, record.sealed);
    if ((type === 'outcome' || type === 'attempt') && record.spent !== undefined) {
      this.#left.delete(this.#last.get(callId) ?? '');
    }
    if (type === 'attempt') this.#attempts.set(callId, record.attempt);
  }

  #given(callId: string, seal: LoggedSeal): void {
    if (seal.tool.name !== taskName || seal.tool.source !== 'host') return;
    const attempt = (this.#attempts.get(callId) ?? 0) + 1;
    const given = { callId, attempt, seal };
    this.#all.set(keyOf(given), given);
    this.#left.set(keyOf(given), given);
    this.#last.set(callId, keyOf(given));
  }

  /** Its call has given no other one since. */
  isLast(given: GivenTask): boolean {
    return this.#last.get(given.callId) === keyOf(given);
  }

  /** Those too that a record counts: what ends a call, such as a denial, does not end its child. */
  all(): readonly GivenTask[] {
    return [...this.#all.values()];
  }

  /** Those that no record counts. Whether they have a child only its log can tell: it may have been refused. */
  left(): readonly GivenTask[] {
    return [...this.#left.values()];
  }
}
closeClass(GivenTasks);

const keyOf = ({ callId, attempt, seal }: GivenTask): string => `${callId} ${attempt} ${seal.digest}`;
