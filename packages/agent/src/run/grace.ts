/** What an aborted run still waits for, and how long: fires about what has happened, and the result that they make. */
import type { AgentHooks, Catalogue, Frozen, HookCaller, NamesOf, PayloadOf } from '@treblehook/types';
import type { Config } from '../config.js';
import { isEndless } from './endless.js';
import { fireStepOf, type Step } from './fire-step.js';
import { Aborted, type RunAbort } from './run-abort.js';
import type { RunState } from './run-state.js';
import { promiseOf } from './shared-prototypes.js';

/** Who waits: a run, or the delivery of its reply. */
export interface Waits {
  readonly abort: RunAbort;
  readonly config: Pick<Config, 'clock' | 'graceMs' | 'registry'>;
}

/** By whom it is told, whatever became of the run. */
export interface TellsBy<C extends Catalogue> {
  /** Bound to no signal. */
  readonly closing: HookCaller<C>;
  /** The same, bound to this one. */
  readonly until: (signal: AbortSignal) => HookCaller<C>;
}

export interface Tells<C extends Catalogue> extends Waits, TellsBy<C> {}

/** Those that have waited for as long as they do. */
const impatient = new WeakSet<Waits>();

/** For a result: a run that is suspended waits for it as long as its shutdown can. */
export const patienceOf = ({ abort, config }: Waits): number => abort.patienceMs(config.graceMs, config.clock.now());
const graceOf = ({ config }: Waits): number => config.graceMs;

/**
 * Settles as `given` does, or rejects with `Aborted`: `graceMs` after the abort, or after the beginning when that is later.
 * `msOf` says how long. A run waits so once, however many there are that never answer. What comes later is dropped.
 */
export function withinGrace<T>(of: Waits, given: PromiseLike<T>, msOf = graceOf, onGivenUp?: () => void): Promise<T> {
  const { abort, config } = of;
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const giveUp = (): void => {
      impatient.add(of);
      reject(new Aborted());
      onGivenUp?.();
    };
    const off = abort.onAbort(() => {
      if (impatient.has(of)) giveUp();
      else cancel = config.clock.after(msOf(of), giveUp);
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

/** A fire that may have no end of its own: when it is not waited for any more its signal ends it, so that it holds no process. */
function endlessWithinGrace<C extends Catalogue, T>(
  of: Waits,
  by: TellsBy<C>,
  fire: (caller: HookCaller<C>) => Promise<T>,
  msOf: (of: Waits) => number,
): Promise<T> {
  const end = new AbortController();
  return withinGrace(of, fire(by.until(end.signal)), msOf, () => end.abort(of.abort.signal.reason));
}

/**
 * Fires a step about something that has happened. Rejects with `Aborted` when it is not waited for any more: nothing of it
 * counts. What ends by itself is waited for.
 */
export function stepWithinGrace<K extends NamesOf<AgentHooks, 'modifying'>>(
  run: RunState,
  name: K,
  payload: Frozen<PayloadOf<AgentHooks, K>>,
): Promise<Step<K>> {
  const fire = (caller: HookCaller<AgentHooks>): Promise<Step<K>> => fireStepOf(run, caller, name, payload, false);
  return isEndless(run.config.registry, run.closing, name)
    ? endlessWithinGrace(run, run, fire, patienceOf)
    : fire(run.closing);
}

/** Fires a Void point about something that has happened: told whatever became of the run. Never rejects for an abort. */
export function tellOf<C extends Catalogue, K extends NamesOf<C, 'void'>>(
  of: Tells<C>,
  name: K,
  payload: Frozen<PayloadOf<C, K>>,
): Promise<void> {
  return tellBy(of, of, name, payload);
}

/** As `tellOf`, where not everybody is told. */
export async function tellBy<C extends Catalogue, K extends NamesOf<C, 'void'>>(
  of: Waits,
  by: TellsBy<C>,
  name: K,
  payload: Frozen<PayloadOf<C, K>>,
): Promise<void> {
  const { registry } = of.config;
  if (!isEndless(registry, by.closing, name)) return by.closing.fireVoid(name, payload);
  try {
    await endlessWithinGrace(of, by, (caller) => caller.fireVoid(name, payload), graceOf);
  } catch (error) {
    if (!(error instanceof Aborted)) throw error; // swallows who never answers: it has been told
  }
}
