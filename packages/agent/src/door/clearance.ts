/** Clearances: the only thing against which a tool's body runs. */
import { HookError, type Ask, type Tool, type VerdictRecord } from '@treblehook/types';
import { closeClass } from '@treblehook/core';
import type { Sealed } from './seal.js';
import type { RegisteredTool } from './registered-tool.js';

export type Body = Tool['execute'];

/**
 * Says that the guards have cleared one sealed call of one tool under one guard plan. It is good for one use, is made
 * here alone and is handed to no hook. It never goes through a promise: what a promise resolves to is asked for `then`,
 * and that may stand on `Object.prototype`.
 */
export class Clearance {
  readonly #tool: RegisteredTool;
  readonly #sealed: Sealed;
  readonly #generation: number;
  #isSpent = false;

  private constructor(tool: RegisteredTool, sealed: Sealed, generation: number) {
    this.#tool = tool;
    this.#sealed = sealed;
    this.#generation = generation;
  }

  /**
   * `undefined` unless the guards were all asked, none denied, and each ask is granted; without guards `isUnguarded` must
   * say so.
   */
  static of(
    tool: RegisteredTool,
    sealed: Sealed,
    verdict: VerdictRecord<unknown>,
    { isUnguarded, isGranted }: { readonly isUnguarded: boolean; readonly isGranted: (ask: Ask<unknown>) => boolean },
  ): Clearance | undefined {
    if (verdict.decision === 'deny') return undefined;
    if (verdict.decision === 'ask' && (verdict.asks.length === 0 || !verdict.asks.every(isGranted))) return undefined;
    if (verdict.verdicts.length === 0 && !isUnguarded) return undefined;
    return new Clearance(tool, sealed, verdict.generation);
  }

  /** Whether the guard plan is still the one that gave it. */
  static isCurrent(clearance: Clearance, generation: number): boolean {
    return #tool in clearance && clearance.#generation === generation;
  }

  /** Uses the clearance up and gives the call that it names; throws when it is no clearance for this. */
  static spend(clearance: unknown, tool: RegisteredTool, generation: number): Sealed {
    const refuse = (what: string): never => {
      throw new HookError('TH_NOT_CLEARED', { tool: tool.name, what });
    };
    if (typeof clearance !== 'object' || clearance === null || !(#tool in clearance)) return refuse('no clearance');
    if (clearance.#isSpent) refuse('the clearance was used before');
    if (clearance.#tool !== tool) refuse('the clearance names another tool');
    if (clearance.#generation !== generation) refuse('the guards have changed since');
    clearance.#isSpent = true;
    return clearance.#sealed;
  }
}
closeClass(Clearance);
