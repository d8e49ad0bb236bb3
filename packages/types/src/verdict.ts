/** Verdict records: what a guard fire leaves behind as evidence. */
import type { Frozen } from './frozen.js';
import type { HandlerRef } from './handler.js';

/** `policy`: said by the guard. The others are faults of the guard, and each is a denial. */
export type VerdictKind = 'policy' | 'error' | 'timeout' | 'invalid';

export interface GuardVerdict {
  readonly by: HandlerRef;
  readonly verdict: 'pass' | 'deny' | 'ask';
  readonly kind: VerdictKind;
}

/** A question of a guard, with the detail that it gave. */
export type Ask<X = {}> = {
  readonly by: HandlerRef;
  readonly ask: string;
  readonly rule?: string;
} & Partial<Frozen<X>>;

/**
 * The frozen record of one guard fire. `clear` is given only when every handler of the plan has answered:
 * `verdicts.length` is then the plan's. No guard at all (`verdicts: []`) and three passes are different facts.
 */
export interface VerdictRecord<X = {}> {
  /** True for `deny` and `ask`. */
  readonly handled: boolean;
  readonly decision: 'clear' | 'deny' | 'ask';
  /** Of the denial. */
  readonly reason?: string;
  /** Who denied. */
  readonly by?: HandlerRef;
  /** The rule that the denial named. */
  readonly rule?: string;
  /** The run ends after this call's result. */
  readonly halt?: true;
  readonly asks: readonly Ask<X>[];
  readonly verdicts: readonly GuardVerdict[];
  /** Of the plan that answered; compare with `caller.generation(name)`. */
  readonly generation: number;
  /** Of the whole fire. */
  readonly ms: number;
}
