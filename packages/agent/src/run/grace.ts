/** What is fired without the signal of its run: an aborted run waits `graceMs` for it, and no longer. */
import type { AgentHooks, Frozen, NamesOf, PayloadOf } from '@treblehook/types';
import type { Step } from './fire-step.js';
import { Aborted } from './run-abort.js';
import type { RunState } from './run-state.js';
import { promiseOf } from './shared-prototypes.js';

/** Runs that have waited for as long as they do. */
const impatient = new WeakSet<RunState>();

const always = (): boolean => true;

/**
 * Settles as `given` does, or rejects with `Aborted`: `graceMs` after the abort of the run, or after the beginning when that
 * is later. A run waits so once, however many there are that never answer. `isEndless` is asked then: what ends by itself
 * is waited for. What comes later is dropped.
 */
export function withinGrace<T>(run: RunState, given: PromiseLike<T>, isEndless: () => boolean = always): Promise<T> {
  const { abort, config } = run;
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const giveUp = (): void => {
      if (!isEndless()) return;
      impatient.add(run);
      reject(new Aborted());
    };
    const off = abort.onAbort(() => {
      if (impatient.has(run)) giveUp();
      else cancel = config.clock.after(config.graceMs, giveUp);
    });
    const over = (): void => {
      off();
      cancel();
    };
    promiseOf(given).then(
      (value) => {
        over();
        resolve(value as T);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}

type Names = NamesOf<AgentHooks>;

/** A handler without a budget, but for the plain hooks, which are bounded where they are asked. */
const isEndless = ({ config }: RunState, name: Names): boolean =>
  config.registry.plan(name).some(({ id, budgetMs }) => budgetMs === undefined && id !== 'hooks');

/** A step that was fired so. Rejects with `Aborted` when it is not waited for any more: nothing of it counts. */
export function stepWithinGrace<K extends NamesOf<AgentHooks, 'modifying'>>(
  run: RunState,
  name: K,
  fired: Promise<Step<K>>,
): Promise<Step<K>> {
  if (!run.closing.hasHandlers(name)) return fired;
  return withinGrace(run, fired, () => isEndless(run, name));
}

/** Fires a Void point about something that has happened: told whatever became of the run. Never rejects for an abort. */
export async function tellOf<K extends NamesOf<AgentHooks, 'void'>>(
  run: RunState,
  name: K,
  payload: Frozen<PayloadOf<AgentHooks, K>>,
): Promise<void> {
  const { closing } = run;
  const told = closing.fireVoid(name, payload);
  if (!closing.hasHandlers(name)) return told;
  try {
    await withinGrace(run, told, () => isEndless(run, name));
  } catch (error) {
    if (!(error instanceof Aborted)) throw error; // swallows who never answers: it has been told
  }
}
