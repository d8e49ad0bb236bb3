/** The fire site: the one way in which a run fires a point whose answer it goes on with. */
import { endedBy } from '@treblehook/core';
import {
  ownFields,
  type AgentHooks,
  type Catalogue,
  type FiredOf,
  type Frozen,
  type HookCaller,
  type HandlerRef,
  type NamesOf,
  type PayloadOf,
} from '@treblehook/types';
import { asOfHooks } from '../plain-hooks.js';
import type { RunState } from './run-state.js';
import { assertNoThen } from './shared-prototypes.js';

type Modifying<C = AgentHooks> = NamesOf<C, 'modifying'>;

/** It goes through a promise, so neither it nor `amended` inherits anything. */
export interface Step<K extends Modifying<C>, C extends Catalogue = AgentHooks> {
  /** What was amended, own fields alone: a key that nobody has set is `undefined`. */
  readonly amended: NonNullable<FiredOf<C, K>>;
  /** Whose terminal key ended a pipeline. */
  readonly by: HandlerRef | undefined;
}

const nothing = Object.freeze(ownFields({ amended: Object.freeze(ownFields({})), by: undefined }));

/**
 * Fires a modifying point. Its rules:
 *
 * - The caller is bound to the run's signal: once the run is aborted the step rejects with `Aborted`, whatever came of the
 *   fire. While a `then` on a shared prototype makes promises lie it rejects with `TH_PROTOTYPE_ALTERED`, unread.
 * - A handler whose failure rejects the fire ends the run, unless it is about one call: then `endByFault` ends that call.
 * - An error of plain hooks ends the run, at every point, as the very error that it is.
 * - What is read of an amendment is its own.
 *
 * A guard point has a caller's rules, but its verdict is evidence and is kept first: see `askGuards` and who calls it.
 */
export function fireStep<K extends Modifying>(
  run: RunState,
  name: K,
  payload: Frozen<PayloadOf<AgentHooks, K>>,
): Promise<Step<K>> {
  return fireStepOf(run, run.caller, name, payload);
}

/** What a fire is part of: it throws when that is over. */
export interface Abortable {
  readonly abort: { readonly throwIfAborted: () => void };
}

/**
 * As `fireStep`, of any catalogue, by a caller that is bound to the signal as the run's own is to the run's. Without
 * `goesOn` it is about what has happened: it is fired and read whatever became of the run.
 */
export async function fireStepOf<C extends Catalogue, K extends Modifying<C>>(
  run: Abortable,
  caller: HookCaller<C>,
  name: K,
  payload: Frozen<PayloadOf<C, K>>,
  goesOn = true,
): Promise<Step<K, C>> {
  let amended: FiredOf<C, K>;
  if (goesOn) assertNoThen();
  try {
    amended = await caller.fireModifying(name, payload);
  } catch (error) {
    throw asOfHooks(error);
  } finally {
    if (goesOn) run.abort.throwIfAborted();
  }
  if (goesOn) assertNoThen();
  if (amended === undefined) return nothing as Step<K, C>;
  return ownFields({ amended: ownFields(amended), by: endedBy(amended) }) as Step<K, C>;
}

/** Before anything that cannot be taken back: throws `Aborted`, and `TH_PROTOTYPE_ALTERED`. */
export function assertGoesOn(run: Abortable): void {
  run.abort.throwIfAborted();
  assertNoThen();
}
