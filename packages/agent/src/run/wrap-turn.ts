/** A turn inside `around.turn`: it can be observed and delayed, and nothing of it replaced. */
import { adopt } from '@treblehook/core';
import { HookError, ownFields, textOf } from '@treblehook/types';
import type { TurnDone } from '../around.js';
import { outOf } from '../plain-hooks.js';
import { Aborted } from './run-abort.js';
import type { RunState } from './run-state.js';
import { warnOfThrow, Wrapper } from './wrapper.js';

/** Rejects with what the turn rejects with; else with what its wrapper threw. */
export async function wrapTurn(run: RunState, isTakenUp: boolean, take: () => Promise<void>): Promise<void> {
  const told = run.toolCalls.length;
  let isTaken = false;
  let fault: { readonly error: unknown } | undefined;
  const wrapper = new Wrapper<undefined, TurnDone>(run, 'turn', {
    read: (given) => {
      if (given === undefined) return undefined;
      throw new HookError('TH_OPTION_INVALID', { what: 'core of around.turn takes nothing: a turn cannot be changed' });
    },
    refusal: () => (isTaken ? 'a turn is taken once' : undefined),
  });
  const event = adopt({ origin: run.origin, isTakenUp });
  wrapper.start((core, signal) => run.config.around!.turn!(event, core, signal));
  await wrapper.next();
  if (wrapper.wants) {
    isTaken = true;
    try {
      await take();
      wrapper.answer(doneOf(run, told));
    } catch (error) {
      fault = { error };
      wrapper.reject(outOf(run, error, 'around.turn'));
    }
    await wrapper.next();
  }
  if (fault !== undefined) throw fault.error; // it goes before what its wrapper made of it
  const { thrown, isAbandoned } = wrapper;
  if (isAbandoned || (thrown !== undefined && run.abort.isAborted)) {
    if (run.ending === undefined) throw new Aborted(); // swallows what an abort makes of the wrapper
    return;
  }
  if (thrown === undefined) return isTaken ? undefined : take();
  if (run.ending?.status !== 'pending') throw thrown.error;
  // its requests are open: they can be answered, whatever has become of its wrapper
  warnOfThrow('turn', `failed, and the run waits for answers all the same: ${textOf(thrown.error)}`, thrown.error);
}

function doneOf(run: RunState, told: number): TurnDone {
  const { ending, text, toolCalls } = run;
  return Object.freeze(ownFields({ status: ending?.status, text, toolCalls: adopt(toolCalls.slice(told)) }));
}
